import type { JsonSchema } from "../schema/json-schema.ts";
import type { ObjectMeta } from "../object/object.ts";

/** A CustomResourceDefinition as on the wire. Source: apiextensions/v1 CustomResourceDefinition. */
export interface CustomResourceDefinition {
  apiVersion: "apiextensions.k8s.io/v1";
  kind: "CustomResourceDefinition";
  metadata: ObjectMeta;
  spec: CrdSpec;
  status?: CrdStatus;
}

export interface CrdSpec {
  group: string;
  names: CrdNames;
  scope: "Namespaced" | "Cluster" | (string & {});
  versions: CrdVersion[];
  conversion?: CrdConversion;
  /** Deprecated: true can only be kept, not newly set. */
  preserveUnknownFields?: boolean;
}

export interface CrdNames {
  plural: string;
  singular?: string;
  kind: string;
  listKind?: string;
  shortNames?: string[];
  categories?: string[];
}

export interface CrdVersion {
  name: string;
  served: boolean;
  storage: boolean;
  deprecated?: boolean;
  deprecationWarning?: string;
  schema?: { openAPIV3Schema?: JsonSchema };
  subresources?: CrdSubresources;
  additionalPrinterColumns?: CrdPrinterColumn[];
  selectableFields?: { jsonPath: string }[];
}

export interface CrdSubresources {
  status?: Record<string, never>;
  scale?: CrdScale;
}

/** Where the scale subresource finds its numbers: simple JSON paths such as `.spec.replicas`. */
export interface CrdScale {
  specReplicasPath: string;
  statusReplicasPath: string;
  labelSelectorPath?: string;
}

export interface CrdPrinterColumn {
  name: string;
  type: "integer" | "number" | "string" | "boolean" | "date" | (string & {});
  jsonPath: string;
  format?: string;
  description?: string;
  /** 0 is always shown; higher ones only in wide output. */
  priority?: number;
}

export interface CrdConversion {
  strategy: "None" | "Webhook" | (string & {});
  webhook?: {
    clientConfig?: {
      url?: string;
      service?: { namespace: string; name: string; path?: string; port?: number };
      /** Base64 of a PEM bundle. */
      caBundle?: string;
    };
    conversionReviewVersions: string[];
  };
}

export type CrdConditionType =
  | "NamesAccepted"
  | "Established"
  | "NonStructuralSchema"
  | "Terminating"
  | "KubernetesAPIApprovalPolicyConformant"
  | (string & {});

export interface CrdCondition {
  type: CrdConditionType;
  status: "True" | "False" | "Unknown";
  /** RFC 3339, whole seconds. */
  lastTransitionTime?: string;
  reason?: string;
  message?: string;
  observedGeneration?: number;
}

export interface CrdStatus {
  /** Null until a controller has looked at the CRD. */
  conditions: CrdCondition[] | null;
  acceptedNames: CrdNames;
  storedVersions: string[];
  observedGeneration?: number;
}

/** The finalizer that keeps a deleted CRD until its custom resources are gone. */
export const customResourceCleanupFinalizer = "customresourcecleanup.apiextensions.k8s.io";

/** Whether the status holds this condition as True. */
export function isCrdConditionTrue(
  crd: Pick<CustomResourceDefinition, "status">,
  type: CrdConditionType,
): boolean {
  return crd.status?.conditions?.some((c) => c.type === type && c.status === "True") ?? false;
}
