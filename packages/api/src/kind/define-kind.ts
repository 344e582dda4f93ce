import type { CrdVersion } from "../crd/custom-resource-definition.ts";
import { deepFreeze } from "../object/freeze.ts";
import type { KubeObject } from "../object/object.ts";
import type { JsonSchema } from "../schema/json-schema.ts";
import { crdProblems } from "./crd-problems.ts";
import type { CustomKind } from "./custom-kind.ts";
import { checkPaths } from "./definition-checks.ts";
import { KindDefinitionError } from "./definition-error.ts";
import { apiVersionOf, kindText } from "./kind.ts";
import type {
  AnyKindDefinition,
  AnyZodSchema,
  CreateObject,
  KindDefinition,
  ReadObject,
} from "./kind-definition.ts";
import { kindSchema } from "./kind-schema.ts";
import { pluralOf } from "./plural.ts";

/**
 * Declares a custom kind: one value that clients, caches, webhooks and the CustomResourceDefinition are made from, and the
 * static type of its objects (`KindOf<typeof Application>`).
 *
 * ```ts
 * export const Application = defineKind({
 *   group: "example.com",
 *   version: "v1",
 *   kind: "Application",
 *   spec: z.object({ replicas: z.int32().min(1).max(10).default(1), image: z.string() }),
 *   status: z.object({ availableReplicas: z.int32().optional(), conditions: k8s.conditions() }),
 * });
 * export type Application = KindOf<typeof Application>;
 * ```
 *
 * @throws KindDefinitionError naming every place of the definition that a CustomResourceDefinition cannot express, and
 *   what to write instead.
 */
export function defineKind<
  const Group extends string,
  const Version extends string,
  const Name extends string,
  Spec extends AnyZodSchema = never,
  Status extends AnyZodSchema = never,
  const Fields extends Readonly<Record<string, AnyZodSchema>> = Readonly<Record<string, AnyZodSchema>>,
>(
  definition: KindDefinition<Group, Version, Name, Spec, Status, Fields>,
): CustomKind<
  ReadObject<`${Group}/${Version}`, Name, Spec, Status, Fields>,
  CreateObject<`${Group}/${Version}`, Name, Spec, Status, Fields>
> {
  return kindFrom(definition);
}

function kindFrom<Read extends KubeObject, Create>(definition: AnyKindDefinition): CustomKind<Read, Create> {
  const { schema, problems } = kindSchema(definition);
  const found = [...problems, ...(problems.length === 0 ? checkPaths(definition, schema) : [])];
  const kind = kindValue<Read, Create>(definition, schema);
  if (found.length === 0) found.push(...crdProblems(kind));
  if (found.length > 0) throw new KindDefinitionError(kindText(definition), found);
  return kind;
}

function kindValue<Read extends KubeObject, Create>(
  definition: AnyKindDefinition,
  schema: JsonSchema,
): CustomKind<Read, Create> {
  const { group, version, kind } = definition;
  return Object.freeze({
    group,
    version,
    apiVersion: apiVersionOf(group, version),
    kind,
    listKind: definition.listKind ?? `${kind}List`,
    plural: definition.plural ?? pluralOf(kind),
    singular: definition.singular ?? kind.toLowerCase(),
    shortNames: Object.freeze([...(definition.shortNames ?? [])]),
    categories: Object.freeze([...(definition.categories ?? [])]),
    scope: definition.scope ?? "Namespaced",
    schema: deepFreeze(schema) as JsonSchema,
    crdVersion: deepFreeze(crdVersion(definition, schema)) as CrdVersion,
    crdMetadata: deepFreeze({
      annotations: { ...definition.annotations },
      labels: { ...definition.labels },
    }),
    zod: Object.freeze({ spec: definition.spec, status: definition.status }),
  });
}

function crdVersion(definition: AnyKindDefinition, schema: JsonSchema): CrdVersion {
  const { deprecated, printerColumns = [], selectableFields = [], scale } = definition;
  const hasStatus = definition.statusSubresource ?? definition.status !== undefined;
  return {
    name: definition.version,
    served: definition.served ?? true,
    storage: true,
    ...(deprecated === undefined || deprecated === false ? {} : { deprecated: true }),
    ...(typeof deprecated === "string" ? { deprecationWarning: deprecated } : {}),
    schema: { openAPIV3Schema: schema },
    ...(hasStatus || scale !== undefined
      ? {
          subresources: {
            ...(hasStatus ? { status: {} } : {}),
            ...(scale === undefined ? {} : { scale: { ...scale } }),
          },
        }
      : {}),
    ...(selectableFields.length === 0
      ? {}
      : { selectableFields: selectableFields.map((jsonPath) => ({ jsonPath })) }),
    ...(printerColumns.length === 0
      ? {}
      : { additionalPrinterColumns: printerColumns.map((column) => ({ ...column })) }),
  };
}
