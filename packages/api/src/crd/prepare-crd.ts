/** What the server sets itself before it validates a CRD. Source: customresourcedefinition/strategy.go. */
import { jsonEqual } from "../schema/json-value.ts";
import type { CrdStatus, CustomResourceDefinition } from "./custom-resource-definition.ts";

/** The status of a CRD that no controller has looked at. */
export function emptyCrdStatus(): CrdStatus {
  return { conditions: null, acceptedNames: { plural: "", kind: "" }, storedVersions: [] };
}

/** A new CRD before validation: status emptied, the storage version recorded, generation 1. */
export function prepareCrdForCreate(crd: CustomResourceDefinition): CustomResourceDefinition {
  return withStorageVersion({
    ...crd,
    metadata: { ...crd.metadata, generation: 1 },
    status: emptyCrdStatus(),
  });
}

/** A changed CRD before validation: status kept from the old one, the storage version recorded, generation counted. */
export function prepareCrdForUpdate(
  crd: CustomResourceDefinition,
  old: CustomResourceDefinition,
): CustomResourceDefinition {
  const before = old.metadata.generation ?? 0;
  const generation = jsonEqual(crd.spec, old.spec) ? before : before + 1;
  const status = old.status ?? emptyCrdStatus();
  return withStorageVersion({ ...crd, metadata: { ...crd.metadata, generation }, status });
}

/** A status update before validation: the spec is kept; metadata may change here too, as on the real server. */
export function prepareCrdForStatusUpdate(
  crd: CustomResourceDefinition,
  old: CustomResourceDefinition,
): CustomResourceDefinition {
  return { ...crd, spec: old.spec };
}

function withStorageVersion(crd: CustomResourceDefinition): CustomResourceDefinition {
  const storage = crd.spec.versions?.find((version) => version.storage)?.name;
  const status = crd.status ?? emptyCrdStatus();
  const stored = status.storedVersions ?? [];
  if (storage === undefined || stored.includes(storage)) return crd;
  return { ...crd, status: { ...status, storedVersions: [...stored, storage] } };
}
