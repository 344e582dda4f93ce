import { describe, expect, it } from "vitest";
import type { Json } from "../object/object.ts";
import { isStatusError } from "../status/status-error.ts";
import { customPrinter } from "./custom-printer.ts";
import { buildTable, parseIncludeObject } from "./table.ts";

const nowMs = Date.parse("2024-05-06T07:08:09Z");

/** The cell of one column of this type over `.spec.a`. */
function cellFor(type: string, a: Json | undefined): Json | undefined {
  const printer = customPrinter([{ name: "A", type, jsonPath: ".spec.a" }]);
  const spec = a === undefined ? {} : { a };
  const object = { apiVersion: "example.com/v1", kind: "Kettle", metadata: { name: "k1" }, spec };
  return printer.row(object, nowMs).cells[1];
}

describe("customPrinter", () => {
  it.each<[string, Json | undefined, Json]>([
    ["string", "text", "text"],
    ["string", "", ""],
    ["string", 5, "5"],
    ["string", 1.5, "1.5"],
    ["string", 1e21, "1e+21"],
    ["string", 0.00001, "1e-05"],
    ["string", true, "true"],
    ["string", [1, 2], "[1,2]"],
    ["string", { y: 2, x: [{ b: 1, a: "<" }] }, '{"x":[{"a":"\\u003c","b":1}],"y":2}'],
    ["string", null, "<no value>"],
    ["string", undefined, null],
    ["integer", "text", null],
    ["integer", "5", null],
    ["integer", 5, 5],
    ["integer", 1.9, 1],
    ["integer", -1.9, -1],
    ["integer", -0.5, 0],
    ["integer", 1e21, -9223372036854775808n],
    ["integer", 9007199254740993n, 9007199254740993n],
    ["integer", true, null],
    ["integer", null, null],
    ["number", 5, 5],
    ["number", 1.5, 1.5],
    ["number", "1.5", null],
    ["number", [], null],
    ["boolean", true, true],
    ["boolean", "true", null],
    ["boolean", 1, null],
    ["date", "2024-05-06T07:07:09Z", "60s"],
    ["date", "2024-05-06T09:07:09+02:00", "60s"],
    ["date", "2024-05-06T07:08:08.500Z", "0s"],
    ["date", "2001-02-03T04:05:06Z", "23y"],
    ["date", "2999-01-01T00:00:00Z", "<invalid>"],
    ["date", "2020-01-01", "<invalid>"],
    ["date", "2024-02-30T00:00:00Z", "<invalid>"],
    ["date", "2024-01-01T24:00:00Z", "<invalid>"],
    ["date", "2024-01-01 00:00:00Z", "<invalid>"],
    ["date", "2024-01-01T00:00:00", "<invalid>"],
    ["date", "text", "<invalid>"],
    ["date", "", "<unknown>"],
    ["date", null, null],
    ["date", 5, null],
  ])("shows in a column of type %s the value %o as %o", (type, value, cell) => {
    expect(cellFor(type, value)).toEqual(cell);
  });

  it("shows name and age without columns", () => {
    const printer = customPrinter([]);
    expect(printer.columns.map(({ name, type, format }) => [name, type, format])).toEqual([
      ["Name", "string", "name"],
      ["Age", "date", ""],
    ]);
    const metadata = { name: "k1", creationTimestamp: "2024-05-06T07:03:09Z" };
    expect(printer.row({ apiVersion: "example.com/v1", kind: "Kettle", metadata }, nowMs).cells).toEqual([
      "k1",
      "5m",
    ]);
  });

  it("passes the attributes of columns on and describes those without a description", () => {
    const printer = customPrinter([
      { name: "A", type: "integer", jsonPath: ".spec.a", format: "int32", description: "the a", priority: 1 },
      { name: "Name", type: "string", jsonPath: ".spec.b" },
    ]);
    expect(printer.columns[1]).toEqual({
      name: "A",
      type: "integer",
      format: "int32",
      description: "the a",
      priority: 1,
    });
    expect(printer.columns[2]).toMatchObject({ name: "Name", format: "", priority: 0 });
    expect(printer.columns[2]?.description).toContain(".spec.b");
  });

  it("shows the first of several values, and none when a filter finds nothing", () => {
    const printer = customPrinter([
      { name: "Ready", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
      { name: "Any", type: "string", jsonPath: ".status.conditions[*].type" },
    ]);
    const row = (status: object): Json[] => {
      const object = { apiVersion: "v1", kind: "K", metadata: { name: "k" }, status };
      return printer.row(object, nowMs).cells;
    };
    expect(
      row({
        conditions: [
          { type: "Other", status: "False" },
          { type: "Ready", status: "True" },
        ],
      }),
    ).toEqual(["k", "True", "Other"]);
    expect(row({})).toEqual(["k", null, null]);
  });

  it("ends the columns at a path that cannot be parsed", () => {
    const printer = customPrinter([
      { name: "A", type: "string", jsonPath: ".spec.a" },
      { name: "B", type: "string", jsonPath: ".spec[" },
      { name: "C", type: "string", jsonPath: ".spec.c" },
    ]);
    expect(printer.columns.map((column) => column.name)).toEqual(["Name", "A"]);
  });
});

describe("buildTable", () => {
  const object = {
    apiVersion: "example.com/v1",
    kind: "Kettle",
    metadata: { name: "k1", uid: "u" },
    spec: {},
  };
  const printer = customPrinter(undefined);
  const metadata = { resourceVersion: "7" };

  it("includes the object's metadata unless told otherwise", () => {
    const table = buildTable(printer, [object], { nowMs, metadata });
    expect(table).toMatchObject({ kind: "Table", apiVersion: "meta.k8s.io/v1", metadata });
    expect(table.rows[0]?.object).toEqual({
      kind: "PartialObjectMetadata",
      apiVersion: "meta.k8s.io/v1",
      metadata: object.metadata,
    });
  });

  it("includes the object itself or nothing when asked to", () => {
    const rows = (includeObject: "None" | "Object"): unknown =>
      buildTable(printer, [object], { nowMs, metadata, includeObject }).rows[0]?.object;
    expect(rows("Object")).toBe(object);
    expect(rows("None")).toBeNull();
  });

  it("speaks the version that was asked for", () => {
    const table = buildTable(printer, [object], { nowMs, metadata, version: "v1beta1" });
    expect(table.apiVersion).toBe("meta.k8s.io/v1beta1");
    expect(table.rows[0]?.object).toMatchObject({ apiVersion: "meta.k8s.io/v1beta1" });
  });

  it("leaves the columns out for later events of a watch", () => {
    expect(
      buildTable(printer, [object], { nowMs, metadata, withColumns: false }).columnDefinitions,
    ).toBeNull();
    expect(buildTable(printer, [], { nowMs, metadata })).toMatchObject({
      columnDefinitions: printer.columns,
      rows: [],
    });
  });
});

describe("parseIncludeObject", () => {
  it("takes nothing and an empty text for Metadata", () => {
    expect([undefined, null, "", "None", "Object"].map(parseIncludeObject)).toEqual([
      "Metadata",
      "Metadata",
      "Metadata",
      "None",
      "Object",
    ]);
  });

  it("refuses other texts in the server's words", () => {
    try {
      parseIncludeObject("Junk");
      expect.unreachable();
    } catch (error) {
      if (!isStatusError(error)) throw error;
      expect(error.code).toBe(400);
      expect(error.message).toBe(
        `Unable to convert to Table as requested: includeObject: Invalid value: "Junk": must be 'Metadata', 'Object', 'None', or empty`,
      );
    }
  });
});
