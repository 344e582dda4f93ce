import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

/** `<!-- from FILE -->` before a code block promises that the block stands in that file. */
const quoted = /<!-- from (\S+) -->\n```\w*\n([^]*?)```/g;

describe.each(["README.md"])("%s", (file) => {
  const blocks = [...readFileSync(file, "utf8").matchAll(quoted)];

  it("quotes code", () => {
    expect(blocks.length).toBeGreaterThanOrEqual(2);
  });

  it.each(blocks.map(([, source = "", code = ""]) => [source, code] as const))(
    "quotes %s as it is",
    (source, code) => {
      expect(readFileSync(source, "utf8")).toContain(code);
    },
  );
});
