import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  atomic,
  flag,
  keyedListOf,
  listOf,
  mapOf,
  number,
  setListOf,
  setOf,
  structOf,
  text,
  typeOf,
} from "../../test/apply-notation.ts";
import { ApplySession, type Fields } from "../../test/apply-session.ts";
import { compareTyped } from "./compare-typed.ts";
import { extractOwned } from "./extract-owned.ts";
import { type FieldSet, pathText, pathsOfSet } from "./field-set.ts";
import { type MergeType, compileMergeType, deducedType } from "./merge-type.ts";
import { mergeTyped } from "./merge-typed.ts";

/**
 * A line of `test/apply-scenarios.jsonl`: writes one after another, then what the object is and who owns what. The facts are
 * those of structured-merge-diff's merge tests.
 */
interface Scenario {
  readonly type: keyof typeof types;
  /** Verb, manager, version, fields, and for applies that must fail their conflicts. */
  readonly ops: readonly (readonly [
    "apply" | "force" | "extract" | "update",
    manager: string,
    version: string,
    fields: Fields,
    conflicts?: readonly string[],
  ])[];
  readonly object?: Fields | null;
  readonly managed?: Readonly<Record<string, readonly [version: string, paths: readonly string[]]>>;
  /** Fields that nobody gets to own, per version. */
  readonly ignore?: Readonly<Record<string, readonly string[]>>;
}

const pair = structOf({ name: text, value: number });
const types = {
  anything: deducedType,
  leaves: typeOf({ numeric: number, string: text, bool: flag }),
  set: typeOf({ list: setListOf(text) }),
  keyedList: typeOf({ list: keyedListOf(["name"], { name: text, value: number }) }),
  doubled: typeOf({
    list: keyedListOf(["name"], { name: text, value1: number, value2: number }),
    unrelated: number,
    set: setListOf(number),
  }),
  ports: typeOf({
    containerPorts: keyedListOf(["port", "protocol"], {
      port: number,
      protocol: { ...text, default: "TCP" },
      name: text,
    }),
  }),
  book: typeOf({
    book: keyedListOf(["chapter", "section"], {
      chapter: { ...number, default: 1 },
      section: { ...text, default: "A" },
      sentences: keyedListOf(["page", "line"], {
        page: { ...number, default: 2 },
        line: { ...number, default: 3 },
        text,
      }),
    }),
  }),
  atomicMap: typeOf({ atomicMap: atomic(structOf({ field1: text, field2: text })) }),
  override: compileMergeType(
    {
      type: "object",
      properties: {
        separableMapReference: { $ref: "#/definitions/Atomic", "x-kubernetes-map-type": "granular" },
        atomicMapReference: { $ref: "#/definitions/Plain", "x-kubernetes-map-type": "atomic" },
      },
    },
    { definitions: { Atomic: atomic(pair), Plain: pair } },
  ),
  otherFields: compileMergeType({ type: "object", properties: { num: number }, additionalProperties: text }),
  extract: typeOf({
    list: setListOf(text),
    atomicList: listOf(text),
    map: mapOf(text),
    atomicMap: atomic(mapOf(text)),
  }),
  nested: compileMergeType(
    {
      type: "object",
      properties: {
        listOfLists: keyedListOf(["name"], { name: text, value: setListOf(text) }),
        listOfMaps: keyedListOf(["name"], { name: text, value: mapOf(text) }),
        mapOfLists: mapOf(setListOf(text)),
        mapOfMaps: mapOf(mapOf(text)),
        mapOfMapsRecursive: { $ref: "#/definitions/Recursive" },
        struct: pair,
      },
    },
    { definitions: { Recursive: mapOf({ $ref: "#/definitions/Recursive" }) } },
  ),
} satisfies Record<string, MergeType>;

const scenarios: readonly Scenario[] = readFileSync(
  new URL("../../test/apply-scenarios.jsonl", import.meta.url),
  "utf8",
)
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Scenario);

function title({ type, ops }: Scenario): string {
  const steps = ops.map(
    ([verb, manager, , , conflicts]) => `${verb} ${manager}${conflicts ? " in conflict" : ""}`,
  );
  return `${type}: ${steps.join(", ")}`;
}

function run({ type, ops, ignore = {} }: Scenario): ApplySession {
  const resetFields: Record<string, FieldSet> = {};
  for (const [version, paths] of Object.entries(ignore)) resetFields[version] = setOf(...paths);
  const session = new ApplySession(types[type], { resetFields });
  for (const [verb, manager, version, fields, conflicts] of ops) {
    if (verb === "update") session.update(manager, fields, version);
    else if (conflicts !== undefined) expect(session.conflicts(manager, fields, version)).toEqual(conflicts);
    else
      session.apply(manager, verb === "extract" ? extracted(session, type, manager, fields) : fields, {
        version,
        force: verb !== "apply",
      });
  }
  return session;
}

/** What the manager applied before, with more fields: how an operator changes its own configuration. */
function extracted(session: ApplySession, type: Scenario["type"], manager: string, fields: Fields): Fields {
  const before =
    session.live === undefined ? undefined : extractOwned(types[type], session.live, { manager });
  const { apiVersion: _a, kind: _k, metadata: _m, ...owned } = before ?? {};
  return mergeTyped(types[type], owned, fields) as Fields;
}

const texts = (set: FieldSet): string[] => pathsOfSet(set).map(pathText);

describe("writes of several managers", () => {
  it.each(scenarios.map((scenario) => [title(scenario), scenario] as const))("%s", (_title, scenario) => {
    const session = run(scenario);
    if (scenario.object !== undefined) {
      const { added, modified, removed } = compareTyped(
        types[scenario.type],
        session.fields,
        scenario.object ?? {},
      );
      expect({ added: texts(added), modified: texts(modified), removed: texts(removed) }).toEqual({
        added: [],
        modified: [],
        removed: [],
      });
    }
    if (scenario.managed !== undefined) {
      const expected = Object.entries(scenario.managed).map(([name, [version, paths]]) => [
        name,
        [version, texts(setOf(...paths))],
      ]);
      expect(session.owned).toEqual(Object.fromEntries(expected));
    }
  });
});
