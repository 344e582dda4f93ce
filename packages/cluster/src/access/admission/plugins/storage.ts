/** Claims and volumes: a class for claims that name none, and protection of what is in use. */
import { compareQuantities, forbidden, parseQuantity } from "@bowline/api";
import type { AdmissionPlugin } from "../../../registry/admission.ts";
import { withMetadata } from "../../../registry/metadata.ts";
import type { Bucket } from "../../../store/bucket.ts";
import type { StoredObject } from "../../../store/revision.ts";
import { newestDefault } from "./newest-default.ts";
import { objectOf } from "./pod-fields.ts";

const isDefault = [
  "storageclass.kubernetes.io/is-default-class",
  "storageclass.beta.kubernetes.io/is-default-class",
];

/** Source: kubernetes plugin/pkg/admission/storage/storageclass/setdefault. */
export function defaultStorageClass(claims: Bucket, classes: Bucket): AdmissionPlugin {
  return {
    name: "DefaultStorageClass",
    mutate(request) {
      const claim = objectOf(request);
      if (request.resource.bucket !== claims || request.operation !== "CREATE" || request.subresource !== "")
        return claim;
      const spec = (claim["spec"] ?? {}) as { storageClassName?: string };
      const named = claim.metadata.annotations?.["volume.beta.kubernetes.io/storage-class"] !== undefined;
      if (named || spec.storageClassName !== undefined) return claim;
      const name = newestDefault(classes, isDefault);
      return name === undefined
        ? claim
        : ({ ...claim, spec: { ...spec, storageClassName: name } } as StoredObject);
    },
  };
}

/** Source: kubernetes plugin/pkg/admission/storage/persistentvolume/resize. */
export function claimResize(claims: Bucket, classes: Bucket): AdmissionPlugin {
  return {
    name: "PersistentVolumeClaimResize",
    validate({ resource, operation, subresource, object, oldObject }) {
      if (resource.bucket !== claims || operation !== "UPDATE" || subresource !== "") return;
      const before = (oldObject ?? {}) as Claim;
      const after = (object ?? {}) as Claim;
      if (compareQuantities(sizeOf(after), sizeOf(before)) <= 0) return;
      const refuse = (why: string): Error =>
        forbidden({ group: "", resource: "persistentvolumeclaims" }, after.metadata?.name ?? "", why);
      if (before.status?.phase !== "Bound")
        throw refuse("Only bound persistent volume claims can be expanded");
      const name = after.spec?.storageClassName ?? "";
      const storageClass = name === "" ? undefined : classes.get(name)?.object;
      if (before.spec?.storageClassName !== name || storageClass?.["allowVolumeExpansion"] !== true) {
        const why =
          "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize";
        throw refuse(why);
      }
    },
  };
}

interface Claim {
  readonly metadata?: { readonly name?: string };
  readonly spec?: {
    readonly storageClassName?: string;
    readonly resources?: { readonly requests?: Readonly<Record<string, unknown>> };
  };
  readonly status?: { readonly phase?: string };
}

function sizeOf({ spec }: Claim): ReturnType<typeof parseQuantity> {
  return parseQuantity(String(spec?.resources?.requests?.["storage"] ?? "0"));
}

/** Source: kubernetes plugin/pkg/admission/storage/storageobjectinuseprotection. */
export function storageProtection(given: {
  readonly claims: Bucket;
  readonly volumes: Bucket;
  /** Without the controllers that take the protection away again, nothing could ever be deleted. */
  readonly isActive: () => boolean;
}): AdmissionPlugin {
  const finalizerFor = (bucket: Bucket): string | undefined => {
    if (bucket === given.claims) return "kubernetes.io/pvc-protection";
    return bucket === given.volumes ? "kubernetes.io/pv-protection" : undefined;
  };
  return {
    name: "StorageObjectInUseProtection",
    mutate(request) {
      const object = objectOf(request);
      const finalizer = finalizerFor(request.resource.bucket);
      if (finalizer === undefined || request.operation !== "CREATE" || request.subresource !== "")
        return object;
      const finalizers = object.metadata.finalizers ?? [];
      if (!given.isActive() || finalizers.includes(finalizer)) return object;
      return withMetadata(object, { finalizers: [...finalizers, finalizer] });
    },
  };
}
