/** `sum`, `min`, `isSorted` and others. Source: Kubernetes' apiserver pkg/cel/library/lists.go, version 0. */
import { add, compare } from "../arithmetic.ts";
import type { CelLibrary } from "../environment.ts";
import { equals } from "../equality.ts";
import { declare, type FunctionBody, memberOverload, type Overload } from "../function.ts";
import { type CelType, celTypes, listType, typeParam } from "../type.ts";
import {
  CelDouble,
  CelDuration,
  CelError,
  type CelList,
  CelUint,
  type CelValue,
  listItems,
} from "../value.ts";

const { bool, bytes, double, duration, int, string, timestamp, uint } = celTypes;
const A = typeParam("A");

const comparable: readonly (readonly [name: string, type: CelType])[] = [
  ["int", int],
  ["uint", uint],
  ["double", double],
  ["bool", bool],
  ["duration", duration],
  ["timestamp", timestamp],
  ["string", string],
  ["bytes", bytes],
];

const zeros: readonly (readonly [name: string, type: CelType, zero: CelValue])[] = [
  ["int", int, 0],
  ["uint", uint, new CelUint(0n)],
  ["double", double, new CelDouble(0)],
  ["duration", duration, new CelDuration(0n)],
];

const items = (list: CelValue | undefined): readonly CelValue[] => listItems(list as CelList);

const isSorted: FunctionBody = (list) => {
  const values = items(list);
  return values.every((value, i) => i === 0 || compare(values[i - 1] as CelValue, value, "_<_") <= 0);
};

/** The first element before (or after) which no other comes. */
function extreme(name: string, sign: 1 | -1): FunctionBody {
  return (list) => {
    const [first, ...rest] = items(list);
    if (first === undefined) throw new CelError(`${name} called on empty list`);
    return rest.reduce((best, value) => (compare(best, value, "_<_") === sign ? value : best), first);
  };
}

function isSame(a: CelValue, b: CelValue): boolean {
  try {
    return equals(a, b);
  } catch (error) {
    if (error instanceof CelError) return false;
    throw error;
  }
}

function perType(
  id: (name: string) => string,
  result: (type: CelType) => CelType,
  body: FunctionBody,
): Overload[] {
  return comparable.map(([name, type]) => memberOverload(id(name), [listType(type)], result(type), body));
}

export const kubernetesListsLibrary: CelLibrary = {
  functions: [
    declare(
      "isSorted",
      ...perType(
        (name) => `list_${name}_is_sorted_bool`,
        () => bool,
        isSorted,
      ),
    ),
    declare(
      "sum",
      ...zeros.map(([name, type, zero]) =>
        memberOverload(`list_${name}_sum_${name}`, [listType(type)], type, (list) =>
          items(list).reduce(add, zero),
        ),
      ),
    ),
    declare(
      "max",
      ...perType(
        (name) => `list_${name}_max_${name}`,
        (type) => type,
        extreme("max", -1),
      ),
    ),
    declare(
      "min",
      ...perType(
        (name) => `list_${name}_min_${name}`,
        (type) => type,
        extreme("min", 1),
      ),
    ),
    declare(
      "indexOf",
      memberOverload("list_a_index_of_int", [listType(A), A], int, (list, wanted) =>
        items(list).findIndex((item) => isSame(item, wanted as CelValue)),
      ),
    ),
    declare(
      "lastIndexOf",
      memberOverload("list_a_last_index_of_int", [listType(A), A], int, (list, wanted) =>
        items(list).findLastIndex((item) => isSame(item, wanted as CelValue)),
      ),
    ),
  ],
};
