/** Macros with two variables, and the function that the maps among them are built with. Source: cel-go ext/comprehensions.go. */
import type { CelLibrary } from "../environment.ts";
import { declare, overload } from "../function.ts";
import { twoVariableMacros } from "../macros.ts";
import { NativeMap } from "../native-map.ts";
import { mapType, typeParam } from "../type.ts";
import type { CelMap, CelValue } from "../value.ts";

const K = typeParam("K");
const V = typeParam("V");
const mapOfKV = mapType(K, V);

function entriesOf(map: CelValue | undefined): [CelValue, CelValue][] {
  const entries = map as CelMap;
  return entries.keys().map((key) => [key, entries.get(key) ?? null]);
}

function inserted(map: CelValue | undefined, added: readonly (readonly [CelValue, CelValue])[]): NativeMap {
  const result = new NativeMap(entriesOf(map));
  for (const [key, value] of added) result.insert(key, value);
  return result;
}

export const comprehensionsLibrary: CelLibrary = {
  macros: twoVariableMacros,
  functions: [
    declare(
      "cel.@mapInsert",
      overload("@mapInsert_map_key_value", [mapOfKV, K, V], mapOfKV, (map, key, value) =>
        inserted(map, [[key as CelValue, value as CelValue]]),
      ),
      overload("@mapInsert_map_map", [mapOfKV, mapOfKV], mapOfKV, (map, other) =>
        inserted(map, entriesOf(other)),
      ),
    ),
  ],
};
