import { type SchemaRules, compileSchemaRules } from "../cel/schema-rules.ts";
import type { CrdScale } from "../crd/custom-resource-definition.ts";
import type { Json, JsonObject } from "../object/object.ts";
import {
  type StructuralSchema,
  applyDefaults,
  compileSchema,
  decodeCustomResource,
} from "../schema/structural-schema.ts";
import { validateCustomResource } from "../schema/validate-custom-resource.ts";
import type { FieldError } from "../status/field-error.ts";
import type { AnyCustomKind } from "./custom-kind.ts";

export interface CheckObjectOptions {
  /** What is stored: rules about changes run, and errors that were there before are forgiven. Absent for a create. */
  readonly old?: unknown;
}

export interface CheckedObject {
  /** The object as the API server would store it: unknown fields pruned, defaults filled in. */
  readonly object: JsonObject;
  /** What the API server would refuse it for, in its words; empty when it would take it. */
  readonly errors: readonly FieldError[];
  readonly warnings: readonly string[];
}

interface CompiledKind {
  readonly schema: StructuralSchema;
  readonly rules: SchemaRules | undefined;
}

const compiled = new WeakMap<AnyCustomKind, CompiledKind>();

/**
 * Does with an object of a custom kind what the API server does on a write, without any server: prunes, fills in defaults,
 * checks schema and CEL rules. For unit tests of a kind, and to check before sending.
 *
 * ```ts
 * const { errors } = checkObject(Application, { metadata: { name: "a" }, spec: { replicas: 11, image: "nginx" } });
 * expect(errors.map(fieldErrorText)).toEqual([...]);
 * ```
 * @param object apiVersion, kind and, for a namespaced kind, the namespace may be left out
 */
export function checkObject(
  kind: AnyCustomKind,
  object: unknown,
  options: CheckObjectOptions = {},
): CheckedObject {
  const { schema, rules } = compiledKind(kind);
  const decoded = decodeCustomResource(schema, withIdentity(kind, object));
  if (decoded.error !== undefined) {
    const error: FieldError = { type: "Invalid", field: "", detail: decoded.error };
    return { object: decoded.object, errors: [error], warnings: [] };
  }
  const defaulted = applyDefaults(schema, decoded.object);
  const old =
    options.old === undefined
      ? undefined
      : applyDefaults(schema, decodeCustomResource(schema, withIdentity(kind, options.old)).object);
  const verdict = validateCustomResource({
    schema,
    rules,
    kind,
    namespaced: kind.scope === "Namespaced",
    scale: kind.crdVersion.subresources?.scale as CrdScale | undefined,
    object: defaulted,
    old,
  });
  return { object: defaulted, errors: verdict.errors, warnings: verdict.warnings };
}

function compiledKind(kind: AnyCustomKind): CompiledKind {
  let found = compiled.get(kind);
  if (found === undefined) {
    found = { schema: compileSchema(kind.schema), rules: compileSchemaRules(kind.schema) };
    compiled.set(kind, found);
  }
  return found;
}

/** The object with what a client fills in and a check needs. The resource version makes an update pass as one. */
function withIdentity(kind: AnyCustomKind, object: unknown): JsonObject {
  const given = object as { readonly [field: string]: Json };
  const metadata = (given["metadata"] ?? {}) as JsonObject;
  return {
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    ...given,
    metadata: {
      ...(kind.scope === "Namespaced" ? { namespace: "default" } : {}),
      resourceVersion: "1",
      uid: "00000000-0000-0000-0000-000000000000",
      ...metadata,
    },
  };
}
