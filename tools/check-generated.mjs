/** Generated files are what their generators make of the committed inputs: nobody edited them by hand. */
import { execFileSync } from "node:child_process";

const generated = ["packages/api/src/builtin", "packages/api/src/codec/protobuf-table.ts"];
const before = changes();
execFileSync("npm", ["run", "--silent", "generate"], { stdio: "inherit" });
const after = changes();
if (after !== before) {
  console.error(`generated files differ from what \`npm run generate\` makes:\n${after}`);
  process.exit(1);
}

function changes() {
  return execFileSync("git", ["status", "--porcelain", "--", ...generated], { encoding: "utf8" });
}
