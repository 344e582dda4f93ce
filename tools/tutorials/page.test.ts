import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { missingLine, parsePage, withFilesOf } from "./page.ts";
import { root } from "./workplace.ts";

const command = (text: string, more: object = {}) => ({
  type: "command",
  command: text,
  here: undefined,
  prints: [],
  fails: false,
  backgroundUntil: undefined,
  fullRunOnly: false,
  line: expect.any(Number),
  ...more,
});

describe("parsePage", () => {
  it("reads each line of a shell block as a command, and the text block after it as its output", () => {
    expect(parsePage("Do:\n\n```sh\nfirst\nsecond\n```\n\n```text\nout\n...\n```\n").steps).toEqual([
      command("first"),
      command("second", { prints: ["out", "..."] }),
    ]);
  });

  it("keeps here-documents and continued lines together", () => {
    const { steps } = parsePage("```sh\ncat <<EOF\na\nEOF\nb \\\n  c\nd\n```\n");
    expect(steps).toEqual([command("cat <<EOF\na\nEOF"), command("b \\\n  c"), command("d")]);
  });

  it("takes from comments what is to be done with a block", () => {
    const page = [
      "<!-- fails -->\n```sh\na\n```",
      "<!-- background until: it runs -->\n```sh\nb\n```",
      "Press Ctrl-C. <!-- stop -->",
      "<!-- here: export A=2 -->\n<!-- full run only -->\n```sh\nexport A=1\n```",
      "<!-- file src/a.ts -->\n```ts\nlet a;\n```",
    ];
    expect(parsePage(page.join("\n\n")).steps).toEqual([
      command("a", { fails: true }),
      command("b", { backgroundUntil: "it runs" }),
      { type: "stop", line: expect.any(Number) },
      command("export A=1", { here: "export A=2", fullRunOnly: true }),
      { type: "file", path: "src/a.ts", text: "let a;\n", line: expect.any(Number) },
    ]);
  });

  it("refuses a block that nobody checks", () => {
    expect(() => parsePage("```ts\nlet a;\n```\n")).toThrow(
      "line 1: a block of ts that nothing is done with",
    );
    expect(() => parsePage("```text\nout\n```\n")).toThrow("no command stands before");
  });
});

describe("missingLine", () => {
  it.each([
    ["a\nb\nc", ["a", "c"], undefined],
    ["a\nb", ["b", "a"], "a"],
    ["NAME    READY\npod-x   1/1", ["NAME READY", "pod-... 1/1"], undefined],
    ["abc", ["ab"], "ab"],
    ["3 files", ["...", "... files"], undefined],
  ])("of %j with %j expected is %j", (printed, expected, missing) => {
    expect(missingLine(printed, expected)).toBe(missing);
  });
});

describe.each(["application", "cronjob"])("docs/tutorials/%s.md", (name) => {
  const text = readFileSync(path.join(root, "docs/tutorials", `${name}.md`), "utf8");
  const read = (source: string): string => readFileSync(path.join(root, source), "utf8");
  const { steps, quotations } = parsePage(text);

  it("has commands and quotes the example", () => {
    expect(steps.length).toBeGreaterThan(30);
    expect(quotations.length).toBeGreaterThanOrEqual(4);
  });

  it("shows whole files as they are in the example", () => {
    expect(withFilesOf(text, read)).toBe(text);
  });

  it.each(quotations.filter(({ isWhole }) => !isWhole).map(({ source, text: part }) => [source, part]))(
    "quotes %s as it is",
    (source, part) => {
      expect(read(source)).toContain(part);
    },
  );
});
