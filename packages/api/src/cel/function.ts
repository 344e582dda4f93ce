/** Declarations of functions: what the checker knows of them, and their bodies. Source: cel-go common/decls. */
import { type CelType, celTypes, isDyn } from "./type.ts";
import { CelMap, CelOptional, type CelValue, isList, listAt, listSize, typeOfValue } from "./value.ts";

/** Computes a function's value; throws a `CelError` when there is none. */
export type FunctionBody = (...args: CelValue[]) => CelValue;

export interface Overload {
  /** Unique among all functions, for example `string_to_int64`; costs refer to it. */
  readonly id: string;
  /** True when it is called as `target.f(...)`; `args` then begins with the target. */
  readonly member: boolean;
  readonly args: readonly CelType[];
  readonly result: CelType;
  /** Absent when the function has one body for all its overloads. */
  readonly apply?: FunctionBody;
}

export interface FunctionDeclaration {
  readonly name: string;
  readonly overloads: readonly Overload[];
  /** One body for all overloads, which checks the types of its arguments itself. */
  readonly apply?: FunctionBody;
}

/** Declares an overload called as `f(args)`. */
export function overload(
  id: string,
  args: readonly CelType[],
  result: CelType,
  apply?: FunctionBody,
): Overload {
  return { id, member: false, args, result, ...(apply === undefined ? {} : { apply }) };
}

/** Declares an overload called as `args[0].f(...)`. */
export function memberOverload(
  id: string,
  args: readonly CelType[],
  result: CelType,
  apply?: FunctionBody,
): Overload {
  return { id, member: true, args, result, ...(apply === undefined ? {} : { apply }) };
}

/** Declares a function whose overloads have their own bodies. */
export function declare(name: string, ...overloads: Overload[]): FunctionDeclaration {
  return { name, overloads };
}

/** Whether a value can be passed where a type is declared: the outer type, and the first element of collections. */
export function fitsType(type: CelType, value: CelValue): boolean {
  switch (type.kind) {
    case "dyn":
    case "any":
    case "typeParam":
      return true;
    case "list":
      return isList(value) && (listSize(value) === 0 || fitsParameter(type, 0, listAt(value, 0)));
    case "map":
      return value instanceof CelMap && fitsMap(type, value);
    case "opaque":
      if (type.name === "optional_type") return value instanceof CelOptional;
      return typeOfValue(value).name === type.name;
    default:
      return typeOfValue(value).name === type.name || (type.nullable && value === null);
  }
}

function fitsMap(type: CelType, map: CelMap): boolean {
  const [key] = map.keys();
  if (key === undefined) return true;
  const value = map.get(key);
  return fitsParameter(type, 0, key) && (value === undefined || fitsParameter(type, 1, value));
}

function fitsParameter(type: CelType, index: number, value: CelValue): boolean {
  const parameter = type.parameters[index] ?? celTypes.dyn;
  return isDyn(parameter) || fitsType(parameter, value);
}

/** Names of the type parameters in an overload's signature. */
export function typeParameters(declared: Overload): Set<string> {
  const names = new Set<string>();
  const collect = (type: CelType): void => {
    if (type.kind === "typeParam") names.add(type.name);
    type.parameters.forEach(collect);
  };
  declared.args.forEach(collect);
  collect(declared.result);
  return names;
}
