import { describe, expect, it } from "vitest";
import type { ObjectMeta } from "../object/object.ts";
import { fieldErrorText } from "../status/field-error.ts";
import type { CrdSpec, CustomResourceDefinition } from "./custom-resource-definition.ts";
import { validateCrdUpdate } from "./validate-crd.ts";

// Expected causes are those of k8s.io/apiextensions-apiserver v0.36, each once: the registry reports metadata again.

interface Circumstances {
  /** Default true. */
  readonly established?: boolean;
  readonly metadata?: ObjectMeta;
  readonly oldMetadata?: ObjectMeta;
  /** Versions that are stored, default v1. */
  readonly stored?: readonly string[];
}

function crd(
  spec: Partial<CrdSpec>,
  metadata: ObjectMeta,
  circumstances: Circumstances,
): CustomResourceDefinition {
  const names = { plural: "kettles", singular: "kettle", kind: "Kettle", listKind: "KettleList" };
  const openAPIV3Schema = { type: "object", properties: { spec: { type: "object" } } };
  const whole: CrdSpec = {
    group: "example.com",
    scope: "Namespaced",
    names,
    conversion: { strategy: "None" },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema } }],
    ...spec,
  };
  const established = circumstances.established ?? true;
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "kettles.example.com", resourceVersion: "1", uid: "u", generation: 1, ...metadata },
    spec: whole,
    status: {
      conditions: established ? [{ type: "Established", status: "True" }] : [],
      acceptedNames: whole.names,
      storedVersions: [...(circumstances.stored ?? ["v1"])],
    },
  };
}

type Case = readonly [
  what: string,
  old: Partial<CrdSpec>,
  now: Partial<CrdSpec>,
  circumstances: Circumstances,
  causes: readonly string[],
];

const cases: readonly Case[] = [
  ["changes nothing", {}, {}, {}, []],
  [
    "adds a version",
    {},
    {
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", properties: { spec: { type: "object" } } } },
        },
        {
          name: "v2",
          served: true,
          storage: false,
          schema: { openAPIV3Schema: { type: "object", properties: { spec: { type: "object" } } } },
        },
      ],
    },
    {},
    [],
  ],
  [
    "moves storage to a new version",
    {},
    {
      versions: [
        {
          name: "v1",
          served: true,
          storage: false,
          schema: { openAPIV3Schema: { type: "object", properties: { spec: { type: "object" } } } },
        },
        {
          name: "v2",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", properties: { spec: { type: "object" } } } },
        },
      ],
    },
    { stored: ["v1", "v2"] },
    [],
  ],
  [
    "removes a version that was stored",
    {
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", properties: { spec: { type: "object" } } } },
        },
        {
          name: "v2",
          served: true,
          storage: false,
          schema: { openAPIV3Schema: { type: "object", properties: { spec: { type: "object" } } } },
        },
      ],
    },
    {
      versions: [
        {
          name: "v2",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", properties: { spec: { type: "object" } } } },
        },
      ],
    },
    { stored: ["v1", "v2"] },
    [
      'status.storedVersions[0]: Invalid value: "v1": missing from spec.versions; v1 was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in v1 and removes v1 from status.storedVersions',
    ],
  ],
  [
    "changes the kind of an established CRD",
    {},
    { names: { plural: "kettles", singular: "kettle", kind: "Pot", listKind: "KettleList" } },
    {},
    ['spec.names.kind: Invalid value: "Pot": field is immutable'],
  ],
  [
    "changes the kind before it is established",
    {},
    { names: { plural: "kettles", singular: "kettle", kind: "Pot", listKind: "KettleList" } },
    { established: false },
    [],
  ],
  [
    "changes the scope of an established CRD",
    {},
    { scope: "Cluster" },
    {},
    ['spec.scope: Invalid value: "Cluster": field is immutable'],
  ],
  ["changes the scope before it is established", {}, { scope: "Cluster" }, { established: false }, []],
  [
    "changes the plural",
    {},
    { names: { plural: "pots", singular: "kettle", kind: "Kettle", listKind: "KettleList" } },
    {},
    ['spec.names.plural: Invalid value: "pots": field is immutable'],
  ],
  [
    "changes the group",
    {},
    { group: "other.com" },
    {},
    ['spec.group: Invalid value: "other.com": field is immutable'],
  ],
  [
    "changes the singular",
    {},
    { names: { plural: "kettles", singular: "pot", kind: "Kettle", listKind: "KettleList" } },
    {},
    [],
  ],
  [
    "changes the list kind",
    {},
    { names: { plural: "kettles", singular: "kettle", kind: "Kettle", listKind: "Pots" } },
    {},
    [],
  ],
  [
    "keeps a schema that is not structural",
    {
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", properties: { spec: {} } } },
        },
      ],
    },
    {
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", properties: { spec: {} } } },
        },
      ],
    },
    {},
    [
      "spec.validation.openAPIV3Schema.properties[spec].type: Required value: must not be empty for specified object fields",
    ],
  ],
  [
    "keeps one when something else changes",
    {
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", properties: { spec: {} } } },
        },
      ],
    },
    {
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", properties: { spec: {} } } },
        },
        {
          name: "v2",
          served: true,
          storage: false,
          schema: { openAPIV3Schema: { type: "object", properties: { spec: { type: "object" } } } },
        },
      ],
    },
    {},
    [
      "spec.versions[0].schema.openAPIV3Schema.properties[spec].type: Required value: must not be empty for specified object fields",
    ],
  ],
  [
    "keeps one that the CRD may have, preserving unknown fields",
    {
      preserveUnknownFields: true,
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", properties: { spec: {} } } },
        },
      ],
    },
    {
      preserveUnknownFields: true,
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", properties: { spec: {} } } },
        },
      ],
    },
    {},
    [],
  ],
  [
    "starts preserving unknown fields",
    {},
    { preserveUnknownFields: true },
    {},
    [
      "spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead",
    ],
  ],
  [
    "stops preserving unknown fields",
    { preserveUnknownFields: true },
    { preserveUnknownFields: false },
    {},
    [],
  ],
  [
    "keeps a version without a schema",
    { versions: [{ name: "v1", served: true, storage: true }] },
    { versions: [{ name: "v1", served: true, storage: true }] },
    {},
    ["spec.versions[0].schema.openAPIV3Schema: Required value: because otherwise all fields are pruned"],
  ],
  [
    "keeps an unserved version without a schema",
    {
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", properties: { spec: { type: "object" } } } },
        },
        { name: "v0", served: false, storage: false },
      ],
    },
    {
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", properties: { spec: { type: "object" } } } },
        },
        { name: "v0", served: false, storage: false },
      ],
    },
    {},
    [],
  ],
  [
    "drops the schema of a version",
    {},
    { versions: [{ name: "v1", served: true, storage: true }] },
    {},
    ["spec.versions[0].schema.openAPIV3Schema: Required value"],
  ],
  [
    "keeps an unpruned default",
    {
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: "object",
              properties: {
                spec: { type: "object", properties: { a: { type: "string" } }, default: { b: 1 } },
              },
            },
          },
        },
      ],
    },
    {
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: "object",
              properties: {
                spec: { type: "object", properties: { a: { type: "string" } }, default: { b: 2 } },
              },
            },
          },
        },
      ],
    },
    {},
    [],
  ],
  [
    "adds an unpruned default",
    {},
    {
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: "object",
              properties: {
                spec: { type: "object", properties: { a: { type: "string" } }, default: { b: 1 } },
              },
            },
          },
        },
      ],
    },
    {},
    [
      'spec.validation.openAPIV3Schema.properties[spec].default: Invalid value: {"b":1}: must not have unknown fields',
    ],
  ],
  [
    "keeps a set of objects that are not atomic",
    {
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: "object",
              properties: {
                spec: { type: "array", items: { type: "object" }, "x-kubernetes-list-type": "set" },
              },
            },
          },
        },
      ],
    },
    {
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: "object",
              properties: {
                spec: {
                  type: "array",
                  items: { type: "object" },
                  "x-kubernetes-list-type": "set",
                  maxItems: 3,
                },
              },
            },
          },
        },
      ],
    },
    {},
    [],
  ],
  [
    "adds a set of objects that are not atomic",
    {},
    {
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: "object",
              properties: {
                spec: { type: "array", items: { type: "object" }, "x-kubernetes-list-type": "set" },
              },
            },
          },
        },
      ],
    },
    {},
    [
      "spec.validation.openAPIV3Schema.properties[spec].items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with x-kubernetes-list-type=set",
    ],
  ],
  [
    "keeps a map list with an optional key",
    {
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: "object",
              properties: {
                spec: {
                  type: "array",
                  items: { type: "object", properties: { k: { type: "string" } } },
                  "x-kubernetes-list-type": "map",
                  "x-kubernetes-list-map-keys": ["k"],
                },
              },
            },
          },
        },
      ],
    },
    {
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: "object",
              properties: {
                spec: {
                  type: "array",
                  items: { type: "object", properties: { k: { type: "string" } } },
                  "x-kubernetes-list-type": "map",
                  "x-kubernetes-list-map-keys": ["k"],
                  maxItems: 3,
                },
              },
            },
          },
        },
      ],
    },
    {},
    [],
  ],
  [
    "adds a map list with an optional key",
    {},
    {
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: "object",
              properties: {
                spec: {
                  type: "array",
                  items: { type: "object", properties: { k: { type: "string" } } },
                  "x-kubernetes-list-type": "map",
                  "x-kubernetes-list-map-keys": ["k"],
                },
              },
            },
          },
        },
      ],
    },
    {},
    [
      "spec.validation.openAPIV3Schema.properties[spec].items.properties[k].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property",
    ],
  ],
  [
    "keeps an unknown type",
    {
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", properties: { spec: { type: "foo" } } } },
        },
      ],
    },
    {
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", properties: { spec: { type: "foo" } } } },
        },
      ],
    },
    {},
    [],
  ],
  [
    "keeps review versions that the server does not know",
    {
      conversion: {
        strategy: "Webhook",
        webhook: { clientConfig: { url: "https://a" }, conversionReviewVersions: ["v9"] },
      },
    },
    {
      conversion: {
        strategy: "Webhook",
        webhook: { clientConfig: { url: "https://b" }, conversionReviewVersions: ["v9"] },
      },
    },
    {},
    [],
  ],
  [
    "takes review versions that the server does not know",
    {},
    {
      conversion: {
        strategy: "Webhook",
        webhook: { clientConfig: { url: "https://a" }, conversionReviewVersions: ["v9"] },
      },
    },
    {},
    [
      'spec.conversion.conversionReviewVersions: Invalid value: ["v9"]: must include at least one of v1, v1beta1',
    ],
  ],
  [
    "takes a bad CA bundle once established",
    {},
    {
      conversion: {
        strategy: "Webhook",
        webhook: { clientConfig: { url: "https://a", caBundle: "Cg==" }, conversionReviewVersions: ["v1"] },
      },
    },
    {},
    [
      'spec.conversion.webhookClientConfig.caBundle: Invalid value: "Cg==": unable to load root certificates: unable to parse bytes as PEM block',
    ],
  ],
  [
    "takes a bad CA bundle before that",
    {},
    {
      conversion: {
        strategy: "Webhook",
        webhook: { clientConfig: { url: "https://a", caBundle: "Cg==" }, conversionReviewVersions: ["v1"] },
      },
    },
    { established: false },
    [],
  ],
  [
    "keeps a bad CA bundle",
    {
      conversion: {
        strategy: "Webhook",
        webhook: { clientConfig: { url: "https://a", caBundle: "Cg==" }, conversionReviewVersions: ["v1"] },
      },
    },
    {
      conversion: {
        strategy: "Webhook",
        webhook: { clientConfig: { url: "https://b", caBundle: "Cg==" }, conversionReviewVersions: ["v1"] },
      },
    },
    {},
    [],
  ],
  [
    "keeps nine selectable fields",
    {
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: "object",
              properties: { spec: { type: "object", additionalProperties: { type: "string" } } },
            },
          },
          selectableFields: [
            { jsonPath: ".spec.k1" },
            { jsonPath: ".spec.k2" },
            { jsonPath: ".spec.k3" },
            { jsonPath: ".spec.k4" },
            { jsonPath: ".spec.k5" },
            { jsonPath: ".spec.k6" },
            { jsonPath: ".spec.k7" },
            { jsonPath: ".spec.k8" },
            { jsonPath: ".spec.k9" },
          ],
        },
      ],
    },
    {
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: "object",
              properties: { spec: { type: "object", additionalProperties: { type: "string" } } },
            },
          },
          selectableFields: [
            { jsonPath: ".spec.k1" },
            { jsonPath: ".spec.k2" },
            { jsonPath: ".spec.k3" },
            { jsonPath: ".spec.k4" },
            { jsonPath: ".spec.k5" },
            { jsonPath: ".spec.k6" },
            { jsonPath: ".spec.k7" },
            { jsonPath: ".spec.k8" },
            { jsonPath: ".spec.k9" },
          ],
        },
      ],
    },
    {},
    [],
  ],
  [
    "adds a ninth selectable field",
    {
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: "object",
              properties: { spec: { type: "object", additionalProperties: { type: "string" } } },
            },
          },
          selectableFields: [
            { jsonPath: ".spec.k0" },
            { jsonPath: ".spec.k1" },
            { jsonPath: ".spec.k2" },
            { jsonPath: ".spec.k3" },
            { jsonPath: ".spec.k4" },
            { jsonPath: ".spec.k5" },
            { jsonPath: ".spec.k6" },
            { jsonPath: ".spec.k7" },
          ],
        },
      ],
    },
    {
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: "object",
              properties: { spec: { type: "object", additionalProperties: { type: "string" } } },
            },
          },
          selectableFields: [
            { jsonPath: ".spec.k0" },
            { jsonPath: ".spec.k1" },
            { jsonPath: ".spec.k2" },
            { jsonPath: ".spec.k3" },
            { jsonPath: ".spec.k4" },
            { jsonPath: ".spec.k5" },
            { jsonPath: ".spec.k6" },
            { jsonPath: ".spec.k7" },
            { jsonPath: ".spec.k8" },
          ],
        },
      ],
    },
    {},
    ["spec.selectableFields: Too many: 9: must have at most 8 items"],
  ],
  [
    "has no resource version",
    {},
    {},
    { metadata: { resourceVersion: "" } },
    ['metadata.resourceVersion: Invalid value: "": must be specified for an update'],
  ],
  [
    "lacks approval in a protected group",
    { group: "a.k8s.io" },
    { group: "a.k8s.io", scope: "Namespaced" },
    {},
    [],
  ],
  [
    "gives up approval",
    { group: "a.k8s.io" },
    { group: "a.k8s.io" },
    { oldMetadata: { annotations: { "api-approved.kubernetes.io": "https://a/b" } } },
    [
      'metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have approval annotation "api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111',
    ],
  ],
  [
    "gets approval",
    { group: "a.k8s.io" },
    { group: "a.k8s.io" },
    { metadata: { annotations: { "api-approved.kubernetes.io": "https://a/b" } } },
    [],
  ],
  [
    "says something else than an approval",
    { group: "a.k8s.io" },
    { group: "a.k8s.io" },
    { metadata: { annotations: { "api-approved.kubernetes.io": "yes" } } },
    [
      'metadata.annotations[api-approved.kubernetes.io]: Invalid value: "yes": protected groups must have approval annotation "api-approved.kubernetes.io" with either a URL or a reason starting with "unapproved", see https://github.com/kubernetes/enhancements/pull/1111',
    ],
  ],
  [
    "shares a schema among versions",
    {},
    {
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", properties: { spec: {} } } },
        },
        {
          name: "v2",
          served: true,
          storage: false,
          schema: { openAPIV3Schema: { type: "object", properties: { spec: {} } } },
        },
      ],
    },
    {},
    [
      "spec.validation.openAPIV3Schema.properties[spec].type: Required value: must not be empty for specified object fields",
    ],
  ],
  [
    "has two storage versions",
    {},
    {
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", properties: { spec: { type: "object" } } } },
        },
        {
          name: "v2",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", properties: { spec: { type: "string" } } } },
        },
      ],
    },
    {},
    [
      'spec.versions: Invalid value: [{"Name":"v1","Served":true,"Storage":true,"Deprecated":false,"DeprecationWarning":null,"Schema":{"OpenAPIV3Schema":{"ID":"","Schema":"","Ref":null,"Description":"","Type":"object","Nullable":false,"Format":"","Title":"","Default":null,"Maximum":null,"ExclusiveMaximum":false,"Minimum":null,"ExclusiveMinimum":false,"MaxLength":null,"MinLength":null,"Pattern":"","MaxItems":null,"MinItems":null,"UniqueItems":false,"MultipleOf":null,"Enum":null,"MaxProperties":null,"MinProperties":null,"Required":null,"Items":null,"AllOf":null,"OneOf":null,"AnyOf":null,"Not":null,"Properties":{"spec":{"ID":"","Schema":"","Ref":null,"Description":"","Type":"object","Nullable":false,"Format":"","Title":"","Default":null,"Maximum":null,"ExclusiveMaximum":false,"Minimum":null,"ExclusiveMinimum":false,"MaxLength":null,"MinLength":null,"Pattern":"","MaxItems":null,"MinItems":null,"UniqueItems":false,"MultipleOf":null,"Enum":null,"MaxProperties":null,"MinProperties":null,"Required":null,"Items":null,"AllOf":null,"OneOf":null,"AnyOf":null,"Not":null,"Properties":null,"AdditionalProperties":null,"PatternProperties":null,"Dependencies":null,"AdditionalItems":null,"Definitions":null,"ExternalDocs":null,"Example":null,"XPreserveUnknownFields":null,"XEmbeddedResource":false,"XIntOrString":false,"XListMapKeys":null,"XListType":null,"XMapType":null,"XValidations":null}},"AdditionalProperties":null,"PatternProperties":null,"Dependencies":null,"AdditionalItems":null,"Definitions":null,"ExternalDocs":null,"Example":null,"XPreserveUnknownFields":null,"XEmbeddedResource":false,"XIntOrString":false,"XListMapKeys":null,"XListType":null,"XMapType":null,"XValidations":null}},"Subresources":null,"AdditionalPrinterColumns":null,"SelectableFields":null},{"Name":"v2","Served":true,"Storage":true,"Deprecated":false,"DeprecationWarning":null,"Schema":{"OpenAPIV3Schema":{"ID":"","Schema":"","Ref":null,"Description":"","Type":"object","Nullable":false,"Format":"","Title":"","Default":null,"Maximum":null,"ExclusiveMaximum":false,"Minimum":null,"ExclusiveMinimum":false,"MaxLength":null,"MinLength":null,"Pattern":"","MaxItems":null,"MinItems":null,"UniqueItems":false,"MultipleOf":null,"Enum":null,"MaxProperties":null,"MinProperties":null,"Required":null,"Items":null,"AllOf":null,"OneOf":null,"AnyOf":null,"Not":null,"Properties":{"spec":{"ID":"","Schema":"","Ref":null,"Description":"","Type":"string","Nullable":false,"Format":"","Title":"","Default":null,"Maximum":null,"ExclusiveMaximum":false,"Minimum":null,"ExclusiveMinimum":false,"MaxLength":null,"MinLength":null,"Pattern":"","MaxItems":null,"MinItems":null,"UniqueItems":false,"MultipleOf":null,"Enum":null,"MaxProperties":null,"MinProperties":null,"Required":null,"Items":null,"AllOf":null,"OneOf":null,"AnyOf":null,"Not":null,"Properties":null,"AdditionalProperties":null,"PatternProperties":null,"Dependencies":null,"AdditionalItems":null,"Definitions":null,"ExternalDocs":null,"Example":null,"XPreserveUnknownFields":null,"XEmbeddedResource":false,"XIntOrString":false,"XListMapKeys":null,"XListType":null,"XMapType":null,"XValidations":null}},"AdditionalProperties":null,"PatternProperties":null,"Dependencies":null,"AdditionalItems":null,"Definitions":null,"ExternalDocs":null,"Example":null,"XPreserveUnknownFields":null,"XEmbeddedResource":false,"XIntOrString":false,"XListMapKeys":null,"XListType":null,"XMapType":null,"XValidations":null}},"Subresources":null,"AdditionalPrinterColumns":null,"SelectableFields":null}]: must have exactly one version marked as storage version',
      'status.storedVersions: Invalid value: ["v1"]: must have the storage version v2',
    ],
  ],
  [
    "has no storage version",
    {},
    {
      versions: [
        {
          name: "v1",
          served: true,
          storage: false,
          schema: { openAPIV3Schema: { type: "object", properties: { spec: { type: "object" } } } },
        },
      ],
    },
    {},
    [
      'spec.versions: Invalid value: [{"Name":"v1","Served":true,"Storage":false,"Deprecated":false,"DeprecationWarning":null,"Schema":null,"Subresources":null,"AdditionalPrinterColumns":null,"SelectableFields":null}]: must have exactly one version marked as storage version',
    ],
  ],
  [
    "names two versions alike",
    {},
    {
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", properties: { spec: { type: "object" } } } },
        },
        {
          name: "v1",
          served: true,
          storage: false,
          schema: { openAPIV3Schema: { type: "object", properties: { spec: { type: "string" } } } },
        },
      ],
    },
    {},
    [
      'spec.versions: Invalid value: [{"Name":"v1","Served":true,"Storage":true,"Deprecated":false,"DeprecationWarning":null,"Schema":{"OpenAPIV3Schema":{"ID":"","Schema":"","Ref":null,"Description":"","Type":"object","Nullable":false,"Format":"","Title":"","Default":null,"Maximum":null,"ExclusiveMaximum":false,"Minimum":null,"ExclusiveMinimum":false,"MaxLength":null,"MinLength":null,"Pattern":"","MaxItems":null,"MinItems":null,"UniqueItems":false,"MultipleOf":null,"Enum":null,"MaxProperties":null,"MinProperties":null,"Required":null,"Items":null,"AllOf":null,"OneOf":null,"AnyOf":null,"Not":null,"Properties":{"spec":{"ID":"","Schema":"","Ref":null,"Description":"","Type":"object","Nullable":false,"Format":"","Title":"","Default":null,"Maximum":null,"ExclusiveMaximum":false,"Minimum":null,"ExclusiveMinimum":false,"MaxLength":null,"MinLength":null,"Pattern":"","MaxItems":null,"MinItems":null,"UniqueItems":false,"MultipleOf":null,"Enum":null,"MaxProperties":null,"MinProperties":null,"Required":null,"Items":null,"AllOf":null,"OneOf":null,"AnyOf":null,"Not":null,"Properties":null,"AdditionalProperties":null,"PatternProperties":null,"Dependencies":null,"AdditionalItems":null,"Definitions":null,"ExternalDocs":null,"Example":null,"XPreserveUnknownFields":null,"XEmbeddedResource":false,"XIntOrString":false,"XListMapKeys":null,"XListType":null,"XMapType":null,"XValidations":null}},"AdditionalProperties":null,"PatternProperties":null,"Dependencies":null,"AdditionalItems":null,"Definitions":null,"ExternalDocs":null,"Example":null,"XPreserveUnknownFields":null,"XEmbeddedResource":false,"XIntOrString":false,"XListMapKeys":null,"XListType":null,"XMapType":null,"XValidations":null}},"Subresources":null,"AdditionalPrinterColumns":null,"SelectableFields":null},{"Name":"v1","Served":true,"Storage":false,"Deprecated":false,"DeprecationWarning":null,"Schema":{"OpenAPIV3Schema":{"ID":"","Schema":"","Ref":null,"Description":"","Type":"object","Nullable":false,"Format":"","Title":"","Default":null,"Maximum":null,"ExclusiveMaximum":false,"Minimum":null,"ExclusiveMinimum":false,"MaxLength":null,"MinLength":null,"Pattern":"","MaxItems":null,"MinItems":null,"UniqueItems":false,"MultipleOf":null,"Enum":null,"MaxProperties":null,"MinProperties":null,"Required":null,"Items":null,"AllOf":null,"OneOf":null,"AnyOf":null,"Not":null,"Properties":{"spec":{"ID":"","Schema":"","Ref":null,"Description":"","Type":"string","Nullable":false,"Format":"","Title":"","Default":null,"Maximum":null,"ExclusiveMaximum":false,"Minimum":null,"ExclusiveMinimum":false,"MaxLength":null,"MinLength":null,"Pattern":"","MaxItems":null,"MinItems":null,"UniqueItems":false,"MultipleOf":null,"Enum":null,"MaxProperties":null,"MinProperties":null,"Required":null,"Items":null,"AllOf":null,"OneOf":null,"AnyOf":null,"Not":null,"Properties":null,"AdditionalProperties":null,"PatternProperties":null,"Dependencies":null,"AdditionalItems":null,"Definitions":null,"ExternalDocs":null,"Example":null,"XPreserveUnknownFields":null,"XEmbeddedResource":false,"XIntOrString":false,"XListMapKeys":null,"XListType":null,"XMapType":null,"XValidations":null}},"AdditionalProperties":null,"PatternProperties":null,"Dependencies":null,"AdditionalItems":null,"Definitions":null,"ExternalDocs":null,"Example":null,"XPreserveUnknownFields":null,"XEmbeddedResource":false,"XIntOrString":false,"XListMapKeys":null,"XListType":null,"XMapType":null,"XValidations":null}},"Subresources":null,"AdditionalPrinterColumns":null,"SelectableFields":null}]: must contain unique version names',
    ],
  ],
  [
    "selects fields in versions of one schema",
    {},
    {
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: "object",
              properties: { spec: { type: "object", properties: { a: { type: "string" } } } },
            },
          },
          selectableFields: [{ jsonPath: ".spec.a" }],
        },
        {
          name: "v2",
          served: true,
          storage: false,
          schema: {
            openAPIV3Schema: {
              type: "object",
              properties: { spec: { type: "object", properties: { a: { type: "string" } } } },
            },
          },
        },
      ],
    },
    {},
    [
      'spec.versions[0].selectableFields: Invalid value: "": may only be set when `version.schema.openAPIV3Schema` is not included',
    ],
  ],
  [
    "has the same columns in two versions",
    {},
    {
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", properties: { spec: { type: "string" } } } },
          additionalPrinterColumns: [{ name: "", type: "string", jsonPath: ".a" }],
        },
        {
          name: "v2",
          served: true,
          storage: false,
          schema: {
            openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties: {} } } },
          },
          additionalPrinterColumns: [{ name: "", type: "string", jsonPath: ".a" }],
        },
      ],
    },
    {},
    ["spec.additionalPrinterColumns[0].name: Required value"],
  ],
  [
    "has a status in one of two versions",
    {},
    {
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", properties: { spec: { type: "string" } } } },
          subresources: { status: {} },
        },
        {
          name: "v2",
          served: true,
          storage: false,
          schema: { openAPIV3Schema: { type: "object", minProperties: 1 } },
        },
      ],
    },
    {},
    [],
  ],
];

describe("validateCrdUpdate", () => {
  it.each(cases)("judges a CRD that %s", (_what, before, after, circumstances, expected) => {
    const old = crd(before, circumstances.oldMetadata ?? {}, { ...circumstances, stored: ["v1"] });
    const now = crd(after, circumstances.metadata ?? {}, circumstances);
    const causes = new Set(validateCrdUpdate(now, old).errors.map(fieldErrorText));
    expect([...causes].sort()).toEqual(expected);
  });
});
