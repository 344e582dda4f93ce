import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { type TarEntry, readTarFile, tarArchive, tarFiles } from "./tar.ts";

const folder = mkdtempSync(path.join(os.tmpdir(), "bowline-tar-"));
afterAll(() => rmSync(folder, { recursive: true }));

function written(entries: readonly TarEntry[]): string {
  const file = path.join(folder, "a.tar");
  writeFileSync(file, Buffer.concat([...tarArchive(entries)]));
  return file;
}

const file = (name: string, content: string): TarEntry => ({
  path: name,
  type: "file",
  mode: 0o644,
  content: Buffer.from(content),
});

describe("tarArchive", () => {
  it("gives back every file, however long its name is", () => {
    const part = fc.stringMatching(/^[a-zäß@._-]{1,90}$/).filter((text) => !/^\.+$/.test(text));
    const name = fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => parts.join("/"));
    fc.assert(
      fc.property(fc.array(fc.tuple(name, fc.string({ maxLength: 2000 })), { maxLength: 6 }), (files) => {
        const archive = written(files.map(([at, content]) => file(at, content)));
        const back = tarFiles(archive).map((each) => [
          each.path,
          readTarFile(archive, each).toString("utf8"),
        ]);
        expect(back).toEqual(
          files.map(([at, content]) => [at.replace(/^\.?\//, ""), Buffer.from(content).toString("utf8")]),
        );
      }),
      { numRuns: 50 },
    );
  });

  it("is read by tar itself", () => {
    const long = `${"d".repeat(120)}/${"e".repeat(120)}/f`;
    const archive = written([
      { path: "app/", type: "folder", mode: 0o755 },
      file("app/a.js", "hello\n"),
      { path: "app/b.js", type: "link", mode: 0o777, target: "a.js" },
      file(long, "deep"),
    ]);
    execFileSync("tar", ["-xf", archive, "-C", folder]);
    expect(readFileSync(path.join(folder, "app/b.js"), "utf8")).toBe("hello\n");
    expect(readFileSync(path.join(folder, long), "utf8")).toBe("deep");
  });
});

describe("tarFiles", () => {
  it("refuses what is no archive", () => {
    writeFileSync(path.join(folder, "b"), "x".repeat(2000));
    expect(() => tarFiles(path.join(folder, "b"))).toThrow("b is not a tar archive");
  });
});
