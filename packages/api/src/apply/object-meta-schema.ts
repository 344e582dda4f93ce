import type { JsonSchema } from "../schema/json-schema.ts";

const text: JsonSchema = { type: "string" };
const time: JsonSchema = { type: "string", format: "date-time" };
const integer: JsonSchema = { type: "integer", format: "int64" };
const textMap: JsonSchema = { type: "object", additionalProperties: text };

/** How metadata merges, the same for every kind. Source: meta/v1 ObjectMeta as the server publishes it. */
export const objectMetaSchema: JsonSchema = {
  type: "object",
  properties: {
    annotations: textMap,
    creationTimestamp: time,
    deletionGracePeriodSeconds: integer,
    deletionTimestamp: time,
    finalizers: { type: "array", items: text, "x-kubernetes-list-type": "set" },
    generateName: text,
    generation: integer,
    labels: textMap,
    managedFields: {
      type: "array",
      "x-kubernetes-list-type": "atomic",
      items: {
        type: "object",
        properties: {
          apiVersion: text,
          fieldsType: text,
          fieldsV1: { type: "object" },
          manager: text,
          operation: text,
          subresource: text,
          time,
        },
      },
    },
    name: text,
    namespace: text,
    ownerReferences: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["uid"],
      items: {
        type: "object",
        "x-kubernetes-map-type": "atomic",
        properties: {
          apiVersion: text,
          blockOwnerDeletion: { type: "boolean" },
          controller: { type: "boolean" },
          kind: text,
          name: text,
          uid: { type: "string", default: "" },
        },
      },
    },
    resourceVersion: text,
    selfLink: text,
    uid: text,
  },
};
