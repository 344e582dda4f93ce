/** The check of import directions fires on deliberate violations, and looks at the whole tree. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

interface Result {
  readonly violations: { readonly rule: { readonly name: string }; readonly from: string }[];
  readonly totalCruised: number;
}

function cruise(folder: string): Result {
  const bin = path.resolve("node_modules/dependency-cruiser/bin/dependency-cruise.mjs");
  let text: string;
  try {
    text = execFileSync(
      process.execPath,
      [bin, "--config", ".dependency-cruiser.mjs", "--output-type", "json", "packages", "examples"],
      {
        cwd: folder,
        encoding: "utf8",
        maxBuffer: 256 << 20,
      },
    );
  } catch (error) {
    // violations make it end with their number
    text = (error as { stdout: string }).stdout;
  }
  return (JSON.parse(text) as { summary: Result }).summary;
}

describe("import directions", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), "bowline-directions-"));
    for (const file of [".dependency-cruiser.mjs", "tsconfig.base.json", "package.json"])
      cpSync(file, path.join(folder, file));
    mkdirSync(path.join(folder, "node_modules/@bowline"), { recursive: true });
    for (const name of ["api", "client", "runtime", "cluster"]) {
      mkdirSync(path.join(folder, "packages", name, "src"), { recursive: true });
      cpSync(
        path.join("packages", name, "package.json"),
        path.join(folder, "packages", name, "package.json"),
      );
      writeFileSync(path.join(folder, "packages", name, "src/index.ts"), "export const a = 1;\n");
      symlinkSync(path.join(folder, "packages", name), path.join(folder, "node_modules/@bowline", name));
    }
    mkdirSync(path.join(folder, "examples"), { recursive: true });
    const write = (file: string, text: string): void => {
      mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
      writeFileSync(path.join(folder, file), text);
    };
    write("packages/client/src/upward.ts", 'import { a } from "@bowline/runtime";\nexport const b = a;\n');
    write(
      "packages/api/src/impure.ts",
      'import { hostname } from "node:os";\nexport const b = hostname();\n',
    );
    write("packages/client/src/one.ts", 'import { two } from "./two.ts";\nexport const one = two;\n');
    write("packages/client/src/two.ts", 'import { one } from "./one.ts";\nexport const two = one;\n');
    write(
      "packages/runtime/src/inner.ts",
      'import { one } from "../../client/src/one.ts";\nexport const b = one;\n',
    );
    write("packages/cluster/src/store/store.ts", "export const store = 1;\n");
    write(
      "packages/cluster/src/controllers/peek.ts",
      'import { store } from "../store/store.ts";\nexport const b = store;\n',
    );
    write(
      "packages/cluster/src/store/reach.ts",
      'import { b } from "../controllers/peek.ts";\nexport const c = b;\n',
    );
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each([
    ["direction-client", "packages/client/src/upward.ts"],
    ["api-is-pure", "packages/api/src/impure.ts"],
    ["no-cycle", "packages/client/src/one.ts"],
    ["no-inner-import", "packages/runtime/src/inner.ts"],
    ["cluster-controllers", "packages/cluster/src/controllers/peek.ts"],
    ["cluster-store", "packages/cluster/src/store/reach.ts"],
  ])("%s fires on %s", (rule, file) => {
    const found = cruise(folder).violations.map((v) => `${v.rule.name} ${v.from}`);
    expect(found).toContain(`${rule} ${file}`);
  });

  it("looks at every module of the repository", () => {
    const files = execFileSync("git", ["ls-files", "packages/*/src/**/*.ts"], { encoding: "utf8" })
      .trim()
      .split("\n");
    expect(readFileSync(".dependency-cruiser.mjs", "utf8")).toContain("conditionNames");
    expect(cruise(".").totalCruised).toBeGreaterThanOrEqual(files.length);
    // every module is parsed, which takes half a minute on a busy machine
  }, 90_000);
});
