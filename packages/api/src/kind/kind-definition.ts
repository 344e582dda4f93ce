import type * as z from "zod";
import type { CrdPrinterColumn, CrdScale } from "../crd/custom-resource-definition.ts";
import type { KubeObject, ObjectMeta } from "../object/object.ts";
import type { ValidationRule } from "../schema/json-schema.ts";

/** Any Zod 4 schema, of `zod` or `zod/mini`. */
export type AnyZodSchema = z.core.$ZodType;

/**
 * What `defineKind` takes. `spec` and `status` are Zod schemas of objects; everything else is what a
 * CustomResourceDefinition says, under the names that it has there.
 */
export interface KindDefinition<
  Group extends string,
  Version extends string,
  Name extends string,
  Spec extends AnyZodSchema,
  Status extends AnyZodSchema,
  Fields extends Readonly<Record<string, AnyZodSchema>>,
> {
  /** `example.com`. */
  readonly group: Group;
  /** `v1`, `v1beta1`, ... */
  readonly version: Version;
  /** `Application`. */
  readonly kind: Name;
  /** Default: the English plural of the kind in lower case, `applications`, `proxies`. */
  readonly plural?: string;
  /** Default: the kind in lower case. */
  readonly singular?: string;
  /** Default: the kind followed by `List`. */
  readonly listKind?: string;
  readonly shortNames?: readonly string[];
  /** Groups of kinds that kubectl lists together: `all`. */
  readonly categories?: readonly string[];
  /** Default `Namespaced`. */
  readonly scope?: "Namespaced" | "Cluster";
  /** What the user asks for: a Zod object. */
  readonly spec?: Spec;
  /** What the controller saw: a Zod object. Declaring it turns the status subresource on. */
  readonly status?: Status;
  /** Fields beside `metadata`, `spec` and `status`, for kinds without that split, as `data` in a ConfigMap. */
  readonly fields?: Fields;
  /** Constraints on the object's own name; a CRD can restrict nothing else in `metadata`. */
  readonly metadata?: { readonly name?: AnyZodSchema; readonly generateName?: AnyZodSchema };
  /** CEL rules on the whole object: `self.spec`, `self.status`, `self.metadata.name`. */
  readonly rules?: readonly ValidationRule[];
  /** Describes the kind in `kubectl explain`. */
  readonly description?: string;
  readonly printerColumns?: readonly CrdPrinterColumn[];
  /** The scale subresource, for `kubectl scale` and autoscalers. */
  readonly scale?: CrdScale;
  /** Default: true when `status` is declared. */
  readonly statusSubresource?: boolean;
  /** Paths that `--field-selector` can use beside name and namespace: `.spec.host`. */
  readonly selectableFields?: readonly string[];
  /** True, or the warning that clients of this version get. */
  readonly deprecated?: boolean | string;
  /** False: the server knows the version but does not serve it. Default true. */
  readonly served?: boolean;
  /** Metadata of the CustomResourceDefinition, for example `api-approved.kubernetes.io`. */
  readonly annotations?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
}

/** The objects of a kind as a read answers them: what has a default is there. */
export type ReadObject<
  ApiVersion extends string,
  Name extends string,
  Spec,
  Status,
  Fields extends Readonly<Record<string, AnyZodSchema>>,
> = Extract<
  Flat<
    { apiVersion: ApiVersion; kind: Name; metadata: ObjectMeta } & Section<"spec", OutputOf<Spec>> &
      ([Status] extends [never] ? unknown : { status?: OutputOf<Status> }) &
      OtherFields<Fields, "output">
  >,
  KubeObject
>;

/** The objects of a kind as a write may send them: what has a default is optional, apiVersion and kind are too. */
export type CreateObject<
  ApiVersion extends string,
  Name extends string,
  Spec,
  Status,
  Fields extends Readonly<Record<string, AnyZodSchema>>,
> = Flat<
  { apiVersion?: ApiVersion | undefined; kind?: Name | undefined; metadata: ObjectMeta } & Section<
    "spec",
    InputOf<Spec>
  > &
    ([Status] extends [never] ? unknown : { status?: InputOf<Status> | undefined }) &
    OtherFields<Fields, "input">
>;

type Flat<T> = { [K in keyof T]: T[K] } & unknown;
type OutputOf<S> = S extends AnyZodSchema ? z.core.output<S> : never;
type InputOf<S> = S extends AnyZodSchema ? z.core.input<S> : never;
type Section<Field extends string, T> = [T] extends [never]
  ? unknown
  : undefined extends T
    ? { [F in Field]?: Exclude<T, undefined> }
    : { [F in Field]: T };
type OtherFields<
  Fields extends Readonly<Record<string, AnyZodSchema>>,
  Side extends "input" | "output",
> = string extends keyof Fields
  ? unknown
  : Side extends "output"
    ? z.core.$InferObjectOutput<Fields, Record<never, never>>
    : z.core.$InferObjectInput<Fields, Record<never, never>>;

/** Any kind's definition, for code that does not care for its types. */
export type AnyKindDefinition = KindDefinition<
  string,
  string,
  string,
  AnyZodSchema,
  AnyZodSchema,
  Readonly<Record<string, AnyZodSchema>>
>;
