import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { deepFreeze } from "../object/freeze.ts";
import { createJsonPatch } from "./diff.ts";
import type { JsonPatchOperation } from "./json-patch-operation.ts";
import { applyJsonPatch, decodeJsonPatch } from "./json-patch.ts";
import type { Value } from "./json-value.ts";

// Expected values are those of github.com/evanphx/json-patch v5 and of the API server.

const document = deepFreeze({
  foo: "bar",
  l: ["a", "b", "c"],
  o: { x: 1, y: { z: [1, 2] } },
  n: null,
  "": { "": 5 },
  "a/b": 1,
  "m~n": 2,
  t: true,
});

/** Patch of the document, result. */
const patches: readonly (readonly [readonly unknown[], Value])[] = [
  [
    [],
    {
      "": { "": 5 },
      "a/b": 1,
      foo: "bar",
      l: ["a", "b", "c"],
      "m~n": 2,
      n: null,
      o: { x: 1, y: { z: [1, 2] } },
      t: true,
    },
  ],
  [
    [{ op: "add", path: "/new", value: 1 }],
    {
      "": { "": 5 },
      "a/b": 1,
      foo: "bar",
      l: ["a", "b", "c"],
      "m~n": 2,
      n: null,
      "new": 1,
      o: { x: 1, y: { z: [1, 2] } },
      t: true,
    },
  ],
  [
    [{ op: "add", path: "/foo", value: 2 }],
    {
      "": { "": 5 },
      "a/b": 1,
      foo: 2,
      l: ["a", "b", "c"],
      "m~n": 2,
      n: null,
      o: { x: 1, y: { z: [1, 2] } },
      t: true,
    },
  ],
  [
    [{ op: "add", path: "/l/0", value: "z" }],
    {
      "": { "": 5 },
      "a/b": 1,
      foo: "bar",
      l: ["z", "a", "b", "c"],
      "m~n": 2,
      n: null,
      o: { x: 1, y: { z: [1, 2] } },
      t: true,
    },
  ],
  [
    [{ op: "add", path: "/l/1", value: "z" }],
    {
      "": { "": 5 },
      "a/b": 1,
      foo: "bar",
      l: ["a", "z", "b", "c"],
      "m~n": 2,
      n: null,
      o: { x: 1, y: { z: [1, 2] } },
      t: true,
    },
  ],
  [
    [{ op: "add", path: "/l/3", value: "z" }],
    {
      "": { "": 5 },
      "a/b": 1,
      foo: "bar",
      l: ["a", "b", "c", "z"],
      "m~n": 2,
      n: null,
      o: { x: 1, y: { z: [1, 2] } },
      t: true,
    },
  ],
  [
    [{ op: "add", path: "/l/-", value: "z" }],
    {
      "": { "": 5 },
      "a/b": 1,
      foo: "bar",
      l: ["a", "b", "c", "z"],
      "m~n": 2,
      n: null,
      o: { x: 1, y: { z: [1, 2] } },
      t: true,
    },
  ],
  [
    [{ op: "add", path: "/l/-1", value: "z" }],
    {
      "": { "": 5 },
      "a/b": 1,
      foo: "bar",
      l: ["a", "b", "c", "z"],
      "m~n": 2,
      n: null,
      o: { x: 1, y: { z: [1, 2] } },
      t: true,
    },
  ],
  [
    [{ op: "add", path: "/l/-2", value: "z" }],
    {
      "": { "": 5 },
      "a/b": 1,
      foo: "bar",
      l: ["a", "b", "z", "c"],
      "m~n": 2,
      n: null,
      o: { x: 1, y: { z: [1, 2] } },
      t: true,
    },
  ],
  [
    [{ op: "add", path: "/l/-4", value: "z" }],
    {
      "": { "": 5 },
      "a/b": 1,
      foo: "bar",
      l: ["z", "a", "b", "c"],
      "m~n": 2,
      n: null,
      o: { x: 1, y: { z: [1, 2] } },
      t: true,
    },
  ],
  [
    [{ op: "add", path: "/l/01", value: "z" }],
    {
      "": { "": 5 },
      "a/b": 1,
      foo: "bar",
      l: ["a", "z", "b", "c"],
      "m~n": 2,
      n: null,
      o: { x: 1, y: { z: [1, 2] } },
      t: true,
    },
  ],
  [
    [{ op: "add", path: "/l/+1", value: "z" }],
    {
      "": { "": 5 },
      "a/b": 1,
      foo: "bar",
      l: ["a", "z", "b", "c"],
      "m~n": 2,
      n: null,
      o: { x: 1, y: { z: [1, 2] } },
      t: true,
    },
  ],
  [
    [{ op: "add", path: "/l", value: [] }],
    { "": { "": 5 }, "a/b": 1, foo: "bar", l: [], "m~n": 2, n: null, o: { x: 1, y: { z: [1, 2] } }, t: true },
  ],
  [
    [{ op: "add", path: "/o/w", value: { q: 1 } }],
    {
      "": { "": 5 },
      "a/b": 1,
      foo: "bar",
      l: ["a", "b", "c"],
      "m~n": 2,
      n: null,
      o: { w: { q: 1 }, x: 1, y: { z: [1, 2] } },
      t: true,
    },
  ],
  [[{ op: "add", path: "", value: { r: 1 } }], { r: 1 }],
  [[{ op: "add", path: "", value: [1] }], [1]],
  [
    [{ op: "add", path: "a/b", value: 1 }],
    {
      "": { "": 5 },
      "a/b": 1,
      b: 1,
      foo: "bar",
      l: ["a", "b", "c"],
      "m~n": 2,
      n: null,
      o: { x: 1, y: { z: [1, 2] } },
      t: true,
    },
  ],
  [
    [{ op: "add", path: "/o/", value: 1 }],
    {
      "": { "": 5 },
      "a/b": 1,
      foo: "bar",
      l: ["a", "b", "c"],
      "m~n": 2,
      n: null,
      o: { "": 1, x: 1, y: { z: [1, 2] } },
      t: true,
    },
  ],
  [
    [{ op: "add", path: "/", value: 1 }],
    {
      "": 1,
      "a/b": 1,
      foo: "bar",
      l: ["a", "b", "c"],
      "m~n": 2,
      n: null,
      o: { x: 1, y: { z: [1, 2] } },
      t: true,
    },
  ],
  [
    [{ op: "add", path: "/a~1b", value: 9 }],
    {
      "": { "": 5 },
      "a/b": 9,
      foo: "bar",
      l: ["a", "b", "c"],
      "m~n": 2,
      n: null,
      o: { x: 1, y: { z: [1, 2] } },
      t: true,
    },
  ],
  [
    [{ op: "add", path: "/m~0n", value: 9 }],
    {
      "": { "": 5 },
      "a/b": 1,
      foo: "bar",
      l: ["a", "b", "c"],
      "m~n": 9,
      n: null,
      o: { x: 1, y: { z: [1, 2] } },
      t: true,
    },
  ],
  [
    [{ op: "add", path: "/m~n", value: 9 }],
    {
      "": { "": 5 },
      "a/b": 1,
      foo: "bar",
      l: ["a", "b", "c"],
      "m~n": 9,
      n: null,
      o: { x: 1, y: { z: [1, 2] } },
      t: true,
    },
  ],
  [
    [{ op: "add", path: "/m~01", value: 9 }],
    {
      "": { "": 5 },
      "a/b": 1,
      foo: "bar",
      l: ["a", "b", "c"],
      "m~1": 9,
      "m~n": 2,
      n: null,
      o: { x: 1, y: { z: [1, 2] } },
      t: true,
    },
  ],
  [
    [{ op: "add", path: "/o/y/z/2", value: 3 }],
    {
      "": { "": 5 },
      "a/b": 1,
      foo: "bar",
      l: ["a", "b", "c"],
      "m~n": 2,
      n: null,
      o: { x: 1, y: { z: [1, 2, 3] } },
      t: true,
    },
  ],
  [
    [{ op: "remove", path: "/foo" }],
    {
      "": { "": 5 },
      "a/b": 1,
      l: ["a", "b", "c"],
      "m~n": 2,
      n: null,
      o: { x: 1, y: { z: [1, 2] } },
      t: true,
    },
  ],
  [
    [{ op: "remove", path: "/l/0" }],
    {
      "": { "": 5 },
      "a/b": 1,
      foo: "bar",
      l: ["b", "c"],
      "m~n": 2,
      n: null,
      o: { x: 1, y: { z: [1, 2] } },
      t: true,
    },
  ],
  [
    [{ op: "remove", path: "/l/2" }],
    {
      "": { "": 5 },
      "a/b": 1,
      foo: "bar",
      l: ["a", "b"],
      "m~n": 2,
      n: null,
      o: { x: 1, y: { z: [1, 2] } },
      t: true,
    },
  ],
  [
    [{ op: "remove", path: "/l/-1" }],
    {
      "": { "": 5 },
      "a/b": 1,
      foo: "bar",
      l: ["a", "b"],
      "m~n": 2,
      n: null,
      o: { x: 1, y: { z: [1, 2] } },
      t: true,
    },
  ],
  [
    [{ op: "remove", path: "/l/-3" }],
    {
      "": { "": 5 },
      "a/b": 1,
      foo: "bar",
      l: ["b", "c"],
      "m~n": 2,
      n: null,
      o: { x: 1, y: { z: [1, 2] } },
      t: true,
    },
  ],
  [
    [{ op: "remove", path: "" }],
    { "a/b": 1, foo: "bar", l: ["a", "b", "c"], "m~n": 2, n: null, o: { x: 1, y: { z: [1, 2] } }, t: true },
  ],
  [
    [{ op: "remove", path: "/o/y" }],
    { "": { "": 5 }, "a/b": 1, foo: "bar", l: ["a", "b", "c"], "m~n": 2, n: null, o: { x: 1 }, t: true },
  ],
  [
    [{ op: "remove", path: "/o/y/z/1" }],
    {
      "": { "": 5 },
      "a/b": 1,
      foo: "bar",
      l: ["a", "b", "c"],
      "m~n": 2,
      n: null,
      o: { x: 1, y: { z: [1] } },
      t: true,
    },
  ],
  [
    [{ op: "remove", path: "/n" }],
    {
      "": { "": 5 },
      "a/b": 1,
      foo: "bar",
      l: ["a", "b", "c"],
      "m~n": 2,
      o: { x: 1, y: { z: [1, 2] } },
      t: true,
    },
  ],
  [
    [{ op: "remove", path: "/a~1b" }],
    {
      "": { "": 5 },
      foo: "bar",
      l: ["a", "b", "c"],
      "m~n": 2,
      n: null,
      o: { x: 1, y: { z: [1, 2] } },
      t: true,
    },
  ],
  [
    [{ op: "replace", path: "/foo", value: 1 }],
    {
      "": { "": 5 },
      "a/b": 1,
      foo: 1,
      l: ["a", "b", "c"],
      "m~n": 2,
      n: null,
      o: { x: 1, y: { z: [1, 2] } },
      t: true,
    },
  ],
  [
    [{ op: "replace", path: "/l/0", value: 1 }],
    {
      "": { "": 5 },
      "a/b": 1,
      foo: "bar",
      l: [1, "b", "c"],
      "m~n": 2,
      n: null,
      o: { x: 1, y: { z: [1, 2] } },
      t: true,
    },
  ],
  [
    [{ op: "replace", path: "/l/-1", value: 1 }],
    {
      "": { "": 5 },
      "a/b": 1,
      foo: "bar",
      l: ["a", "b", 1],
      "m~n": 2,
      n: null,
      o: { x: 1, y: { z: [1, 2] } },
      t: true,
    },
  ],
  [
    [{ op: "replace", path: "/o/x", value: {} }],
    {
      "": { "": 5 },
      "a/b": 1,
      foo: "bar",
      l: ["a", "b", "c"],
      "m~n": 2,
      n: null,
      o: { x: {}, y: { z: [1, 2] } },
      t: true,
    },
  ],
  [[{ op: "replace", path: "", value: { r: 1 } }], { r: 1 }],
  [[{ op: "replace", path: "", value: [1] }], [1]],
  [
    [{ op: "replace", path: "/n", value: 1 }],
    {
      "": { "": 5 },
      "a/b": 1,
      foo: "bar",
      l: ["a", "b", "c"],
      "m~n": 2,
      n: 1,
      o: { x: 1, y: { z: [1, 2] } },
      t: true,
    },
  ],
  [
    [{ op: "replace", path: "/t", value: null }],
    {
      "": { "": 5 },
      "a/b": 1,
      foo: "bar",
      l: ["a", "b", "c"],
      "m~n": 2,
      n: null,
      o: { x: 1, y: { z: [1, 2] } },
      t: null,
    },
  ],
  [
    [{ op: "move", from: "/foo", path: "/bar" }],
    {
      "": { "": 5 },
      "a/b": 1,
      bar: "bar",
      l: ["a", "b", "c"],
      "m~n": 2,
      n: null,
      o: { x: 1, y: { z: [1, 2] } },
      t: true,
    },
  ],
  [
    [{ op: "move", from: "/l/0", path: "/l/2" }],
    {
      "": { "": 5 },
      "a/b": 1,
      foo: "bar",
      l: ["b", "c", "a"],
      "m~n": 2,
      n: null,
      o: { x: 1, y: { z: [1, 2] } },
      t: true,
    },
  ],
  [
    [{ op: "move", from: "/l/2", path: "/l/0" }],
    {
      "": { "": 5 },
      "a/b": 1,
      foo: "bar",
      l: ["c", "a", "b"],
      "m~n": 2,
      n: null,
      o: { x: 1, y: { z: [1, 2] } },
      t: true,
    },
  ],
  [
    [{ op: "move", from: "/l/0", path: "/o/x" }],
    {
      "": { "": 5 },
      "a/b": 1,
      foo: "bar",
      l: ["b", "c"],
      "m~n": 2,
      n: null,
      o: { x: "a", y: { z: [1, 2] } },
      t: true,
    },
  ],
  [
    [{ op: "move", from: "/o/y", path: "/o" }],
    { "": { "": 5 }, "a/b": 1, foo: "bar", l: ["a", "b", "c"], "m~n": 2, n: null, o: { z: [1, 2] }, t: true },
  ],
  [
    [{ op: "move", from: "/foo", path: "/foo" }],
    {
      "": { "": 5 },
      "a/b": 1,
      foo: "bar",
      l: ["a", "b", "c"],
      "m~n": 2,
      n: null,
      o: { x: 1, y: { z: [1, 2] } },
      t: true,
    },
  ],
  [
    [{ op: "move", from: "/o/x", path: "/l/-" }],
    {
      "": { "": 5 },
      "a/b": 1,
      foo: "bar",
      l: ["a", "b", "c", 1],
      "m~n": 2,
      n: null,
      o: { y: { z: [1, 2] } },
      t: true,
    },
  ],
  [
    [{ op: "copy", from: "/foo", path: "/bar" }],
    {
      "": { "": 5 },
      "a/b": 1,
      bar: "bar",
      foo: "bar",
      l: ["a", "b", "c"],
      "m~n": 2,
      n: null,
      o: { x: 1, y: { z: [1, 2] } },
      t: true,
    },
  ],
  [
    [{ op: "copy", from: "/o", path: "/p" }],
    {
      "": { "": 5 },
      "a/b": 1,
      foo: "bar",
      l: ["a", "b", "c"],
      "m~n": 2,
      n: null,
      o: { x: 1, y: { z: [1, 2] } },
      p: { x: 1, y: { z: [1, 2] } },
      t: true,
    },
  ],
  [
    [{ op: "copy", from: "/l/0", path: "/l/-" }],
    {
      "": { "": 5 },
      "a/b": 1,
      foo: "bar",
      l: ["a", "b", "c", "a"],
      "m~n": 2,
      n: null,
      o: { x: 1, y: { z: [1, 2] } },
      t: true,
    },
  ],
  [
    [{ op: "copy", from: "/n", path: "/x" }],
    {
      "": { "": 5 },
      "a/b": 1,
      foo: "bar",
      l: ["a", "b", "c"],
      "m~n": 2,
      n: null,
      o: { x: 1, y: { z: [1, 2] } },
      t: true,
      x: null,
    },
  ],
  [
    [{ op: "copy", from: "/o", path: "/o/o" }],
    {
      "": { "": 5 },
      "a/b": 1,
      foo: "bar",
      l: ["a", "b", "c"],
      "m~n": 2,
      n: null,
      o: { o: { x: 1, y: { z: [1, 2] } }, x: 1, y: { z: [1, 2] } },
      t: true,
    },
  ],
  [
    [{ op: "copy", from: "/l", path: "/l/0" }],
    {
      "": { "": 5 },
      "a/b": 1,
      foo: "bar",
      l: [["a", "b", "c"], "a", "b", "c"],
      "m~n": 2,
      n: null,
      o: { x: 1, y: { z: [1, 2] } },
      t: true,
    },
  ],
  [
    [{ op: "test", path: "/foo", value: "bar" }],
    {
      "": { "": 5 },
      "a/b": 1,
      foo: "bar",
      l: ["a", "b", "c"],
      "m~n": 2,
      n: null,
      o: { x: 1, y: { z: [1, 2] } },
      t: true,
    },
  ],
  [
    [{ op: "test", path: "/none", value: null }],
    {
      "": { "": 5 },
      "a/b": 1,
      foo: "bar",
      l: ["a", "b", "c"],
      "m~n": 2,
      n: null,
      o: { x: 1, y: { z: [1, 2] } },
      t: true,
    },
  ],
  [
    [{ op: "test", path: "/none" }],
    {
      "": { "": 5 },
      "a/b": 1,
      foo: "bar",
      l: ["a", "b", "c"],
      "m~n": 2,
      n: null,
      o: { x: 1, y: { z: [1, 2] } },
      t: true,
    },
  ],
  [
    [{ op: "test", path: "/n", value: null }],
    {
      "": { "": 5 },
      "a/b": 1,
      foo: "bar",
      l: ["a", "b", "c"],
      "m~n": 2,
      n: null,
      o: { x: 1, y: { z: [1, 2] } },
      t: true,
    },
  ],
  [
    [{ op: "test", path: "/l/0", value: "a" }],
    {
      "": { "": 5 },
      "a/b": 1,
      foo: "bar",
      l: ["a", "b", "c"],
      "m~n": 2,
      n: null,
      o: { x: 1, y: { z: [1, 2] } },
      t: true,
    },
  ],
  [
    [{ op: "test", path: "/l/-1", value: "c" }],
    {
      "": { "": 5 },
      "a/b": 1,
      foo: "bar",
      l: ["a", "b", "c"],
      "m~n": 2,
      n: null,
      o: { x: 1, y: { z: [1, 2] } },
      t: true,
    },
  ],
  [
    [{ op: "test", path: "/l", value: ["a", "b", "c"] }],
    {
      "": { "": 5 },
      "a/b": 1,
      foo: "bar",
      l: ["a", "b", "c"],
      "m~n": 2,
      n: null,
      o: { x: 1, y: { z: [1, 2] } },
      t: true,
    },
  ],
  [
    [{ op: "test", path: "/o", value: { y: { z: [1, 2] }, x: 1 } }],
    {
      "": { "": 5 },
      "a/b": 1,
      foo: "bar",
      l: ["a", "b", "c"],
      "m~n": 2,
      n: null,
      o: { x: 1, y: { z: [1, 2] } },
      t: true,
    },
  ],
  [
    [{ op: "test", path: "/t", value: true }],
    {
      "": { "": 5 },
      "a/b": 1,
      foo: "bar",
      l: ["a", "b", "c"],
      "m~n": 2,
      n: null,
      o: { x: 1, y: { z: [1, 2] } },
      t: true,
    },
  ],
  [
    [{ op: "test", path: "/a~1b", value: 1 }],
    {
      "": { "": 5 },
      "a/b": 1,
      foo: "bar",
      l: ["a", "b", "c"],
      "m~n": 2,
      n: null,
      o: { x: 1, y: { z: [1, 2] } },
      t: true,
    },
  ],
  [
    [{ op: "test", path: "/m~0n", value: 2 }],
    {
      "": { "": 5 },
      "a/b": 1,
      foo: "bar",
      l: ["a", "b", "c"],
      "m~n": 2,
      n: null,
      o: { x: 1, y: { z: [1, 2] } },
      t: true,
    },
  ],
  [
    [
      { op: "add", path: "/q", value: {} },
      { op: "add", path: "/q/a", value: [] },
      { op: "add", path: "/q/a/-", value: 1 },
      { op: "test", path: "/q/a/0", value: 1 },
      { op: "remove", path: "/q/a/0" },
    ],
    {
      "": { "": 5 },
      "a/b": 1,
      foo: "bar",
      l: ["a", "b", "c"],
      "m~n": 2,
      n: null,
      o: { x: 1, y: { z: [1, 2] } },
      q: { a: [] },
      t: true,
    },
  ],
  [
    [{ op: "add", path: "/foo", value: null }],
    {
      "": { "": 5 },
      "a/b": 1,
      foo: null,
      l: ["a", "b", "c"],
      "m~n": 2,
      n: null,
      o: { x: 1, y: { z: [1, 2] } },
      t: true,
    },
  ],
  [
    [{ op: "add", path: "/x", value: 1, extra: 2 }],
    {
      "": { "": 5 },
      "a/b": 1,
      foo: "bar",
      l: ["a", "b", "c"],
      "m~n": 2,
      n: null,
      o: { x: 1, y: { z: [1, 2] } },
      t: true,
      x: 1,
    },
  ],
  [
    [
      { op: "add", path: "/o/y/z", value: {} },
      { op: "add", path: "/o/y/z/k", value: 1 },
    ],
    {
      "": { "": 5 },
      "a/b": 1,
      foo: "bar",
      l: ["a", "b", "c"],
      "m~n": 2,
      n: null,
      o: { x: 1, y: { z: { k: 1 } } },
      t: true,
    },
  ],
];

/** Patches that cannot be applied to the document. */
const failures: readonly (readonly unknown[])[] = [
  [{ op: "add", path: "/l/4", value: "z" }],
  [{ op: "add", path: "/l/-5", value: "z" }],
  [{ op: "add", path: "/l/1e0", value: "z" }],
  [{ op: "add", path: "/l/x", value: "z" }],
  [{ op: "add", path: "/none/x", value: 1 }],
  [{ op: "add", path: "/foo/x", value: 1 }],
  [{ op: "add", path: "/n/x", value: 1 }],
  [{ op: "add", path: "foo", value: 1 }],
  [{ op: "remove", path: "/none" }],
  [{ op: "remove", path: "/l/3" }],
  [{ op: "remove", path: "/l/-4" }],
  [{ op: "remove", path: "/l/-" }],
  [{ op: "remove", path: "/o/none/z" }],
  [{ op: "replace", path: "/none", value: 1 }],
  [{ op: "replace", path: "/l/3", value: 1 }],
  [{ op: "replace", path: "/l/-", value: 1 }],
  [{ op: "replace", path: "", value: 5 }],
  [{ op: "move", from: "/o", path: "/o/y" }],
  [{ op: "move", from: "/none", path: "/x" }],
  [{ op: "move", from: "/foo", path: "/none/x" }],
  [{ op: "move", from: "", path: "/x" }],
  [{ op: "copy", from: "/none", path: "/x" }],
  [{ op: "test", path: "/foo", value: "x" }],
  [{ op: "test", path: "/foo", value: 1 }],
  [{ op: "test", path: "/foo", value: null }],
  [{ op: "test", path: "/foo" }],
  [{ op: "test", path: "/none", value: 1 }],
  [{ op: "test", path: "/n", value: 1 }],
  [{ op: "test", path: "/none/x", value: null }],
  [{ op: "test", path: "/foo/x", value: null }],
  [{ op: "test", path: "/l/9", value: null }],
  [{ op: "test", path: "/l", value: ["c", "b", "a"] }],
  [{ op: "test", path: "/o", value: { x: 1 } }],
  [{ op: "test", path: "/t", value: "true" }],
  [{ op: "test", path: "", value: {} }],
  [
    { op: "replace", path: "/foo", value: 1 },
    { op: "test", path: "/foo", value: "bar" },
  ],
  [
    { op: "remove", path: "/l/0" },
    { op: "remove", path: "/l/0" },
    { op: "remove", path: "/l/0" },
    { op: "remove", path: "/l/0" },
  ],
];

/** Patches with an operation that is none, and what is wrong. */
const mistakes: readonly (readonly [readonly unknown[], string])[] = [
  [[{ op: "bad", path: "/x" }], 'invalid operation {"op":"bad","path":"/x"}: unsupported operation'],
  [[{ path: "/x" }], 'invalid operation {"path":"/x"}: unsupported operation'],
  [
    [{ op: "add", path: "/x" }],
    'invalid operation {"op":"add","path":"/x"}: failed to decode \'value\': operation, missing value field: missing value',
  ],
  [
    [{ op: "add", value: 1 }],
    'invalid operation {"op":"add","value":1}: failed to decode \'path\': operation missing path field: missing value',
  ],
  [
    [{ op: "move", path: "/x" }],
    'invalid operation {"op":"move","path":"/x"}: failed to decode \'from\': operation, missing from field: missing value',
  ],
  [
    [{ op: "copy", path: "/x" }],
    'invalid operation {"op":"copy","path":"/x"}: failed to decode \'from\': operation, missing from field: missing value',
  ],
  [
    [{ op: "remove" }],
    'invalid operation {"op":"remove"}: failed to decode \'path\': operation missing path field: missing value',
  ],
  [
    [{ op: "test" }],
    'invalid operation {"op":"test"}: failed to decode \'path\': operation missing path field: missing value',
  ],
  [
    [{ op: "replace", path: "/foo" }],
    'invalid operation {"op":"replace","path":"/foo"}: failed to decode \'value\': operation, missing value field: missing value',
  ],
  [[null], "invalid operation null: unsupported operation"],
  [
    [{ op: "ADD", path: "/x", value: 1 }],
    'invalid operation {"op":"ADD","path":"/x","value":1}: unsupported operation',
  ],
  [
    [{ op: "add", path: null, value: 1 }],
    'invalid operation {"op":"add","path":null,"value":1}: failed to decode \'path\': operation missing path field: missing value',
  ],
];

/** Bodies that are no patches. */
const bodies: readonly (readonly [string, string])[] = [
  ["{}", "error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp"],
  ['"x"', "error decoding patch: json: cannot unmarshal string into Go value of type []handlers.jsonPatchOp"],
  ["[1]", "error decoding patch: json: cannot unmarshal number into Go value of type handlers.jsonPatchOp"],
  ["[[]]", "error decoding patch: json: cannot unmarshal array into Go value of type handlers.jsonPatchOp"],
  ["nonsense", "error decoding patch: invalid character 'o' in literal null (expecting 'u')"],
  ["", "error decoding patch: unexpected end of JSON input"],
  [
    '[{"op":1,"path":"/x"}]',
    "error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.op of type string",
  ],
  [
    '[{"op":"add","path":[]}]',
    "error decoding patch: json: cannot unmarshal array into Go struct field jsonPatchOp.path of type string",
  ],
];

function operations(patch: readonly unknown[]): readonly JsonPatchOperation[] {
  return decodeJsonPatch(JSON.stringify(patch)).operations;
}

describe("applyJsonPatch", () => {
  for (const [patch, result] of patches) {
    it(`applies ${JSON.stringify(patch)}`, () => {
      expect(applyJsonPatch(document, operations(patch))).toEqual(result);
    });
  }
  for (const patch of failures) {
    it(`refuses ${JSON.stringify(patch)}`, () => {
      const message = "the server rejected our request due to an error in our request";
      expect(() => applyJsonPatch(document, operations(patch))).toThrow(
        expect.objectContaining({ code: 422, reason: "Invalid", message }),
      );
    });
  }

  it("shares what no operation touches and gives the same value when nothing changes", () => {
    const before = deepFreeze({ a: { b: [1, { c: 2 }] }, d: { e: 1 } });
    const after = applyJsonPatch(before, [{ op: "replace", path: "/d/e", value: 2 }]) as typeof before;
    expect(after.a).toBe(before.a);
    expect(applyJsonPatch(before, [{ op: "replace", path: "/d/e", value: 1 }])).toBe(before);
    expect(applyJsonPatch(before, [{ op: "test", path: "/a/b/1", value: { c: 2 } }])).toBe(before);
  });

  it("treats __proto__ as a key like any other", () => {
    const after = applyJsonPatch({}, [{ op: "add", path: "/__proto__", value: { x: 1 } }]);
    expect(JSON.stringify(after)).toBe('{"__proto__":{"x":1}}');
  });
});

describe("decodeJsonPatch", () => {
  for (const [patch, message] of mistakes) {
    it(`refuses ${JSON.stringify(patch)}`, () => {
      expect(() => operations(patch)).toThrow(
        expect.objectContaining({ code: 400, reason: "BadRequest", message }),
      );
    });
  }
  for (const [text, message] of bodies) {
    it(`refuses the body ${JSON.stringify(text)}`, () => {
      expect(() => decodeJsonPatch(text)).toThrow(
        expect.objectContaining({ code: 400, reason: "BadRequest", message }),
      );
    });
  }

  it("takes null for an empty patch", () => {
    expect(decodeJsonPatch("null")).toEqual({ operations: [], strictErrors: [] });
  });

  it("reports duplicate and unknown fields", () => {
    const text = '[{"op":"add","path":"/a","path":"/b","value":{"x":1,"x":2},"odd":3}]';
    expect(decodeJsonPatch(text).strictErrors).toEqual([
      'json patch duplicate field "[0].path"',
      'json patch duplicate field "[0].value.x"',
      'json patch unknown field "[0].odd"',
    ]);
  });

  it("accepts ten thousand operations and no more", () => {
    const one = { op: "test", path: "/t", value: true };
    const body = (count: number): string => JSON.stringify(Array.from({ length: count }, () => one));
    expect(applyJsonPatch(document, decodeJsonPatch(body(10_000)).operations)).toBe(document);
    expect(() => decodeJsonPatch(body(10_001))).toThrow(
      expect.objectContaining({
        code: 413,
        reason: "RequestEntityTooLarge",
        message:
          "Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001",
      }),
    );
  });
});

describe("createJsonPatch", () => {
  const { value } = fc.letrec<{ value: Value }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom<Value>(null, 1, "x", true),
      fc.array(tie("value"), { maxLength: 4 }),
      fc.dictionary(fc.constantFrom("a", "b/c", "d~e", "", "__proto__"), tie("value"), {
        maxKeys: 3,
        noNullPrototype: true,
      }),
    ),
  }));

  it("makes a patch that leads to the target, and none when there is nothing to do", () => {
    fc.assert(
      fc.property(value, value, (from, to) => {
        const [before, after] = [deepFreeze({ root: from }), { root: to }];
        expect(applyJsonPatch(before, createJsonPatch(before, after))).toEqual(after);
        expect(createJsonPatch(after, after)).toEqual([]);
      }),
    );
  });

  it("changes lists where they differ", () => {
    expect(createJsonPatch(["a", "b", "c"], ["a", "x", "b", "c"])).toEqual([
      { op: "add", path: "/1", value: "x" },
    ]);
    expect(createJsonPatch(["a", "b", "c"], ["a", "c"])).toEqual([{ op: "remove", path: "/1" }]);
    expect(createJsonPatch([{ n: 1 }, { n: 2 }], [{ n: 1 }, { n: 3 }])).toEqual([
      { op: "replace", path: "/1/n", value: 3 },
    ]);
  });
});
