/**
 * Tells in the status of a ValidatingAdmissionPolicy which of its expressions do not fit the kinds that it is for.
 * Source: kubernetes pkg/controller/validatingadmissionpolicystatus, apiserver plugin/policy/validating (typechecking.go).
 */
import { type JsonSchema, compileExpression, deepFreeze, jsonEqual } from "@bowline/api";
import { builtinSchema, linkedDefinition } from "@bowline/api/catalog";
import { withMetadata } from "../../registry/metadata.ts";
import type { Resource } from "../../registry/resource.ts";
import type { ResourceCatalog } from "../../registry/resource-catalog.ts";
import type { Bucket } from "../../store/bucket.ts";
import type { Revision, StoredObject } from "../../store/revision.ts";
import type { Store } from "../../store/store.ts";
import type { RequestRule } from "../admission/request-match.ts";
import { policyConditionVariables } from "../../registry/admission-variables.ts";
import type { ValidatingPolicySpec } from "./validating-policies.ts";

/** Most kinds that a policy is checked against. */
const kindsMax = 10;

/** Checks policies right after they were written. Returns how to stop. */
export function checkPolicyTypes(store: Store, catalog: ResourceCatalog): () => void {
  const bucket = store.bucket("admissionregistration.k8s.io/validatingadmissionpolicies");
  const written = new Set<string>();
  let stopped = false;
  const run = (): void => {
    const names = stopped ? [] : [...written];
    written.clear();
    for (const name of names) {
      const revision = bucket.get(name);
      if (revision !== undefined) writeStatus(bucket, revision, catalog);
    }
  };
  const stop = store.onCommit((changed, event) => {
    if (changed !== bucket || event.deleted) return;
    // a change of the status alone asks for nothing
    if (event.previous !== undefined && event.previous.object["spec"] === event.current.object["spec"])
      return;
    if (written.size === 0) queueMicrotask(run);
    written.add(event.key);
  });
  return () => {
    stopped = true;
    stop();
  };
}

function writeStatus(bucket: Bucket, revision: Revision, catalog: ResourceCatalog): void {
  const warnings = expressionWarnings(revision.object, catalog);
  const { generation } = revision.object.metadata;
  const status = {
    ...(revision.object["status"] as object | undefined),
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    typeChecking: warnings.length === 0 ? {} : { expressionWarnings: warnings },
  };
  if (jsonEqual(status as never, (revision.object["status"] ?? null) as never)) return;
  bucket.put(revision.key, revision, (resourceVersion) => {
    const object = { ...revision.object, status } as unknown as StoredObject;
    return deepFreeze(withMetadata(object, { resourceVersion })) as StoredObject;
  });
}

interface ExpressionWarning {
  /** `spec.validations[0].expression`. */
  readonly fieldRef: string;
  readonly warning: string;
}

function expressionWarnings(policy: StoredObject, catalog: ResourceCatalog): ExpressionWarning[] {
  const spec = (policy["spec"] ?? {}) as ValidatingPolicySpec & {
    readonly matchConstraints?: { readonly resourceRules?: readonly RequestRule[] };
  };
  const kinds = kindsNamed(spec.matchConstraints?.resourceRules ?? [], catalog);
  const check = (fieldRef: string, expression: string | undefined): ExpressionWarning[] => {
    if (expression === undefined || expression === "") return [];
    const warning = kinds.map(({ name, schema }) => problemWith(expression, name, schema)).join("");
    return warning === "" ? [] : [{ fieldRef, warning }];
  };
  return (spec.validations ?? []).flatMap((validation, i) => [
    ...check(`spec.validations[${i}].expression`, validation.expression),
    ...check(`spec.validations[${i}].messageExpression`, validation.messageExpression),
  ]);
}

function problemWith(expression: string, name: string, schema: JsonSchema): string {
  const object = { ...schema, nullable: true };
  const { error } = compileExpression(expression, {
    variables: { ...policyConditionVariables, variables: "dyn", object, oldObject: object },
  });
  return error === undefined ? "" : `${name}: compilation failed: ${error}\n`;
}

interface CheckedKind {
  /** `apps/v1, Kind=Deployment`. */
  readonly name: string;
  readonly schema: JsonSchema;
}

/** The kinds that rules name without any star, in order. */
function kindsNamed(rules: readonly RequestRule[], catalog: ResourceCatalog): CheckedKind[] {
  const found = new Map<string, CheckedKind>();
  for (const { apiGroups = [], apiVersions = [], resources = [] } of rules) {
    const plain = resources.filter((resource) => !resource.includes("/"));
    if ([...apiGroups, ...apiVersions, ...plain].includes("*")) continue;
    for (const group of apiGroups) {
      for (const version of apiVersions) {
        for (const plural of plain) {
          const resource = catalog.find(group, version, plural);
          const schema = resource === undefined ? undefined : schemaOf(resource);
          if (resource === undefined || schema === undefined) continue;
          const name = `${group}/${version}, Kind=${resource.api.kind}`;
          found.set(name, { name, schema });
        }
      }
    }
  }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1)).slice(0, kindsMax);
}

/** What is known of a kind's fields. Schemas of schemas hold themselves and are not checked. */
function schemaOf({ api, openapi, typedItems }: Resource): JsonSchema | undefined {
  if (!typedItems) return api.group === "apiextensions.k8s.io" ? undefined : builtinSchema(api);
  const schema = openapi.custom?.schema as JsonSchema | undefined;
  if (schema?.properties === undefined) return undefined;
  const metadata = linkedDefinition("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta");
  const text: JsonSchema = { type: "string" };
  return { ...schema, properties: { ...schema.properties, apiVersion: text, kind: text, metadata } };
}
