import { describe, expect, it } from "vitest";
import { deepFreeze } from "../object/freeze.ts";
import type { JsonObject } from "../object/object.ts";
import { fieldErrorText } from "../status/field-error.ts";
import { coerceEmbedded, validateEmbedded } from "./embedded-metadata.ts";
import type { JsonSchema } from "./json-schema.ts";
import { schemaNode } from "./schema-node.ts";

// Expected values are those of k8s.io/apiextensions-apiserver v0.36.

interface Outcome {
  readonly object: JsonObject;
  readonly unknown?: readonly string[];
  readonly errors?: readonly string[];
}

const embedded: JsonSchema = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        p: {
          type: "object",
          "x-kubernetes-embedded-resource": true,
          "x-kubernetes-preserve-unknown-fields": true,
        },
      },
    },
  },
};

const accepted: readonly (readonly [JsonSchema, JsonObject, Outcome])[] = [
  [
    embedded,
    { spec: { p: {} } },
    {
      object: { spec: { p: {} } },
      errors: ["spec.p.apiVersion: Required value", "spec.p.kind: Required value"],
    },
  ],
  [
    embedded,
    { spec: { p: { apiVersion: "v1" } } },
    { object: { spec: { p: { apiVersion: "v1" } } }, errors: ["spec.p.kind: Required value"] },
  ],
  [
    embedded,
    { spec: { p: { kind: "Cup" } } },
    { object: { spec: { p: { kind: "Cup" } } }, errors: ["spec.p.apiVersion: Required value"] },
  ],
  [
    embedded,
    { spec: { p: { apiVersion: "v1", kind: "Cup" } } },
    { object: { spec: { p: { apiVersion: "v1", kind: "Cup" } } } },
  ],
  [
    embedded,
    { spec: { p: { apiVersion: "", kind: "" } } },
    {
      object: { spec: { p: { apiVersion: "", kind: "" } } },
      errors: [
        'spec.p.apiVersion: Invalid value: "": must not be empty',
        'spec.p.kind: Invalid value: "": must not be empty',
      ],
    },
  ],
  [
    embedded,
    { spec: { p: { apiVersion: "a/b/c", kind: "Cup" } } },
    {
      object: { spec: { p: { apiVersion: "a/b/c", kind: "Cup" } } },
      errors: ['spec.p.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c'],
    },
  ],
  [
    embedded,
    { spec: { p: { apiVersion: "a/", kind: "Cup" } } },
    { object: { spec: { p: { apiVersion: "a/", kind: "Cup" } } } },
  ],
  [
    embedded,
    { spec: { p: { apiVersion: "/v1", kind: "Cup" } } },
    { object: { spec: { p: { apiVersion: "/v1", kind: "Cup" } } } },
  ],
  [
    embedded,
    { spec: { p: { apiVersion: "v1", kind: "cup_x" } } },
    {
      object: { spec: { p: { apiVersion: "v1", kind: "cup_x" } } },
      errors: [
        "spec.p.kind: Invalid value: \"cup_x\": may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
      ],
    },
  ],
  [
    embedded,
    { spec: { p: { apiVersion: "v1", kind: "1x" } } },
    {
      object: { spec: { p: { apiVersion: "v1", kind: "1x" } } },
      errors: [
        "spec.p.kind: Invalid value: \"1x\": may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
      ],
    },
  ],
  [
    embedded,
    { spec: { p: { apiVersion: "v1", kind: "cup-x" } } },
    { object: { spec: { p: { apiVersion: "v1", kind: "cup-x" } } } },
  ],
  [
    embedded,
    { spec: { p: { apiVersion: "v1", kind: "Cup", metadata: {} } } },
    { object: { spec: { p: { apiVersion: "v1", kind: "Cup", metadata: {} } } } },
  ],
  [
    embedded,
    { spec: { p: { apiVersion: "v1", kind: "Cup", metadata: { name: "x" } } } },
    { object: { spec: { p: { apiVersion: "v1", kind: "Cup", metadata: { name: "x" } } } } },
  ],
  [
    embedded,
    { spec: { p: { apiVersion: "v1", kind: "Cup", metadata: { name: "A_B" } } } },
    { object: { spec: { p: { apiVersion: "v1", kind: "Cup", metadata: { name: "A_B" } } } } },
  ],
  [
    embedded,
    { spec: { p: { apiVersion: "v1", kind: "Cup", metadata: { name: "a/b" } } } },
    {
      object: { spec: { p: { apiVersion: "v1", kind: "Cup", metadata: { name: "a/b" } } } },
      errors: ["spec.p.metadata.name: Invalid value: \"a/b\": may not contain '/'"],
    },
  ],
  [
    embedded,
    { spec: { p: { apiVersion: "v1", kind: "Cup", metadata: { name: ".." } } } },
    {
      object: { spec: { p: { apiVersion: "v1", kind: "Cup", metadata: { name: ".." } } } },
      errors: ["spec.p.metadata.name: Invalid value: \"..\": may not be '..'"],
    },
  ],
  [
    embedded,
    { spec: { p: { apiVersion: "v1", kind: "Cup", metadata: { generateName: "a/" } } } },
    {
      object: { spec: { p: { apiVersion: "v1", kind: "Cup", metadata: { generateName: "a/" } } } },
      errors: ["spec.p.metadata.generateName: Invalid value: \"a/\": may not contain '/'"],
    },
  ],
  [
    embedded,
    { spec: { p: { apiVersion: "v1", kind: "Cup", metadata: { namespace: "n" } } } },
    { object: { spec: { p: { apiVersion: "v1", kind: "Cup", metadata: { namespace: "n" } } } } },
  ],
  [
    embedded,
    { spec: { p: { apiVersion: "v1", kind: "Cup", metadata: { namespace: "N_" } } } },
    {
      object: { spec: { p: { apiVersion: "v1", kind: "Cup", metadata: { namespace: "N_" } } } },
      errors: [
        "spec.p.metadata.namespace: Invalid value: \"N_\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
      ],
    },
  ],
  [
    embedded,
    { spec: { p: { apiVersion: "v1", kind: "Cup", metadata: { labels: { a: "b" } } } } },
    { object: { spec: { p: { apiVersion: "v1", kind: "Cup", metadata: { labels: { a: "b" } } } } } },
  ],
  [
    embedded,
    { spec: { p: { apiVersion: "v1", kind: "Cup", metadata: { labels: { "a b": "c" } } } } },
    {
      object: { spec: { p: { apiVersion: "v1", kind: "Cup", metadata: { labels: { "a b": "c" } } } } },
      errors: [
        "spec.p.metadata.labels: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
      ],
    },
  ],
  [
    embedded,
    { spec: { p: { apiVersion: "v1", kind: "Cup", metadata: { labels: { a: "b c" } } } } },
    {
      object: { spec: { p: { apiVersion: "v1", kind: "Cup", metadata: { labels: { a: "b c" } } } } },
      errors: [
        "spec.p.metadata.labels: Invalid value: \"b c\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
      ],
    },
  ],
  [
    embedded,
    { spec: { p: { apiVersion: "v1", kind: "Cup", metadata: { annotations: { "x y": "z" } } } } },
    {
      object: { spec: { p: { apiVersion: "v1", kind: "Cup", metadata: { annotations: { "x y": "z" } } } } },
      errors: [
        "spec.p.metadata.annotations: Invalid value: \"x y\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
      ],
    },
  ],
  [
    embedded,
    { spec: { p: { apiVersion: "v1", kind: "Cup", metadata: { finalizers: ["a b"] } } } },
    {
      object: { spec: { p: { apiVersion: "v1", kind: "Cup", metadata: { finalizers: ["a b"] } } } },
      errors: [
        "spec.p.metadata.finalizers: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
      ],
    },
  ],
  [
    embedded,
    {
      spec: {
        p: { apiVersion: "v1", kind: "Cup", metadata: { finalizers: ["orphan", "foregroundDeletion"] } },
      },
    },
    {
      object: {
        spec: {
          p: { apiVersion: "v1", kind: "Cup", metadata: { finalizers: ["orphan", "foregroundDeletion"] } },
        },
      },
      errors: [
        'spec.p.metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: finalizer orphan and foregroundDeletion cannot be both set',
      ],
    },
  ],
  [
    embedded,
    { spec: { p: { apiVersion: "v1", kind: "Cup", metadata: { ownerReferences: [{}] } } } },
    {
      object: {
        spec: {
          p: {
            apiVersion: "v1",
            kind: "Cup",
            metadata: { ownerReferences: [{ apiVersion: "", kind: "", name: "", uid: "" }] },
          },
        },
      },
      errors: [
        'spec.p.metadata.ownerReferences.apiVersion: Invalid value: "": version must not be empty',
        'spec.p.metadata.ownerReferences.kind: Invalid value: "": must not be empty',
        'spec.p.metadata.ownerReferences.name: Invalid value: "": must not be empty',
        'spec.p.metadata.ownerReferences.uid: Invalid value: "": must not be empty',
      ],
    },
  ],
  [
    embedded,
    {
      spec: {
        p: {
          apiVersion: "v1",
          kind: "Cup",
          metadata: { ownerReferences: [{ apiVersion: "v1", kind: "K", name: "n", uid: "u", odd: 1 }] },
        },
      },
    },
    {
      object: {
        spec: {
          p: {
            apiVersion: "v1",
            kind: "Cup",
            metadata: { ownerReferences: [{ apiVersion: "v1", kind: "K", name: "n", uid: "u" }] },
          },
        },
      },
      unknown: ["spec.p.metadata.ownerReferences[0].odd"],
    },
  ],
  [
    embedded,
    { spec: { p: { apiVersion: "v1", kind: "Cup", metadata: { odd: 1, name: "x" } } } },
    {
      object: { spec: { p: { apiVersion: "v1", kind: "Cup", metadata: { name: "x" } } } },
      unknown: ["spec.p.metadata.odd"],
    },
  ],
  [
    embedded,
    { spec: { p: { apiVersion: "v1", kind: "Cup", metadata: { creationTimestamp: null, name: "x" } } } },
    { object: { spec: { p: { apiVersion: "v1", kind: "Cup", metadata: { name: "x" } } } } },
  ],
  [
    embedded,
    {
      spec: {
        p: { apiVersion: "v1", kind: "Cup", metadata: { creationTimestamp: "2020-01-01T10:00:00.5+01:00" } },
      },
    },
    {
      object: {
        spec: {
          p: { apiVersion: "v1", kind: "Cup", metadata: { creationTimestamp: "2020-01-01T09:00:00Z" } },
        },
      },
    },
  ],
  [
    embedded,
    { spec: { p: { apiVersion: "v1", kind: "Cup", metadata: { generation: -1 } } } },
    {
      object: { spec: { p: { apiVersion: "v1", kind: "Cup", metadata: { generation: -1 } } } },
      errors: ["spec.p.metadata.generation: Invalid value: -1: must be greater than or equal to 0"],
    },
  ],
  [
    embedded,
    { spec: { p: { apiVersion: "v1", kind: "Cup", metadata: null } } },
    { object: { spec: { p: { apiVersion: "v1", kind: "Cup", metadata: {} } } } },
  ],
  [
    {
      type: "object",
      properties: {
        spec: {
          type: "object",
          additionalProperties: {
            type: "object",
            "x-kubernetes-embedded-resource": true,
            "x-kubernetes-preserve-unknown-fields": true,
          },
        },
      },
    },
    { spec: { k: { kind: "Cup", metadata: { odd: 1 } } } },
    {
      object: { spec: { k: { kind: "Cup", metadata: {} } } },
      unknown: ["spec[k].metadata.odd"],
      errors: ["spec[k].apiVersion: Required value"],
    },
  ],
  [
    {
      type: "object",
      properties: {
        spec: {
          type: "array",
          items: {
            type: "object",
            "x-kubernetes-embedded-resource": true,
            "x-kubernetes-preserve-unknown-fields": true,
          },
        },
      },
    },
    { spec: [{ apiVersion: "v1", metadata: { odd: 1 } }] },
    {
      object: { spec: [{ apiVersion: "v1", metadata: {} }] },
      unknown: ["spec[0].metadata.odd"],
      errors: ["spec[0].kind: Required value"],
    },
  ],
  [
    {
      type: "object",
      properties: {
        spec: {
          type: "object",
          properties: {
            p: {
              type: "object",
              properties: {
                q: {
                  type: "object",
                  "x-kubernetes-embedded-resource": true,
                  "x-kubernetes-preserve-unknown-fields": true,
                },
              },
              "x-kubernetes-embedded-resource": true,
            },
          },
        },
      },
    },
    {
      spec: { p: { apiVersion: "v1", kind: "A", q: { apiVersion: "v1", kind: "B", metadata: { odd: 1 } } } },
    },
    {
      object: {
        spec: { p: { apiVersion: "v1", kind: "A", q: { apiVersion: "v1", kind: "B", metadata: {} } } },
      },
      unknown: ["spec.p.q.metadata.odd"],
    },
  ],
];

const undecodable: readonly (readonly [JsonSchema, JsonObject, string])[] = [
  [
    embedded,
    { spec: { p: { apiVersion: 1, kind: "Cup" } } },
    "spec.p.apiVersion: Invalid value: 1: must be a string",
  ],
  [
    embedded,
    { spec: { p: { apiVersion: "v1", kind: [] } } },
    "spec.p.kind: Invalid value: []: must be a string",
  ],
  [
    embedded,
    { spec: { p: { apiVersion: null, kind: "Cup" } } },
    "spec.p.apiVersion: Invalid value: null: must be a string",
  ],
  [
    embedded,
    { spec: { p: { apiVersion: "v1", kind: "Cup", metadata: { labels: 5 } } } },
    'spec.p.metadata: Invalid value: {"labels":5}: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type map[string]string',
  ],
  [
    embedded,
    { spec: { p: { apiVersion: "v1", kind: "Cup", metadata: { labels: { a: 5 } } } } },
    'spec.p.metadata: Invalid value: {"labels":{"a":5}}: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string',
  ],
  [
    embedded,
    { spec: { p: { apiVersion: "v1", kind: "Cup", metadata: { creationTimestamp: "yesterday" } } } },
    'spec.p.metadata: Invalid value: {"creationTimestamp":"yesterday"}: parsing time "yesterday" as "2006-01-02T15:04:05Z07:00": cannot parse "yesterday" as "2006"',
  ],
  [
    embedded,
    { spec: { p: { apiVersion: "v1", kind: "Cup", metadata: { generation: 1.5 } } } },
    'spec.p.metadata: Invalid value: {"generation":1.5}: json: cannot unmarshal number 1.5 into Go struct field ObjectMeta.generation of type int64',
  ],
  [
    embedded,
    { spec: { p: { apiVersion: "v1", kind: "Cup", metadata: "text" } } },
    'spec.p.metadata: Invalid value: "text": json: cannot unmarshal string into Go value of type v1.ObjectMeta',
  ],
  [
    embedded,
    { spec: { p: { apiVersion: "v1", kind: "Cup", metadata: ["a"] } } },
    'spec.p.metadata: Invalid value: ["a"]: json: cannot unmarshal array into Go value of type v1.ObjectMeta',
  ],
  [
    embedded,
    { spec: { p: { apiVersion: "v1", kind: "Cup", metadata: 5 } } },
    "spec.p.metadata: Invalid value: 5: json: cannot unmarshal number into Go value of type v1.ObjectMeta",
  ],
];

describe("metadata of embedded resources", () => {
  it.each(accepted)("%j makes of %j %j", (schema, object, expected) => {
    const node = schemaNode(schema);
    const coerced = coerceEmbedded(node, deepFreeze(object) as JsonObject, { dropInvalid: false });
    expect(coerced.error).toBeUndefined();
    expect(coerced.value).toEqual(expected.object);
    expect(coerced.unknownFields).toEqual(expected.unknown ?? []);
    const errors = validateEmbedded(node, coerced.value).map(fieldErrorText);
    expect(errors.sort()).toEqual(expected.errors ?? []);
  });

  it.each(undecodable)("%j cannot take %j: %s", (schema, object, error) => {
    expect(coerceEmbedded(schemaNode(schema), object, { dropInvalid: false }).error).toBe(error);
  });

  it.each(undecodable)("%j drops from %j what storage should not hold", (schema, object) => {
    const coerced = coerceEmbedded(schemaNode(schema), object, { dropInvalid: true });
    expect(coerced.error).toBeUndefined();
  });
});
