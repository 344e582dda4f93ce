/** The functions and operators of the language itself. Source: cel-go common/stdlib/standard.go. */
import { add, compare, divide, modulo, multiply, negate, subtract } from "../arithmetic.ts";
import { toBool, toBytes, toDouble, toDuration, toInt, toText, toTimestamp, toUint } from "../convert.ts";
import { crossTypeOverloads } from "../cross-type-overloads.ts";
import type { CelLibrary } from "../environment.ts";
import { equals } from "../equality.ts";
import {
  type FunctionBody,
  type FunctionDeclaration,
  declare,
  memberOverload,
  overload,
} from "../function.ts";
import { standardMacros } from "../macros.ts";
import { matchesPattern } from "../pattern.ts";
import { calendar, type CalendarFields } from "../time.ts";
import { zoneOffsetMinutes } from "../time-zone.ts";
import { type CelType, celTypes, listType, mapType, typeOfType, typeParam } from "../type.ts";
import { codePointLength } from "../text.ts";
import {
  type CelDuration,
  CelError,
  CelListBase,
  CelMap,
  type CelTimestamp,
  type CelValue,
  isList,
  listItems,
  listSize,
  noSuchOverload,
  typeOfValue,
} from "../value.ts";

const { bool, bytes, double, duration, dyn, int, string, timestamp, uint } = celTypes;
const A = typeParam("A");
const B = typeParam("B");
const listOfA = listType(A);
const mapOfAB = mapType(A, B);

/** Short names of types as they appear in the ids of overloads. */
const shortTypes: Readonly<Record<string, CelType>> = {
  bool,
  bytes,
  double,
  duration,
  int64: int,
  string,
  timestamp,
  uint64: uint,
};

function binary(
  name: string,
  apply: FunctionBody,
  ...signatures: [id: string, a: CelType, b: CelType, result: CelType][]
): FunctionDeclaration {
  return { name, apply, overloads: signatures.map(([id, a, b, result]) => overload(id, [a, b], result)) };
}

const logic: FunctionDeclaration[] = [
  { name: "_?_:_", overloads: [overload("conditional", [bool, A, A], A)] },
  { name: "_&&_", overloads: [overload("logical_and", [bool, bool], bool)] },
  { name: "_||_", overloads: [overload("logical_or", [bool, bool], bool)] },
  {
    name: "!_",
    overloads: [overload("logical_not", [bool], bool)],
    apply: (value) => {
      if (typeof value !== "boolean") throw noSuchOverload();
      return !value;
    },
  },
  { name: "@not_strictly_false", overloads: [overload("not_strictly_false", [bool], bool)] },
  { name: "_==_", overloads: [overload("equals", [A, A], bool)] },
  { name: "_!=_", overloads: [overload("not_equals", [A, A], bool)] },
];

const operators: FunctionDeclaration[] = [
  binary(
    "_+_",
    add as FunctionBody,
    ["add_bytes", bytes, bytes, bytes],
    ["add_double", double, double, double],
    ["add_duration_duration", duration, duration, duration],
    ["add_duration_timestamp", duration, timestamp, timestamp],
    ["add_timestamp_duration", timestamp, duration, timestamp],
    ["add_int64", int, int, int],
    ["add_list", listOfA, listOfA, listOfA],
    ["add_string", string, string, string],
    ["add_uint64", uint, uint, uint],
  ),
  binary(
    "_/_",
    divide as FunctionBody,
    ["divide_double", double, double, double],
    ["divide_int64", int, int, int],
    ["divide_uint64", uint, uint, uint],
  ),
  binary("_%_", modulo as FunctionBody, ["modulo_int64", int, int, int], ["modulo_uint64", uint, uint, uint]),
  binary(
    "_*_",
    multiply as FunctionBody,
    ["multiply_double", double, double, double],
    ["multiply_int64", int, int, int],
    ["multiply_uint64", uint, uint, uint],
  ),
  {
    name: "-_",
    overloads: [overload("negate_double", [double], double), overload("negate_int64", [int], int)],
    apply: negate as FunctionBody,
  },
  binary(
    "_-_",
    subtract as FunctionBody,
    ["subtract_double", double, double, double],
    ["subtract_duration_duration", duration, duration, duration],
    ["subtract_int64", int, int, int],
    ["subtract_timestamp_duration", timestamp, duration, timestamp],
    ["subtract_timestamp_timestamp", timestamp, timestamp, duration],
    ["subtract_uint64", uint, uint, uint],
  ),
  relation("_<_", "less", (order) => order < 0),
  relation("_<=_", "less_equals", (order) => order <= 0),
  relation("_>_", "greater", (order) => order > 0),
  relation("_>=_", "greater_equals", (order) => order >= 0),
];

function relation(name: string, id: string, holds: (order: number) => boolean): FunctionDeclaration {
  const sameTypes = ["bool", "int64", "uint64", "double", "string", "bytes", "timestamp", "duration"];
  const mixed = [...crossTypeOverloads]
    .filter((known) => known.startsWith(`${id}_`))
    .map((k) => k.slice(id.length + 1));
  const ids = [...sameTypes, ...mixed.filter((pair) => !pair.startsWith("equals_"))];
  return {
    name,
    apply: (a: CelValue, b: CelValue) => holds(compare(a, b, name)),
    overloads: ids.map((types) => {
      const [left = "", right = left] = types.split("_");
      return overload(`${id}_${types}`, [shortTypes[left] as CelType, shortTypes[right] as CelType], bool);
    }),
  };
}

/** Whether a list has an element or a map a key. */
export function contains(value: CelValue, container: CelValue): boolean {
  if (container instanceof CelListBase) return container.contains(value);
  if (isList(container)) return listItems(container).some((item) => looselyEqual(value, item));
  if (container instanceof CelMap) return container.get(value) !== undefined;
  throw noSuchOverload();
}

function looselyEqual(a: CelValue, b: CelValue): boolean {
  try {
    return equals(a, b);
  } catch (error) {
    if (error instanceof CelError) return false;
    throw error;
  }
}

/** `size(x)` in code points, bytes, elements or entries. */
export function sizeOf(value: CelValue): number {
  if (typeof value === "string") return codePointLength(value);
  if (value instanceof Uint8Array) return value.length;
  if (isList(value)) return listSize(value);
  if (value instanceof CelMap) return value.size;
  throw new CelError("no such overload: size");
}

const collections: FunctionDeclaration[] = [
  {
    name: "_[_]",
    overloads: [overload("index_list", [listOfA, int], A), overload("index_map", [mapOfAB, A], B)],
  },
  {
    name: "@in",
    overloads: [overload("in_list", [A, listOfA], bool), overload("in_map", [A, mapOfAB], bool)],
    apply: contains as FunctionBody,
  },
  {
    name: "size",
    apply: sizeOf as FunctionBody,
    overloads: [
      overload("size_bytes", [bytes], int),
      memberOverload("bytes_size", [bytes], int),
      overload("size_list", [listOfA], int),
      memberOverload("list_size", [listOfA], int),
      overload("size_map", [mapOfAB], int),
      memberOverload("map_size", [mapOfAB], int),
      overload("size_string", [string], int),
      memberOverload("string_size", [string], int),
    ],
  },
];

function conversion(
  name: string,
  to: CelType,
  body: (value: CelValue) => CelValue,
  ...from: string[]
): FunctionDeclaration {
  const apply = body as FunctionBody;
  return {
    name,
    overloads: from.map((id) =>
      overload(id, [shortTypes[id.slice(0, id.indexOf("_to_"))] as CelType], to, apply),
    ),
  };
}

const identity: FunctionBody = (value) => value as CelValue;

const conversions: FunctionDeclaration[] = [
  {
    name: "type",
    overloads: [overload("type", [A], typeOfType(A))],
    apply: (value) => typeOfValue(value as CelValue),
  },
  conversion("bool", bool, toBool, "bool_to_bool", "string_to_bool"),
  conversion("bytes", bytes, toBytes, "bytes_to_bytes", "string_to_bytes"),
  conversion(
    "double",
    double,
    toDouble,
    "double_to_double",
    "int64_to_double",
    "string_to_double",
    "uint64_to_double",
  ),
  conversion("duration", duration, toDuration, "duration_to_duration", "string_to_duration"),
  { name: "dyn", overloads: [overload("to_dyn", [A], dyn)], apply: identity },
  conversion(
    "int",
    int,
    toInt,
    "int64_to_int64",
    "double_to_int64",
    "duration_to_int64",
    "string_to_int64",
    "timestamp_to_int64",
    "uint64_to_int64",
  ),
  conversion(
    "string",
    string,
    toText,
    "string_to_string",
    "bool_to_string",
    "bytes_to_string",
    "double_to_string",
    "duration_to_string",
    "int64_to_string",
    "timestamp_to_string",
    "uint64_to_string",
  ),
  conversion(
    "timestamp",
    timestamp,
    toTimestamp,
    "timestamp_to_timestamp",
    "int64_to_timestamp",
    "string_to_timestamp",
  ),
  conversion(
    "uint",
    uint,
    toUint,
    "uint64_to_uint64",
    "double_to_uint64",
    "int64_to_uint64",
    "string_to_uint64",
  ),
];

function stringTest(
  name: string,
  id: string,
  test: (text: string, part: string) => boolean,
): FunctionDeclaration {
  const apply: FunctionBody = (text, part) => {
    if (typeof text !== "string" || typeof part !== "string") throw noSuchOverload();
    return test(text, part);
  };
  return declare(name, memberOverload(id, [string, string], bool, apply));
}

const strings: FunctionDeclaration[] = [
  stringTest("contains", "contains_string", (text, part) => text.includes(part)),
  stringTest("endsWith", "ends_with_string", (text, part) => text.endsWith(part)),
  stringTest("startsWith", "starts_with_string", (text, part) => text.startsWith(part)),
  {
    name: "matches",
    overloads: [
      overload("matches", [string, string], bool),
      memberOverload("matches_string", [string, string], bool),
    ],
    apply: (text, pattern) => {
      if (typeof text !== "string") throw new CelError("no such overload: matches");
      if (typeof pattern !== "string") throw noSuchOverload();
      return matchesPattern(pattern, text);
    },
  },
];

function field(
  name: string,
  id: string,
  get: (fields: CalendarFields, timestamp: CelTimestamp) => number,
  zonedId = `${id}_with_tz`,
): FunctionDeclaration {
  return declare(
    name,
    memberOverload(id, [timestamp], int, (at) => get(calendar(at as CelTimestamp, 0), at as CelTimestamp)),
    memberOverload(zonedId, [timestamp, string], int, (at, zone) => {
      const instant = at as CelTimestamp;
      return get(calendar(instant, zoneOffsetMinutes(zone as string, instant)), instant);
    }),
  );
}

function spanUnit(name: string, id: string, nanos: bigint): FunctionDeclaration {
  return declare(
    name,
    memberOverload(id, [duration], int, (span) => Number((span as CelDuration).nanos / nanos)),
  );
}

const times: FunctionDeclaration[] = [
  field("getFullYear", "timestamp_to_year", (at) => at.year),
  field("getMonth", "timestamp_to_month", (at) => at.month - 1),
  field("getDayOfYear", "timestamp_to_day_of_year", (at) => at.dayOfYear),
  field("getDayOfMonth", "timestamp_to_day_of_month", (at) => at.day - 1),
  field("getDate", "timestamp_to_day_of_month_1_based", (at) => at.day),
  field("getDayOfWeek", "timestamp_to_day_of_week", (at) => at.weekday),
  field("getHours", "timestamp_to_hours", (at) => at.hour),
  field("getMinutes", "timestamp_to_minutes", (at) => at.minute),
  field("getSeconds", "timestamp_to_seconds", (at) => at.second, "timestamp_to_seconds_tz"),
  field("getMilliseconds", "timestamp_to_milliseconds", (_, at) => Math.floor(at.nanos / 1_000_000)),
  spanUnit("getHours", "duration_to_hours", 3_600_000_000_000n),
  spanUnit("getMinutes", "duration_to_minutes", 60_000_000_000n),
  spanUnit("getSeconds", "duration_to_seconds", 1_000_000_000n),
  spanUnit("getMilliseconds", "duration_to_milliseconds", 1_000_000n),
];

export const standardLibrary: CelLibrary = {
  functions: [...logic, ...operators, ...collections, ...conversions, ...strings, ...times],
  macros: standardMacros,
  types: [
    bool,
    bytes,
    double,
    celTypes.duration,
    int,
    listType(dyn),
    mapType(dyn, dyn),
    celTypes.null,
    string,
    celTypes.timestamp,
    celTypes.type,
    uint,
  ],
};
