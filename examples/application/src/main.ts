import { runOperator } from "@bowline/runtime";
import operator from "./index.ts";

await runOperator(operator);
