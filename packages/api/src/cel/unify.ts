/**
 * Which types can stand for which, binding type parameters on the way. Source: cel-go checker/types.go, mapping.go.
 */
import {
  type CelType,
  celTypes,
  isDyn,
  isDynOrError,
  listType,
  mapType,
  opaqueType,
  sameType,
  typeOfType,
} from "./type.ts";

/** What type parameters stand for, by name. Replaced as a whole on success, so that a failed try leaves no trace. */
export type Bindings = Map<string, CelType>;

/** Whether `from` can be used as `to`; binds parameters of both in `bindings` when it can. */
export function isAssignable(bindings: Bindings, from: CelType, to: CelType): Bindings | undefined {
  const copy = new Map(bindings);
  return assignable(copy, from, to) ? copy : undefined;
}

/** {@link isAssignable} pairwise; lists of different lengths do not match. */
export function areAssignable(
  bindings: Bindings,
  from: readonly CelType[],
  to: readonly CelType[],
): Bindings | undefined {
  const copy = new Map(bindings);
  return allAssignable(copy, from, to) ? copy : undefined;
}

/** The type with bound parameters replaced; unbound ones become dyn if `dynForUnbound`. */
export function substitute(bindings: Bindings, type: CelType, dynForUnbound: boolean): CelType {
  if (type.kind === "typeParam") {
    const bound = bindings.get(type.name);
    if (bound !== undefined) return substitute(bindings, bound, dynForUnbound);
    return dynForUnbound ? celTypes.dyn : type;
  }
  if (type.parameters.length === 0) return type;
  const parameters = type.parameters.map((parameter) => substitute(bindings, parameter, dynForUnbound));
  if (parameters.every((parameter, i) => parameter === type.parameters[i])) return type;
  switch (type.kind) {
    case "list":
      return listType(parameters[0] as CelType);
    case "map":
      return mapType(parameters[0] as CelType, parameters[1] as CelType);
    case "type":
      return typeOfType(parameters[0] as CelType);
    case "opaque":
      return opaqueType(type.name, ...parameters);
    default:
      return type;
  }
}

/** The more general of two types that unify. */
export function mostGeneral(a: CelType, b: CelType): CelType {
  return isEqualOrLessSpecific(a, b) ? a : b;
}

function isEqualOrLessSpecific(a: CelType, b: CelType): boolean {
  if (isDyn(a) || a.kind === "typeParam") return true;
  if (isDyn(b) || b.kind === "typeParam" || a.kind !== b.kind) return false;
  switch (a.kind) {
    case "opaque":
    case "list":
    case "map":
      return (
        a.name === b.name &&
        a.parameters.length === b.parameters.length &&
        a.parameters.every((parameter, i) => isEqualOrLessSpecific(parameter, b.parameters[i] as CelType))
      );
    case "type":
      return true;
    default:
      return sameType(a, b);
  }
}

function assignable(bindings: Bindings, a: CelType, b: CelType): boolean {
  if (b.kind === "typeParam") {
    const { valid, bound } = bind(bindings, a, b);
    if (valid) return true;
    if (bound) return false;
  }
  if (a.kind === "typeParam") return bind(bindings, b, a).valid;
  if (isDynOrError(a) || isDynOrError(b)) return true;
  if (a.kind === "null") return isNullable(b);
  if (b.kind === "null") return isNullable(a);
  switch (a.kind) {
    case "list":
    case "map":
    case "opaque":
      return a.kind === b.kind && a.name === b.name && allAssignable(bindings, a.parameters, b.parameters);
    case "type":
      return b.kind === "type";
    default:
      return a.kind === b.kind && a.name === b.name;
  }
}

function allAssignable(bindings: Bindings, from: readonly CelType[], to: readonly CelType[]): boolean {
  return from.length === to.length && from.every((type, i) => assignable(bindings, type, to[i] as CelType));
}

function isNullable(type: CelType): boolean {
  return type.nullable || ["opaque", "struct", "any", "duration", "timestamp", "null"].includes(type.kind);
}

/** Whether the parameter can stand for `type`, and whether it already stood for something. */
function bind(bindings: Bindings, type: CelType, parameter: CelType): { valid: boolean; bound: boolean } {
  if (sameType(type, parameter)) return { valid: true, bound: true };
  const bound = bindings.get(parameter.name);
  if (bound !== undefined) {
    if (sameType(type, bound)) return { valid: true, bound: true };
    if (!assignable(bindings, type, bound)) return { valid: false, bound: true };
    const general = mostGeneral(type, bound);
    if (!occursIn(bindings, parameter, general)) bindings.set(parameter.name, general);
    return { valid: true, bound: true };
  }
  if (occursIn(bindings, parameter, type)) return { valid: false, bound: false };
  bindings.set(parameter.name, type);
  return { valid: true, bound: false };
}

/** A parameter must not come to contain itself. */
function occursIn(bindings: Bindings, parameter: CelType, type: CelType): boolean {
  if (sameType(parameter, type)) return true;
  if (type.kind === "typeParam") {
    const bound = bindings.get(type.name);
    return bound !== undefined && occursIn(bindings, parameter, bound);
  }
  return type.parameters.some((inner) => occursIn(bindings, parameter, inner));
}
