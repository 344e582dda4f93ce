/**
 * Runs a TypeScript file of the repository from source, with the project's packages from source too:
 * `node tools/run.mjs FILE ARGUMENTS`. The file exports `main(args)`, which gives the exit status. Node 20 cannot load
 * TypeScript, and building first would make generators depend on what they generate.
 */
import { resolve } from "node:path";
import { createServer } from "vite";

const [file, ...rest] = process.argv.slice(2);
if (file === undefined) {
  process.stderr.write("usage: node tools/run.mjs FILE [ARGUMENTS]\n");
  process.exit(2);
}
const conditions = ["@bowline/source"];
const server = await createServer({
  configFile: false,
  logLevel: "error",
  appType: "custom",
  server: { middlewareMode: true, hmr: false, ws: false, watch: null },
  optimizeDeps: { noDiscovery: true },
  resolve: { conditions },
  ssr: { noExternal: [/^@bowline\//], resolve: { conditions, externalConditions: conditions } },
});
try {
  const { main } = await server.ssrLoadModule(resolve(file));
  process.exitCode = (await main(rest)) ?? 0;
} finally {
  await server.close();
}
