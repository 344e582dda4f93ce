import { runOperator } from "@bowline/runtime";
import operator from "./operator.ts";

await runOperator(operator, { args: process.argv.slice(2) });
