import { existsSync, readFileSync, readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";

/** The cells of every row of every table whose last column is `Test`. */
function rowsOf(page: string): string[][] {
  const tables = readFileSync(page, "utf8")
    .split("\n\n")
    .filter((block) => block.startsWith("|"));
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

/** Rows whose last cell names no test that exists, nor says with a dash that there is nothing to test. */
function wrongRows(rows: readonly string[][]): string[] {
  return rows.flatMap((cells) => {
    const cell = cells.at(-1) ?? "";
    const files = filesIn(cell);
    const missing = files.filter((file) => !existsSync(file) || !/\.test\.ts$|\.mjs$/.test(file));
    return cell === "-" || (files.length > 0 && missing.length === 0) ? [] : [`${cells[0]}: ${cell}`];
  });
}

const all = rowsOf("docs/parity.md");

describe("docs/parity.md", () => {
  it("is looked at whole", () => {
    expect(all.length).toBeGreaterThan(100);
  });

  it("names for every row a test that exists, or says that there is nothing to test", () => {
    expect(wrongRows(all)).toEqual([]);
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

describe("docs/reference/admission.md", () => {
  const rows = rowsOf("docs/reference/admission.md");

  it("names for every row a test that exists", () => {
    expect(rows.length).toBeGreaterThan(25);
    expect(wrongRows(rows)).toEqual([]);
  });

  it("has every plug-in of the cluster", () => {
    const access = "packages/cluster/src/access";
    const sources = readdirSync(access, { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
      .map((file) => readFileSync(`${access}/${file}`, "utf8"))
      .filter((source) => source.includes("AdmissionPlugin"));
    const plugins = sources.flatMap((source) =>
      [...source.matchAll(/\bname: "([A-Z]\w+)"/g)].map(([, name = ""]) => name),
    );
    const named = new Set(rows.flatMap(([names = ""]) => names.replace(" (off)", "").split(", ")));
    expect(plugins.length).toBeGreaterThan(15);
    expect(plugins.filter((name) => !named.has(name))).toEqual([]);
  });
});
