import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const document = readFileSync("docs/parity.md", "utf8");

/** The cells of every row of every table whose last column is `Test`. */
function rows(): string[][] {
  const tables = document.split("\n\n").filter((block) => block.startsWith("|"));
  return tables.flatMap((table) => {
    const [head = [], , ...body] = table
      .trim()
      .split("\n")
      .map((line) =>
        line
          .slice(1, -1)
          .split(/(?<!\\)\|/)
          .map((cell) => cell.trim()),
      );
    return head.at(-1) === "Test" ? body : [];
  });
}

/** The test files that a cell names, from the repository's root. */
function filesIn(cell: string): string[] {
  return [...cell.matchAll(/[a-z-]+(?:\/[\w.-]+)+/g)].map(([file]) =>
    /^(api|client|runtime|cluster|testing|cli)\//.test(file) ? `packages/${file}` : file,
  );
}

const all = rows();

describe("docs/parity.md", () => {
  it("is looked at whole", () => {
    expect(all.length).toBeGreaterThan(100);
  });

  it("names for every row a test that exists, or says that there is nothing to test", () => {
    const wrong = all.flatMap((cells) => {
      const cell = cells.at(-1) ?? "";
      const files = filesIn(cell);
      const missing = files.filter((file) => !existsSync(file) || !/\.test\.ts$|\.mjs$/.test(file));
      return cell === "-" || (files.length > 0 && missing.length === 0) ? [] : [`${cells[0]}: ${cell}`];
    });
    expect(wrong).toEqual([]);
  });

  it("has all thirty cases, each with a test of that number", () => {
    const cases = all.filter(([number]) => /^\d+$/.test(number ?? ""));
    expect(cases.map(([number]) => Number(number))).toEqual(Array.from({ length: 30 }, (_, i) => i + 1));
    const wrong = cases.flatMap((cells) => {
      const named = new RegExp(`it\\(\\s*["\`]case ${cells[0]}: `);
      const files = filesIn(cells.at(-1) ?? "");
      return files
        .filter((file) => !named.test(readFileSync(file, "utf8")))
        .map((file) => `${cells[0]}: ${file}`);
    });
    expect(wrong).toEqual([]);
  });
});
