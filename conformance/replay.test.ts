import { mkdtempSync, writeFileSync } from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { difference } from "./difference.ts";
import { exceptionsProblem } from "./exceptions.ts";
import { fill } from "./fill.ts";
import { HttpClient } from "./http-client.ts";
import { Normaliser } from "./normaliser.ts";
import { UsageError, parseOptions } from "./options.ts";
import { runCases } from "./run-cases.ts";
import { findCases } from "./script.ts";

describe("Normaliser", () => {
  it("numbers uids and versions by first appearance, so that equality still counts", () => {
    const normaliser = new Normaliser({ group: "c1x1.example.com" });
    const uid = "11111111-2222-3333-4444-555555555555";
    expect(normaliser.body(JSON.stringify({ metadata: { uid, resourceVersion: "7" } }))).toEqual({
      metadata: { uid: "<uid:1>", resourceVersion: "<rv:1>" },
    });
    expect(
      normaliser.body(JSON.stringify({ metadata: { resourceVersion: "8" }, message: `of ${uid}` })),
    ).toEqual({ metadata: { resourceVersion: "<rv:2>" }, message: "of <uid:1>" });
    expect(normaliser.body(JSON.stringify({ metadata: { resourceVersion: "7" } }))).toEqual({
      metadata: { resourceVersion: "<rv:1>" },
    });
  });

  it("tells the version of a list from the versions in it", () => {
    const normaliser = new Normaliser({ group: "c1x1.example.com" });
    const list = {
      kind: "XList",
      metadata: { resourceVersion: "9" },
      items: [{ metadata: { resourceVersion: "7" } }],
    };
    expect(normaliser.body(JSON.stringify(list))).toEqual({
      kind: "XList",
      metadata: { resourceVersion: "<list-rv>" },
      items: [{ metadata: { resourceVersion: "<rv:1>" } }],
    });
  });

  it("replaces the case's group in every spelling", () => {
    const normaliser = new Normaliser({ group: "c1x1.example.com" });
    expect(
      normaliser.body(JSON.stringify({ "com.example.c1x1.v1": "c1x1.example.com C1x1ExampleCom" })),
    ).toEqual({
      "${puorg}.v1": "${group} ${Group}",
    });
  });
});

describe("difference", () => {
  it.each([
    [{ a: 1 }, { a: 1 }, null],
    [{ a: 1 }, { a: 2 }, "/a: want 1, got 2"],
    [{ a: 1 }, {}, "/a: missing, want 1"],
    [{}, { a: 1 }, "/a: unexpected 1"],
    [[1, 2], [1], "/1: missing, want 2"],
    [{ $any: true }, "whatever", null],
    [{ a: { $absent: true } }, {}, null],
    [{ causes: ["a", "b"] }, { causes: ["b", "a"] }, null],
    [{ others: ["a", "b"] }, { others: ["b", "a"] }, '/others/0: want "a", got "b"'],
  ])("compares %j with %j", (want, got, expected) => {
    expect(difference(want, got)).toBe(expected);
  });
});

describe("fill", () => {
  it("fills in variables and repeated texts", () => {
    expect(fill({ a: "${group}/${x*3}", b: "${'ab'*2}", c: "${unknown}" }, { group: "g" })).toEqual({
      a: "g/xxx",
      b: "abab",
      c: "${unknown}",
    });
  });
});

describe("exceptions", () => {
  it("may be 1 % of the cases, and only of cases that exist", () => {
    const names = Array.from({ length: 100 }, (_, index) => `case-${index}.json`);
    expect(exceptionsProblem({ "case-1.json": "why" }, names)).toBeUndefined();
    expect(exceptionsProblem({ "case-1.json": "why", "case-2.json": "why" }, names)).toContain("at most 1");
    expect(exceptionsProblem({ "gone.json": "why" }, names)).toContain("do not exist");
  });
});

describe("parseOptions", () => {
  it("refuses what it does not know", () => {
    expect(() => parseOptions(["--nonsense"], "cases")).toThrow(UsageError);
    expect(() => parseOptions(["--only"], "cases")).toThrow("--only needs a value");
    expect(parseOptions(["--only", "ssa/", "--cases", "mine"], "cases")).toMatchObject({
      only: "ssa/",
      places: ["mine"],
    });
  });
});

describe("runCases", () => {
  const server = http.createServer((request, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ path: request.url }));
  });
  let client: HttpClient;
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    client = new HttpClient({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  });
  afterAll(() => {
    client.close();
    server.close();
  });

  it("passes what meets its record and prints the first difference of what does not", async () => {
    const directory = mkdtempSync(path.join(tmpdir(), "conformance-"));
    const script = (expected: string): string =>
      JSON.stringify({
        name: "x",
        why: "y",
        steps: [{ do: "GET /apis/${group}/v1", expect: { status: 200, body: { path: expected } } }],
      });
    writeFileSync(path.join(directory, "a.json"), script("/apis/${group}/v1"));
    writeFileSync(path.join(directory, "b.json"), script("/apis/other/v1"));
    const results = await runCases(client, findCases([directory], "nowhere"), { concurrency: 2 });
    expect(results.map((result) => [result.case, result.ok])).toEqual([
      ["a.json", true],
      ["b.json", false],
    ]);
    expect(results[1]?.problems).toEqual([
      'step 0 (GET /apis/${group}/v1): /body/path: want "/apis/other/v1", got "/apis/${group}/v1"',
    ]);
  });
});
