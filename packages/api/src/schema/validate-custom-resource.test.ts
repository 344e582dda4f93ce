import { describe, expect, it } from "vitest";
import type { SchemaRules } from "../cel/schema-rules.ts";
import { deepFreeze } from "../object/freeze.ts";
import type { JsonObject } from "../object/object.ts";
import { type FieldError, fieldErrorText } from "../status/field-error.ts";
import { compileSchema } from "./structural-schema.ts";
import { type CustomResourceCheck, validateCustomResource } from "./validate-custom-resource.ts";

const schema = compileSchema({
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        replicas: { type: "integer", maximum: 10 },
        name: { type: "string", maxLength: 3 },
        tags: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
      },
    },
    status: {
      type: "object",
      properties: { replicas: { type: "integer" }, phase: { type: "string", enum: ["Up"] } },
    },
  },
});
const scale = {
  specReplicasPath: ".spec.replicas",
  statusReplicasPath: ".status.replicas",
  labelSelectorPath: ".status.selector",
};
const metadata = { name: "a", namespace: "n", uid: "u", resourceVersion: "1", generation: 1 };

function object(fields: JsonObject = {}): JsonObject {
  return deepFreeze({ apiVersion: "example.com/v1", kind: "Kettle", metadata, ...fields }) as JsonObject;
}

function check(given: Partial<CustomResourceCheck>): ReturnType<typeof validateCustomResource> {
  const kind = { group: "example.com", version: "v1", kind: "Kettle" };
  return validateCustomResource({ schema, kind, namespaced: true, object: object(), ...given });
}

function texts(given: Partial<CustomResourceCheck>): string[] {
  return check(given).errors.map(fieldErrorText);
}

/** Rules that count how often they run and find what they are told. */
function rules(errors: FieldError[], ratcheted: FieldError[] = []): SchemaRules & { runs: number } {
  const made = {
    runs: 0,
    validate() {
      made.runs++;
      return { errors, ratcheted, remainingBudget: 1 };
    },
  };
  return made;
}

const ruleError: FieldError = {
  type: "Invalid",
  field: "spec",
  badValue: "object",
  detail: "failed rule: false",
};

describe("validateCustomResource", () => {
  it("accepts a valid object", () => {
    expect(check({})).toEqual({ errors: [], warnings: [] });
  });

  it("refuses another type, and then looks at little else", () => {
    expect(texts({ object: object({ kind: "Pot", apiVersion: "v1", spec: { replicas: "x" } }) })).toEqual([
      'kind: Invalid value: "Pot": must be Kettle',
      'apiVersion: Invalid value: "v1": must be example.com/v1',
    ]);
  });

  it("checks metadata, schema, list types and rules in this order", () => {
    const broken = object({
      metadata: { name: "A", namespace: "n" },
      spec: { replicas: 11, tags: ["a", "a"] },
    });
    const errors = check({ object: broken, rules: rules([ruleError]) }).errors;
    expect(errors.map((error) => error.field)).toEqual([
      "metadata.name",
      "spec.replicas",
      "spec.tags[1]",
      "spec",
    ]);
  });

  it.each<[string, JsonObject, boolean]>([
    ["a wrong type", { replicas: "x" }, false],
    ["a text that is too long", { name: "long" }, false],
    ["a number beyond its maximum", { replicas: 11 }, true],
    ["a duplicate", { tags: ["a", "a"] }, true],
  ])("with %s in %j runs the rules: %s", (_what, spec, run) => {
    const counted = rules([]);
    const errors = texts({ object: object({ spec }), rules: counted });
    expect(counted.runs).toBe(run ? 1 : 0);
    const skipped =
      "<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation";
    expect(errors.includes(skipped)).toBe(!run);
  });

  it("warns of rules that failed before, and of finalizers without a domain", () => {
    const given = object({ metadata: { ...metadata, finalizers: ["plain"] } });
    const { errors, warnings } = check({ object: given, old: object(), rules: rules([], [ruleError]) });
    expect(errors).toEqual([]);
    expect(warnings).toEqual([
      'spec: Invalid value: "object": failed rule: false',
      'metadata.finalizers: "plain": prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers',
    ]);
  });

  it("does not warn of finalizers of an object that it refuses", () => {
    const given = object({ metadata: { ...metadata, finalizers: ["plain"] }, spec: { replicas: 11 } });
    expect(check({ object: given }).warnings).toEqual([]);
  });

  it("forgives on an update what did not change", () => {
    const old = object({ spec: { replicas: 11, name: "long" } });
    expect(texts({ object: object({ spec: { replicas: 11, name: "long" } }), old })).toEqual([]);
    expect(texts({ object: object({ spec: { replicas: 11, name: "longer" } }), old })).toEqual([
      "spec.name: Too long: may not be more than 3 bytes",
    ]);
  });

  it("forgives duplicates of an object that had some", () => {
    const old = object({ spec: { tags: ["a", "a"] } });
    expect(texts({ object: object({ spec: { tags: ["b", "b"] } }), old })).toEqual([]);
  });

  it("reports immutable metadata twice, as the registry and the kind both look", () => {
    const fields = check({
      object: object({ metadata: { ...metadata, uid: "other" } }),
      old: object(),
    }).errors;
    expect(fields.map((error) => error.field)).toEqual(["metadata.uid", "metadata.uid"]);
  });

  it("looks only at the status of a status update", () => {
    const old = object({ spec: { replicas: "wrong" } });
    const given = { old, subresource: "status" as const };
    expect(
      texts({ ...given, object: object({ spec: { replicas: "wrong" }, status: { phase: "Up" } }) }),
    ).toEqual([]);
    expect(
      texts({ ...given, object: object({ spec: { replicas: "wrong" }, status: { phase: "Down" } }) }),
    ).toEqual(['status.phase: Unsupported value: "Down": supported values: "Up"']);
  });

  it("ratchets a status too", () => {
    const old = object({ status: { phase: "Down" } });
    const now = object({ status: { phase: "Down", replicas: 1 } });
    expect(texts({ object: now, old, subresource: "status" })).toEqual([]);
  });

  it.each<[JsonObject, string[]]>([
    [{ spec: { replicas: 3 }, status: { replicas: 2, selector: "a=b" } }, []],
    [{ spec: {} }, []],
    [{ spec: { replicas: -1 } }, [".spec.replicas: Invalid value: -1: should be a non-negative integer"]],
    [
      { status: { replicas: 2147483648 } },
      [".status.replicas: Invalid value: 2147483648: should be less than or equal to 2147483647"],
    ],
    [
      { status: { selector: 5 } },
      [
        '.status.selector: Invalid value: "": .status.selector accessor error: 5 is of the type int64, expected string',
      ],
    ],
    [
      { spec: "text" },
      [
        'spec: Invalid value: "string": spec in body must be of type object: "string"',
        ".spec.replicas: Invalid value: 0: .spec.replicas accessor error: text is of the type string, expected map[string]interface{}",
      ],
    ],
    [
      { status: { replicas: { a: [1] } } },
      [
        'status.replicas: Invalid value: "object": status.replicas in body must be of type integer: "object"',
        ".status.replicas: Invalid value: 0: .status.replicas accessor error: map[a:[1]] is of the type map[string]interface {}, expected int64",
      ],
    ],
  ])("finds with a scale subresource in %j %j", (fields, expected) => {
    expect(texts({ object: object(fields), scale })).toEqual(expected);
  });
});
