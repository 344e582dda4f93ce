import { describe, expect, it } from "vitest";
import { setOf } from "../../test/apply-notation.ts";
import { deepFreeze } from "../object/freeze.ts";
import type { ManagedFieldsEntry } from "../object/object.ts";
import { capManagers } from "./cap-managers.ts";
import type { FieldSet } from "./field-set.ts";
import {
  ManagedFieldsError,
  managedFieldsProblem,
  managerId,
  readManagers,
  writeManagers,
} from "./managers.ts";
import { PathElementError } from "./path-element.ts";

const fields = (set: FieldSet): NonNullable<ManagedFieldsEntry["fieldsV1"]> => set as never;
const entry = (more: Partial<ManagedFieldsEntry> = {}): ManagedFieldsEntry => ({
  manager: "foo",
  operation: "Apply",
  apiVersion: "v1",
  fieldsType: "FieldsV1",
  fieldsV1: fields(setOf(".field")),
  ...more,
});
const without = (name: keyof ManagedFieldsEntry): ManagedFieldsEntry => {
  const { [name]: _, ...rest } = entry();
  return rest;
};

describe("managerId", () => {
  it.each([
    [
      { name: "foo", operation: "Update", apiVersion: "v1", subresource: "" },
      '{"manager":"foo","operation":"Update","apiVersion":"v1"}',
    ],
    [
      { name: "foo", operation: "Apply", apiVersion: "v1", subresource: "" },
      '{"manager":"foo","operation":"Apply"}',
    ],
    [
      { name: "foo", operation: "Apply", apiVersion: "v1", subresource: "scale" },
      '{"manager":"foo","operation":"Apply","subresource":"scale"}',
    ],
    [{ name: "", operation: "Apply", apiVersion: "v1", subresource: "" }, '{"operation":"Apply"}'],
    [
      { name: "<a>", operation: "Apply", apiVersion: "v1", subresource: "" },
      '{"manager":"\\u003ca\\u003e","operation":"Apply"}',
    ],
  ] as const)("of %j is %s", (manager, id) => {
    expect(managerId(manager)).toBe(id);
  });
});

describe("readManagers and writeManagers", () => {
  it.each([
    [
      "an operation that is none",
      entry({ operation: "Invalid" as never }),
      "operation must be `Apply` or `Update`",
    ],
    ["no operation", without("operation"), "operation must be `Apply` or `Update`"],
    ["no apiVersion", without("apiVersion"), "apiVersion must not be empty"],
    ["no fieldsType", without("fieldsType"), "missing fieldsType in managed fields entry 1"],
    [
      "another fieldsType",
      entry({ fieldsType: "FieldsV2" as never }),
      'invalid fieldsType "FieldsV2" in managed fields entry 1',
    ],
  ])("refuse %s", (_name, bad, message) => {
    expect(() => readManagers([entry(), bad])).toThrow(new ManagedFieldsError(message));
  });

  it("tell what is wrong with entries without failing", () => {
    expect(managedFieldsProblem([entry(), without("apiVersion")])).toBe("apiVersion must not be empty");
    expect(managedFieldsProblem([entry()])).toBeUndefined();
    expect(managedFieldsProblem(undefined)).toBeUndefined();
  });

  it("refuse fields that cannot be read", () => {
    expect(() => readManagers([entry({ fieldsV1: { bad: {} } })])).toThrow(PathElementError);
  });

  it.each([
    [
      "values and indexes",
      {
        "v:3": { "f:alsoPi": {} },
        "v:3.1415": { "f:pi": {} },
        "v:false": { "f:no": {} },
        "i:5": { "f:i": {} },
      },
    ],
    ["keyed items", { "f:spec": { "f:containers": { 'k:{"name":"c"}': { ".": {}, "f:image": {} } } } }],
    ["no fields", {}],
  ])("give back entries with %s themselves", (_name, fieldsV1) => {
    const entries = deepFreeze([
      entry({ fieldsV1 }),
      entry({ fieldsV1, operation: "Update", time: "2001-02-03T04:05:06Z", subresource: "scale" }),
    ]);
    const written = writeManagers(readManagers(entries as never));
    expect(written).toEqual(entries);
    expect(written?.every((e, i) => e === entries[i])).toBe(true);
  });

  it("write nothing for no managers, and take no fields for an empty set", () => {
    expect(writeManagers(readManagers(undefined))).toBeUndefined();
    const [manager] = readManagers([without("fieldsV1")]).values();
    expect(manager?.set).toEqual({});
  });

  it("bring times to whole seconds in UTC", () => {
    const managers = readManagers([entry({ time: "2020-01-01T02:00:00.5+02:00" })]);
    expect(writeManagers(managers)?.[0]?.time).toBe("2020-01-01T00:00:00Z");
  });

  it("keep the last of two entries of one manager", () => {
    const managers = readManagers([entry(), entry({ fieldsV1: fields(setOf(".other")), apiVersion: "v2" })]);
    expect(writeManagers(managers)).toEqual([entry({ fieldsV1: fields(setOf(".other")), apiVersion: "v2" })]);
  });

  const at = (hour: number): string => `2001-01-01T0${hour}:00:00Z`;
  it.each([
    ["applies first", ["U a 1", "A a -"], ["A a -", "U a 1"]],
    ["those without a time first", ["A a 1", "A b -"], ["A b -", "A a 1"]],
    ["the newest last", ["A a 3", "A b 1", "A c 2"], ["A b 1", "A c 2", "A a 3"]],
    ["by name when times are equal", ["U c 1", "U a 1", "U b 1"], ["U a 1", "U b 1", "U c 1"]],
  ])("sort %s", (_name, given, expected) => {
    const entries = given.map((line) => {
      const [operation, manager = "", time = "-"] = line.split(" ");
      return entry({
        manager,
        operation: operation === "A" ? "Apply" : "Update",
        ...(time === "-" ? {} : { time: at(Number(time)) }),
      });
    });
    const written = writeManagers(readManagers(entries)) ?? [];
    expect(written.map((e) => `${e.operation?.[0]} ${e.manager} ${e.time?.[12] ?? "-"}`)).toEqual(expected);
  });

  it("sort by version and subresource last", () => {
    const entries = [
      entry({ operation: "Update", apiVersion: "v2" }),
      entry({ operation: "Update", apiVersion: "v1", subresource: "status" }),
      entry({ operation: "Update", apiVersion: "v1" }),
    ];
    const written = writeManagers(readManagers(entries)) ?? [];
    expect(written.map((e) => [e.apiVersion, e.subresource])).toEqual([
      ["v1", undefined],
      ["v1", "status"],
      ["v2", undefined],
    ]);
  });
});

describe("capManagers", () => {
  /** `name version hour fields`; ten managers that need no cap are added, so that one too many is one too many. */
  const many = (lines: string[], room: number): ManagedFieldsEntry[] => [
    ...lines.map((line) => {
      const [manager = "", apiVersion = "", hour = "", names = ""] = line.split(" ");
      const time = `2001-01-01T0${hour}:00:00Z`;
      return entry({
        manager,
        apiVersion,
        operation: "Update",
        time,
        fieldsV1: fields(setOf(...[...names].map((n) => `.${n}`))),
      });
    }),
    ...Array.from({ length: 10 - room }, (_, i) =>
      entry({ manager: `new${i}`, operation: "Update", time: "2002-01-01T00:00:00Z", apiVersion: `w${i}` }),
    ),
  ];
  const capped = (entries: ManagedFieldsEntry[]): string[] =>
    (writeManagers(capManagers(readManagers(entries))) ?? [])
      .filter((e) => !e.manager?.startsWith("new"))
      .map(
        (e) =>
          `${e.manager} ${e.apiVersion} ${e.time?.[12]} ${Object.keys(e.fieldsV1 ?? {})
            .map((n) => n.slice(2))
            .join("")}`,
      );

  it.each([
    [
      "nothing when there are few",
      ["m1 v1 1 a", "m2 v1 2 b", "m3 v1 3 c"],
      ["m1 v1 1 a", "m2 v1 2 b", "m3 v1 3 c"],
    ],
    [
      "the two oldest",
      ["m1 v1 1 a", "m2 v1 2 b", "m3 v1 3 c", "m4 v1 4 d"],
      ["ancient-changes v1 2 ab", "m3 v1 3 c", "m4 v1 4 d"],
    ],
    [
      "into the bucket that there is",
      ["ancient-changes v1 2 ab", "m3 v1 3 c", "m4 v1 4 d", "m5 v1 5 e"],
      ["ancient-changes v1 3 abc", "m4 v1 4 d", "m5 v1 5 e"],
    ],
    [
      "each version on its own",
      ["m1 v1 1 a", "m2 v2 2 b", "m3 v1 3 c", "m4 v1 4 d", "m5 v1 5 e"],
      ["m2 v2 2 b", "ancient-changes v1 4 acd", "m5 v1 5 e"],
    ],
    [
      "into the buckets of several versions",
      ["m2 v2 2 b", "ancient-changes v1 4 acd", "m5 v1 5 e", "m6 v3 6 f", "m7 v2 7 g"],
      ["ancient-changes v1 5 acde", "m6 v3 6 f", "ancient-changes v2 7 bg"],
    ],
    [
      "nothing that has no partner",
      ["ancient-changes v1 5 acde", "m6 v3 6 f", "ancient-changes v2 7 bg", "m8 v4 8 h"],
      ["ancient-changes v1 5 acde", "m6 v3 6 f", "ancient-changes v2 7 bg", "m8 v4 8 h"],
    ],
  ])("merges %s", (_name, given, expected) => {
    expect(capped(many(given, 3))).toEqual(expected);
  });

  it("leaves applies alone", () => {
    const applies = Array.from({ length: 15 }, (_, i) => entry({ manager: `m${i}` }));
    const managers = readManagers(applies);
    expect(capManagers(managers)).toBe(managers);
  });
});
