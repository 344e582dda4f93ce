/**
 * Runs a TypeScript file of the repository from source: `node tools/run.mjs FILE ARGUMENTS`. Node 20 cannot load TypeScript,
 * and building first would make generators depend on what they generate.
 */
import { resolve } from "node:path";
import { runnerImport } from "vite";

const [file, ...rest] = process.argv.slice(2);
if (file === undefined) {
  process.stderr.write("usage: node tools/run.mjs FILE [ARGUMENTS]\n");
  process.exit(2);
}
process.argv = [process.argv[0], resolve(file), ...rest];
const conditions = ["@bowline/source"];
const config = {
  configFile: false,
  logLevel: "error",
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
};
const { module } = await runnerImport(resolve(file), config);
if (typeof module.main === "function") process.exitCode = (await module.main(rest)) ?? 0;
