/** The examples that are made with the command line: scaffolded afresh by the commands of their tutorials. */
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { main } from "../../packages/cli/src/main.ts";
import { parsePage } from "../tutorials/page.ts";
import { root } from "../tutorials/workplace.ts";

/** Names of the tutorials and of their examples. */
export const exampleNames = ["application", "cronjob"] as const;
export type ExampleName = (typeof exampleNames)[number];

export function exampleFolder(name: ExampleName): string {
  return path.join(root, "examples", name);
}

/** Text by path of everything that the scaffolding commands of the tutorial write. */
export async function scaffoldedFiles(name: ExampleName): Promise<ReadonlyMap<string, string>> {
  const { steps } = parsePage(readFileSync(path.join(root, "docs/tutorials", `${name}.md`), "utf8"));
  const commands = steps.flatMap((step) => (step.type === "command" ? [step.command] : []));
  const parent = mkdtempSync(path.join(os.tmpdir(), "bowline-example-"));
  // the name of the project is that of its folder
  const folder = path.join(parent, `${name}-operator`);
  mkdirSync(folder);
  try {
    for (const command of commands) {
      const [, args] = /^npx (?:@bowline\/cli|bowline) ((?:init|create) .*)$/.exec(command) ?? [];
      if (args !== undefined) await bowline(wordsOf(args), folder);
    }
    return new Map(
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
        .sort()
        .map((file) => [file, readFileSync(path.join(folder, file), "utf8")]),
    );
  } finally {
    rmSync(parent, { recursive: true });
  }
}

async function bowline(args: readonly string[], workingFolder: string): Promise<void> {
  let said = "";
  const note = (text: string): void => void (said += text);
  const output = { write: note, error: note, isTerminal: false, columns: 120 };
  const code = await main(args, { workingFolder, output, ask: async () => undefined });
  if (code !== 0) throw new Error(`bowline ${args.join(" ")} ended with ${code}: ${said}`);
}

function wordsOf(line: string): string[] {
  return (line.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', ""));
}

/** What a person writes, or what this repository has its own of. */
const ownParts = [
  /^src\/(api|controllers|webhooks)\//,
  /^config\/samples\//,
  /^package\.json$/,
  /^tsconfig(\.build)?\.json$/,
  /^\.oxlintrc\.json$/,
];
/** Not in the example: the repository's own are in force there. */
const absentParts = [/^tsconfig\.build\.json$/, /^\.oxlintrc\.json$/];

/** How a scaffolded file should be found in the example. */
export function partOf(file: string): "same" | "own" | "absent" {
  if (absentParts.some((part) => part.test(file))) return "absent";
  return ownParts.some((part) => part.test(file)) ? "own" : "same";
}

interface Manifest {
  readonly name: string;
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

/** The scaffold's package.json as a package of this workspace: under its name, resolved from source by tests. */
export function exampleManifest(name: ExampleName, scaffolded: string, present: string): string {
  const manifest = JSON.parse(scaffolded) as Manifest;
  const more = (JSON.parse(present) as Manifest).dependencies;
  const entry = {
    "@bowline/source": "./src/operator.ts",
    types: "./dist/operator.d.ts",
    default: "./dist/operator.js",
  };
  const dependencies = Object.fromEntries(Object.entries({ ...more, ...manifest.dependencies }).sort());
  const { name: _, version: __, private: ___, ...others } = manifest;
  // a package of the workspace is compiled together with those that it needs
  const scripts = { ...manifest.scripts, build: "tsc -b", typecheck: "tsc -b" };
  const example = {
    name: `@bowline-examples/${name}`,
    version: "0.0.0",
    private: true,
    license: "Apache-2.0",
    ...others,
    scripts,
    exports: { ".": entry },
    dependencies,
  };
  return `${JSON.stringify(example, undefined, 2)}\n`;
}
