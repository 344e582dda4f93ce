import {
  type Value,
  type ValueList,
  type ValueObject,
  deepEqual,
  isList,
  isObject,
  member,
  withMember,
  withoutMember,
} from "./json-value.ts";

/** One operation of an RFC 6902 JSON patch. */
export interface JsonPatchOperation {
  readonly op: "add" | "remove" | "replace" | "move" | "copy" | "test";
  /** RFC 6901 pointer: `/spec/replicas`, `/metadata/labels/example.com~1x`. */
  readonly path: string;
  /** Source pointer of move and copy. */
  readonly from?: string;
  /** Value of add, replace and test. */
  readonly value?: unknown;
}

/** An operation that cannot be applied: its path is not there, or its test failed. */
export class JsonPatchFailure extends Error {
  override readonly name: string = "JsonPatchFailure";
}

/**
 * The value after one operation. Follows the library that the API server uses where the RFC is stricter: negative indices
 * count from the end, a first reference token without a slash is ignored, an absent member equals null in a test.
 * Source: github.com/evanphx/json-patch v5 (patch.go).
 * @throws JsonPatchFailure
 */
export function applyOperation(document: Value, operation: JsonPatchOperation): Value {
  const { op, path, from = "" } = operation;
  const value = (operation.value ?? null) as Value;
  switch (op) {
    case "add":
      return path === "" ? addedRoot(value) : edit(document, path, (at, key) => added(at, key, value));
    case "remove":
      return edit(document, path, removed);
    case "replace":
      return path === "" ? replacedRoot(value) : edit(document, path, (at, key) => replaced(at, key, value));
    case "move": {
      if (from === "") throw new JsonPatchFailure("unable to move the entire document");
      const moved = found(document, from);
      return edit(edit(document, from, removed), path, (at, key) => added(at, key, moved));
    }
    case "copy": {
      const copied = found(document, from);
      return edit(document, path, (at, key) => added(at, key, copied));
    }
    case "test":
      if (!deepEqual(tested(document, path), value))
        throw new JsonPatchFailure(`testing value ${path} failed`);
      return document;
  }
}

/** A whole document that is added: nothing but an object or a list can be one. */
function addedRoot(value: Value): Value {
  if (value !== null && !isList(value) && !isObject(value)) {
    throw new JsonPatchFailure("unable to add a document that is neither an object nor a list");
  }
  return value;
}

type Container = ValueObject | ValueList;

/** The reference tokens of a pointer; undefined for a text that is none. The first is dropped, as the library does. */
function tokensOf(path: string): readonly string[] {
  const tokens = path.split("/").slice(1);
  if (tokens.length === 0 && path !== "") throw new JsonPatchFailure(`doc is missing path: ${path}`);
  return tokens.map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** The document with the container that holds the last token replaced by what `change` makes of it. */
function edit(document: Value, path: string, change: (container: Container, key: string) => Value): Value {
  const tokens = tokensOf(path);
  const key = tokens.at(-1) ?? "";
  return editAt(document, tokens.slice(0, -1), (container) => change(container, key));
}

function editAt(value: Value, tokens: readonly string[], change: (container: Container) => Value): Value {
  const container = asContainer(value);
  const [token, ...rest] = tokens;
  if (token === undefined) return change(container);
  // The library lets an empty token stand for the container itself.
  if (token === "") return editAt(value, rest, change);
  const before = elementOf(container, token);
  if (before === undefined || before === null) throw new JsonPatchFailure(`doc is missing path: ${token}`);
  const after = editAt(before, rest, change);
  if (after === before) return value;
  return isList(container)
    ? container.with(existingIndex(container, token), after)
    : withMember(container as ValueObject, token, after);
}

function asContainer(value: Value): Container {
  if (isObject(value) || isList(value)) return value;
  throw new JsonPatchFailure("not an object or list");
}

function elementOf(container: Container, token: string): Value | undefined {
  return isList(container)
    ? container[existingIndex(container, token)]
    : member(container as ValueObject, token);
}

/** The value at a path that must be there. */
function found(document: Value, path: string): Value {
  const value = lookup(document, path);
  if (value === undefined) throw new JsonPatchFailure(`doc is missing path: ${path}`);
  return value;
}

/** The value to compare a test with: an absent member of an object that is there counts as null. */
function tested(document: Value, path: string): Value {
  return lookup(document, path) ?? null;
}

function lookup(document: Value, path: string): Value | undefined {
  const tokens = tokensOf(path);
  let value = document;
  for (const [i, token] of tokens.entries()) {
    const container = asContainer(value);
    if (token === "") continue;
    const next = elementOf(container, token);
    if (i === tokens.length - 1) return next;
    if (next === undefined || next === null) throw new JsonPatchFailure(`doc is missing path: ${path}`);
    value = next;
  }
  return value;
}

function added(container: Container, key: string, value: Value): Value {
  if (!isList(container)) return withMember(container as ValueObject, key, value);
  if (key === "-") return [...container, value];
  return container.toSpliced(index(key, container.length + 1, container.length), 0, value);
}

function removed(container: Container, key: string): Value {
  if (isList(container)) return container.toSpliced(existingIndex(container, key), 1);
  if (!Object.hasOwn(container, key)) throw new JsonPatchFailure(`unable to remove nonexistent key: ${key}`);
  return withoutMember(container as ValueObject, key);
}

function replaced(container: Container, key: string, value: Value): Value {
  if (isList(container)) {
    const at = existingIndex(container, key);
    return container[at] === value ? container : container.with(at, value);
  }
  if (key !== "" && !Object.hasOwn(container, key)) throw new JsonPatchFailure(`doc is missing key: ${key}`);
  return withMember(container as ValueObject, key, value);
}

function replacedRoot(value: Value): Value {
  if (isObject(value) || isList(value)) return value;
  throw new JsonPatchFailure("replace operation value must be object or array");
}

function existingIndex(list: ValueList, token: string): number {
  return index(token, list.length, list.length - 1);
}

/** An index as Go's Atoi reads it; a negative one counts back from `length`. */
function index(token: string, length: number, max: number): number {
  const number = /^[+-]?[0-9]+$/.test(token) ? Number(token) : Number.NaN;
  const at = number < 0 ? number + length : number;
  if (at >= 0 && at <= max) return at;
  throw new JsonPatchFailure(`unable to access invalid index: ${token}`);
}
