import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";

function codesIn(text: string): string[] {
  return [...text.matchAll(/\bBOWLINE_[A-Z_]+\b/g)].map((match) => match[0]);
}

/** Codes that product code gives to errors; environment variables have a name of their own. */
function thrown(): Set<string> {
  const codes = new Set<string>();
  for (const file of readdirSync("packages", { recursive: true, encoding: "utf8" })) {
    const isSource = /^[^/]+\/src\/.*\.ts$/.test(file) && !file.endsWith(".test.ts");
    if (!isSource) continue;
    for (const line of readFileSync(path.join("packages", file), "utf8").split("\n")) {
      if (/\bcode: string = "BOWLINE_/.test(line)) for (const code of codesIn(line)) codes.add(code);
    }
  }
  return codes;
}

it("documents every error code, and no code that does not exist", () => {
  const documented = new Set(codesIn(readFileSync("docs/reference/errors.md", "utf8")));
  const existing = thrown();
  expect(existing.size).toBeGreaterThan(10);
  expect([...documented].sort()).toEqual([...existing].sort());
});
