/** Fields, keys and indices of values. Source: cel-go interpreter/attributes.go (refQualify). */
import {
  CelDouble,
  CelError,
  CelListBase,
  CelMap,
  CelObject,
  CelOptional,
  CelUint,
  type CelValue,
  isList,
  listAt,
  listSize,
  typeOfValue,
} from "./value.ts";
import { valueText } from "./value-text.ts";

/** `value.field` or `value[key]`. Throws a `CelError` when there is none. */
export function qualify(value: CelValue, key: CelValue): CelValue {
  if (value instanceof CelOptional) return qualifyOptional(value, key);
  const found = find(value, key);
  if (found !== undefined) return found;
  const isIndex = isList(value) && !(value instanceof CelMap);
  throw new CelError(`${isIndex ? "index out of bounds" : "no such key"}: ${valueText(key)}`);
}

/** `value.?field` or `value[?key]`. */
export function qualifyOptional(value: CelValue, key: CelValue): CelOptional {
  const target = value instanceof CelOptional ? value.value : value;
  if (target === undefined) return CelOptional.none;
  const found = find(target, key);
  return found === undefined ? CelOptional.none : new CelOptional(found);
}

/** `has(value.field)`. */
export function isPresent(value: CelValue, field: string): boolean {
  const target = value instanceof CelOptional ? value.value : value;
  return target !== undefined && find(target, field) !== undefined;
}

function find(value: CelValue, key: CelValue): CelValue | undefined {
  if (value instanceof CelMap) return value.get(key);
  if (Array.isArray(value) || value instanceof CelListBase) {
    const list = value as readonly CelValue[] | CelListBase;
    const index = listIndex(key);
    return index >= 0 && index < listSize(list) ? listAt(list, index) : undefined;
  }
  return value instanceof CelObject && typeof key === "string" ? value.field(key) : undefined;
}

function listIndex(key: CelValue): number {
  if (typeof key === "number") return key;
  if (typeof key === "bigint") return -1;
  if (key instanceof CelUint) return Number(key.value);
  if (key instanceof CelDouble) {
    if (Number.isInteger(key.value)) return key.value;
    throw new CelError(`unsupported index value ${valueText(key)} in list`);
  }
  throw new CelError(`unsupported index type '${typeOfValue(key).name}' in list`);
}
