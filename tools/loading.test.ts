/** The built packages, loaded the two ways in which Node loads things, in a process of its own each. */
import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";

interface Manifest {
  readonly name: string;
  readonly engines: { readonly node: string };
  readonly exports: Readonly<Record<string, unknown>>;
}

const manifests = readdirSync("packages").map(
  (name) => JSON.parse(readFileSync(`packages/${name}/package.json`, "utf8")) as Manifest,
);
const run = (...args: string[]): string => execFileSync(process.execPath, args, { encoding: "utf8" });

describe("The packages", () => {
  it("case 19: load by import and by require, on every version of Node that they name", () => {
    const named = new Set(manifests.map((manifest) => manifest.engines.node));
    expect([...named]).toEqual([">=20.19"]);
    const libraries = manifests.filter((manifest) => "." in manifest.exports).map(({ name }) => name);
    expect(libraries).toContain("@bowline/runtime");
    const count = `${libraries.length}`;
    const sum = `.then((all) => console.log(all.filter((one) => Object.keys(one).length > 0).length))`;
    const names = JSON.stringify(libraries);
    expect(
      run(
        "--input-type=module",
        "-e",
        `await Promise.all(${names}.map((name) => import(name)))${sum}`,
      ).trim(),
    ).toBe(count);
    const required = `Promise.resolve(${names}.map((name) => require(name)))${sum}`;
    expect(run("--no-warnings", "--input-type=commonjs", "-e", required).trim()).toBe(count);
  });
});
