/** Optional values. Source: cel-go cel/library.go (OptionalTypes). */
import type { CelLibrary } from "../environment.ts";
import { declare, memberOverload, overload } from "../function.ts";
import { optionalMacros } from "../macros.ts";
import { celTypes, listType, mapType, optionalType, typeParam } from "../type.ts";
import {
  CelDouble,
  CelDuration,
  CelError,
  type CelList,
  CelMap,
  CelObject,
  CelOptional,
  CelTimestamp,
  CelUint,
  type CelValue,
  isList,
  listAt,
  listItems,
  listSize,
} from "../value.ts";

const { bool, dyn, int, string } = celTypes;
const K = typeParam("K");
const V = typeParam("V");
const listOfV = listType(V);
const mapOfKV = mapType(K, V);
const optionalV = optionalType(V);

function isZero(value: CelValue): boolean {
  if (value === null || value === false || value === 0 || value === "") return true;
  if (typeof value !== "object") return false;
  if (value instanceof CelUint) return value.value === 0n;
  if (value instanceof CelDouble) return value.value === 0;
  if (value instanceof CelDuration) return value.nanos === 0n;
  if (value instanceof CelTimestamp) return value.seconds === -62135596800 && value.nanos === 0;
  if (value instanceof Uint8Array) return value.length === 0;
  if (isList(value)) return listSize(value) === 0;
  if (value instanceof CelMap) return value.size === 0;
  if (value instanceof CelOptional) return value.value === undefined || isZero(value.value);
  return value instanceof CelObject && value.isZero;
}

function valueOf(optional: CelValue): CelValue {
  const { value } = optional as CelOptional;
  if (value === undefined) throw new CelError("optional.none() dereference");
  return value;
}

function unwrap(list: CelValue): CelValue {
  const values: CelValue[] = [];
  for (const item of listItems(list as CelList)) {
    if (!(item instanceof CelOptional)) throw new CelError("value is not optional");
    if (item.value !== undefined) values.push(item.value);
  }
  return values;
}

function elementAt(list: CelValue, index: (size: number) => number): CelOptional {
  const size = listSize(list as CelList);
  return size === 0 ? CelOptional.none : new CelOptional(listAt(list as CelList, index(size)));
}

export const optionalLibrary: CelLibrary = {
  macros: optionalMacros,
  types: [celTypes.optional],
  functions: [
    declare(
      "optional.of",
      overload("optional_of", [V], optionalV, (value) => new CelOptional(value)),
    ),
    declare(
      "optional.ofNonZeroValue",
      overload("optional_ofNonZeroValue", [V], optionalV, (value) =>
        isZero(value as CelValue) ? CelOptional.none : new CelOptional(value),
      ),
    ),
    declare(
      "optional.none",
      overload("optional_none", [], optionalV, () => CelOptional.none),
    ),
    declare(
      "value",
      memberOverload("optional_value", [optionalV], V, (value) => valueOf(value as CelValue)),
    ),
    declare(
      "hasValue",
      memberOverload(
        "optional_hasValue",
        [optionalV],
        bool,
        (value) => (value as CelOptional).value !== undefined,
      ),
    ),
    declare("or", memberOverload("optional_or_optional", [optionalV, optionalV], optionalV)),
    declare("orValue", memberOverload("optional_orValue_value", [optionalV, V], V)),
    declare("_?._", overload("select_optional_field", [dyn, string], optionalV)),
    declare(
      "_[?_]",
      overload("list_optindex_optional_int", [listOfV, int], optionalV),
      overload("optional_list_optindex_optional_int", [optionalType(listOfV), int], optionalV),
      overload("map_optindex_optional_value", [mapOfKV, K], optionalV),
      overload("optional_map_optindex_optional_value", [optionalType(mapOfKV), K], optionalV),
    ),
    declare(
      "_[_]",
      overload("optional_list_index_int", [optionalType(listOfV), int], optionalV),
      overload("optional_map_index_value", [optionalType(mapOfKV), K], optionalV),
    ),
    declare(
      "last",
      memberOverload("list_last", [listOfV], optionalV, (list) => elementAt(list as CelValue, (n) => n - 1)),
    ),
    declare(
      "first",
      memberOverload("list_first", [listOfV], optionalV, (list) => elementAt(list as CelValue, () => 0)),
    ),
    declare(
      "optional.unwrap",
      overload("optional_unwrap", [listType(optionalV)], listOfV, (l) => unwrap(l as CelValue)),
    ),
    declare(
      "unwrapOpt",
      memberOverload("optional_unwrapOpt", [listType(optionalV)], listOfV, (l) => unwrap(l as CelValue)),
    ),
  ],
};
