import { describe, expect, it } from "vitest";
import { terminalSizes } from "./terminal-sizes.ts";

async function* pieces(texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

async function read(...texts: string[]): Promise<unknown[]> {
  const sizes: unknown[] = [];
  for await (const size of terminalSizes(pieces(texts))) sizes.push(size);
  return sizes;
}

const text = '{"Width":80,"Height":24}\n{"Width":100,"Height":50}';

describe("terminalSizes", () => {
  it("reads sizes, wherever their text is cut", async () => {
    const both = [
      { width: 80, height: 24 },
      { width: 100, height: 50 },
    ];
    for (let cut = 0; cut <= text.length; cut++)
      expect(await read(text.slice(0, cut), text.slice(cut))).toEqual(both);
  });

  it.each([
    ["{}", [{ width: 0, height: 0 }]],
    ['{"width":1,"HEIGHT":2}', [{ width: 1, height: 2 }]],
    ['{"Width":1,"Height":2}{"Width":-1}{"Width":3}', [{ width: 1, height: 2 }]],
    ['{"Width":65536,"Height":2}', []],
    ["no size}", []],
    [`${" ".repeat(2000)}{"Width":1,"Height":2}`, [{ width: 1, height: 2 }]],
  ])("reads %s as %j", async (given, sizes) => {
    expect(await read(given)).toEqual(sizes);
  });

  it("does not wait for the end of what is too long", async () => {
    expect(await read("{".padEnd(2000), '"Width":1,"Height":2}')).toEqual([]);
  });
});
