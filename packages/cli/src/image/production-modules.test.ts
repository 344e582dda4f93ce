import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { productionModules } from "./production-modules.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), "bowline-modules-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function pack(at: string, manifest: object): void {
  mkdirSync(path.join(folder, at), { recursive: true });
  writeFileSync(path.join(folder, at, "package.json"), JSON.stringify(manifest));
}

const locations = (): string[] =>
  productionModules(path.join(folder, "project")).map(({ location }) => location);

describe("productionModules", () => {
  it("takes what is needed at run time, and leaves what is only for development", () => {
    pack("project", { dependencies: { a: "1" }, devDependencies: { dev: "1" } });
    pack("project/node_modules/a", { dependencies: { b: "1" }, optionalDependencies: { missing: "1" } });
    pack("project/node_modules/b", { peerDependencies: { a: "1", absent: "1" } });
    pack("project/node_modules/dev", {});
    expect(locations()).toEqual(["node_modules/a", "node_modules/b"]);
  });

  it("keeps two versions apart, each below who needs it", () => {
    pack("project", { dependencies: { a: "1", c: "1" } });
    pack("project/node_modules/a", { dependencies: { c: "2", d: "1" } });
    pack("project/node_modules/a/node_modules/c", {});
    pack("project/node_modules/c", {});
    pack("project/node_modules/d", { dependencies: { c: "1" } });
    expect(locations()).toEqual([
      "node_modules/a",
      "node_modules/a/node_modules/c",
      "node_modules/c",
      "node_modules/d",
    ]);
  });

  it("finds packages of a workspace above the project, and follows links", () => {
    pack("project", { dependencies: { linked: "1" } });
    pack("packages/linked", { dependencies: { shared: "1" } });
    pack("node_modules/shared", {});
    symlinkSync("../packages/linked", path.join(folder, "node_modules/linked"));
    expect(locations()).toEqual(["node_modules/linked", "node_modules/shared"]);
  });

  it("ends when packages need each other in two versions", () => {
    pack("project", { dependencies: { a: "1", b: "1" } });
    pack("project/node_modules/a", { dependencies: { b: "2" } });
    pack("project/node_modules/b", { dependencies: { a: "1" } });
    pack("project/node_modules/a/node_modules/b", { dependencies: { a: "1" } });
    expect(locations()).toEqual(["node_modules/a", "node_modules/a/node_modules/b", "node_modules/b"]);
  });

  it("says which package is not installed", () => {
    pack("project", { dependencies: { a: "1" } });
    expect(locations).toThrow("needs the package a, which is not installed: run npm install");
  });
});
