/** Object schemas that many kinds share, in the shapes of the Kubernetes API. */
import * as z from "zod";
import type { PodTemplateSpec } from "../builtin/core/v1.ts";
import type { LabelSelector } from "../object/label-selector.ts";
import type { Condition, JsonObject, KubeObject } from "../object/object.ts";
import type { JsonSchema } from "../schema/json-schema.ts";
import { builtinStructural } from "./builtin-structural.ts";
import { atomic, listMap } from "./k8s-lists.ts";
import { dateTime, int64 } from "./k8s-scalars.ts";
import type { KindOf } from "./kind.ts";
import { markCheck } from "./zod/schema-mark.ts";

/**
 * The list that `setCondition` keeps, one entry per type. Optional, so that a status can start without it.
 * Source of the limits: meta/v1 Condition.
 */
export function conditions(): z.ZodOptional<z.ZodArray<z.ZodType<Condition, Condition>>> {
  const condition = z.object({
    type: z
      .string()
      .max(316)
      .regex(
        /^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$/,
      )
      .describe("What the condition is about, for example Available"),
    status: z.enum(["True", "False", "Unknown"]),
    observedGeneration: int64()
      .min(0)
      .exactOptional()
      .describe("The metadata.generation that the condition was set for"),
    lastTransitionTime: dateTime().describe("When the status last changed"),
    reason: z
      .string()
      .min(1)
      .max(1024)
      .regex(/^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/)
      .describe("Why the status is what it is, as one word for machines"),
    message: z.string().max(32768).describe("Why the status is what it is, for people"),
  });
  return listMap(condition, "type").optional() as z.ZodOptional<z.ZodArray<z.ZodType<Condition, Condition>>>;
}

/** Selects objects by label: `{ matchLabels: { app: "web" } }`. Source: meta/v1 LabelSelector. */
export function labelSelector(): z.ZodType<LabelSelector, LabelSelector> {
  return z
    .object({
      matchExpressions: z
        .array(
          z.object({
            key: z.string(),
            operator: z.string(),
            values: z.array(z.string()).check(atomic()).exactOptional(),
          }),
        )
        .check(atomic())
        .exactOptional(),
      matchLabels: z.record(z.string(), z.string()).exactOptional(),
    })
    .check(atomic()) as z.ZodType<LabelSelector, LabelSelector>;
}

/** A reference to any object. Source: core/v1 ObjectReference. */
export interface ObjectReference {
  apiVersion?: string;
  kind?: string;
  namespace?: string;
  name?: string;
  uid?: string;
  resourceVersion?: string;
  fieldPath?: string;
}

/** A reference to any object, by kind, namespace and name. */
export function objectReference(): z.ZodType<ObjectReference, ObjectReference> {
  const text = z.string().exactOptional();
  return z
    .object({
      apiVersion: text,
      fieldPath: text,
      kind: text,
      name: text,
      namespace: text,
      resourceVersion: text,
      uid: text,
    })
    .check(atomic());
}

/** A reference to an object of a known kind in the same namespace. Source: core/v1 LocalObjectReference. */
export function localObjectReference(): z.ZodType<{ name: string }, { name: string }> {
  return z.object({ name: z.string().min(1) }).check(atomic());
}

/** A reference to an object of any kind in the same namespace. Source: core/v1 TypedLocalObjectReference. */
export function typedLocalObjectReference(): z.ZodType<TypedLocalObjectReference, TypedLocalObjectReference> {
  return z
    .object({ apiGroup: z.string().exactOptional(), kind: z.string(), name: z.string() })
    .check(atomic());
}

/** Source: core/v1 TypedLocalObjectReference. */
export interface TypedLocalObjectReference {
  apiGroup?: string;
  kind: string;
  name: string;
}

/** One key of a Secret or ConfigMap in the same namespace. Source: core/v1 SecretKeySelector. */
export interface KeySelector {
  name: string;
  key: string;
  optional?: boolean;
}

/** One key of a Secret in the same namespace. */
export function secretKeySelector(): z.ZodType<KeySelector, KeySelector> {
  return z
    .object({ name: z.string(), key: z.string(), optional: z.boolean().exactOptional() })
    .check(atomic());
}

/** One key of a ConfigMap in the same namespace. */
export function configMapKeySelector(): z.ZodType<KeySelector, KeySelector> {
  return secretKeySelector();
}

/**
 * A whole object inside of this one, of a known kind (`k8s.embeddedResource<typeof Job>()`) or of any. The API server checks
 * apiVersion, kind and metadata, and keeps all other fields as they are.
 */
export function embeddedResource<K = unknown>(): z.ZodType<EmbeddedObject<K>, EmbeddedObject<K>> {
  return raw<EmbeddedObject<K>>({
    type: "object",
    "x-kubernetes-embedded-resource": true,
    "x-kubernetes-preserve-unknown-fields": true,
  });
}

type EmbeddedObject<K> = [KindOf<K>] extends [never] ? KubeObject & JsonObject : KindOf<K>;

/**
 * The template of pods, as Deployments have it, with its whole schema: the API server checks it, and managers can own single
 * containers. That is some 40 KB of CustomResourceDefinition; `k8s.anyObject<PodTemplateSpec>()` is small and unchecked.
 */
export function podTemplateSpec(): z.ZodType<PodTemplateSpec, PodTemplateSpec> {
  return builtinType<PodTemplateSpec>("io.k8s.api.core.v1.PodTemplateSpec");
}

/**
 * A type of the built-in kinds, by the name of its OpenAPI definition; the static type comes from the kind's entry point.
 *
 * ```ts
 * import type { ResourceRequirements } from "@bowline/api/core/v1";
 * resources: k8s.builtinType<ResourceRequirements>("io.k8s.api.core.v1.ResourceRequirements").optional()
 * ```
 * @throws Error for a name that is not there
 */
export function builtinType<T>(definition: string): z.ZodType<T, T> {
  return raw<T>(builtinStructural(definition));
}

/** An object of which the API server keeps every field and checks none. */
export function anyObject<T extends object = JsonObject>(): z.ZodType<T, T> {
  return raw<T>({ type: "object", "x-kubernetes-preserve-unknown-fields": true });
}

/**
 * A schema written by hand, for what no Zod schema converts to; the static type is yours to state. Zod's own `parse` accepts
 * every value.
 *
 * ```ts
 * const port = k8s.raw<number | string>({ "x-kubernetes-int-or-string": true });
 * ```
 */
export function raw<T>(schema: JsonSchema): z.ZodType<T, T> {
  return z.custom<T>(() => true).check(markCheck({ say: "schema", schema })) as z.ZodType<T, T>;
}

/**
 * Further keywords of the CustomResourceDefinition beside what the Zod construct converts to, for what Zod has no word for:
 * `z.object({ ... }).check(k8s.keywords({ oneOf: [{ required: ["a"] }, { required: ["b"] }] }))`. A keyword that is there
 * already is replaced. The API server checks them; Zod's own `parse` does not.
 */
export function keywords(words: JsonSchema): z.core.$ZodCheck<unknown> {
  return markCheck({ say: "keywords", keywords: words });
}
