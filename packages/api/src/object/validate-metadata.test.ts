import { describe, expect, it } from "vitest";
import { fieldErrorText } from "../status/field-error.ts";
import { dns1123SubdomainErrors } from "./name.ts";
import { decodeObjectMeta } from "./decode-object-meta.ts";
import type { JsonObject, ObjectMeta } from "./object.ts";
import {
  finalizerWarnings,
  validateCommonFields,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from "./validate-metadata.ts";

// Expected errors are those of k8s.io/apimachinery v0.36.

const creates: readonly (readonly [metadata: JsonObject, errors: readonly string[]])[] = [
  [{ namespace: "n" }, ["metadata.name: Required value: name or generateName is required"]],
  [{ namespace: "n", name: "a" }, []],
  [{ namespace: "n", name: "a.b-c.9" }, []],
  [
    { namespace: "n", name: "A" },
    [
      "metadata.name: Invalid value: \"A\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ],
  ],
  [
    { namespace: "n", name: "a_b" },
    [
      "metadata.name: Invalid value: \"a_b\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ],
  ],
  [
    { namespace: "n", name: "-a" },
    [
      "metadata.name: Invalid value: \"-a\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ],
  ],
  [
    { namespace: "n", name: "a-" },
    [
      "metadata.name: Invalid value: \"a-\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ],
  ],
  [
    { namespace: "n", name: "a..b" },
    [
      "metadata.name: Invalid value: \"a..b\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ],
  ],
  [{ namespace: "n", name: "a".repeat(253) }, []],
  [
    { namespace: "n", name: "a".repeat(254) },
    [
      'metadata.name: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa": must be no more than 253 characters',
    ],
  ],
  [
    { namespace: "n", name: "a/b" },
    [
      "metadata.name: Invalid value: \"a/b\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ],
  ],
  [
    { namespace: "n", name: "é" },
    [
      "metadata.name: Invalid value: \"é\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ],
  ],
  [{ namespace: "n", name: "a", generateName: "a-" }, []],
  [{ namespace: "n", name: "a", generateName: "A-" }, []],
  [
    { namespace: "n", name: "a", generateName: "-" },
    [
      "metadata.generateName: Invalid value: \"-\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ],
  ],
  [
    { namespace: "n", name: "a", generateName: "a." },
    [
      "metadata.generateName: Invalid value: \"a.\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ],
  ],
  [{ namespace: "n", name: "a", generateName: "a.-" }, []],
  [{ namespace: "", name: "a" }, ["metadata.namespace: Required value"]],
  [
    { namespace: "N", name: "a" },
    [
      "metadata.namespace: Invalid value: \"N\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
    ],
  ],
  [{ namespace: "a.b", name: "a" }, ['metadata.namespace: Invalid value: "a.b": must not contain dots']],
  [
    { namespace: "n".repeat(64), name: "a" },
    [
      'metadata.namespace: Invalid value: "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn": must be no more than 63 characters',
    ],
  ],
  [{ namespace: "n", name: "a", labels: { a: "b" } }, []],
  [{ namespace: "n", name: "a", labels: { "example.com/a": "b" } }, []],
  [
    { namespace: "n", name: "a", labels: { "a b": "c" } },
    [
      "metadata.labels: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
  ],
  [
    { namespace: "n", name: "a", labels: { a: "b c" } },
    [
      "metadata.labels: Invalid value: \"b c\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
    ],
  ],
  [
    { namespace: "n", name: "a", labels: { "": "x" } },
    [
      'metadata.labels: Invalid value: "": name part must be non-empty',
      "metadata.labels: Invalid value: \"\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
  ],
  [
    { namespace: "n", name: "a", labels: { "/a": "x" } },
    ['metadata.labels: Invalid value: "/a": prefix part must be non-empty'],
  ],
  [
    { namespace: "n", name: "a", labels: { "a/": "x" } },
    [
      'metadata.labels: Invalid value: "a/": name part must be non-empty',
      "metadata.labels: Invalid value: \"a/\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
  ],
  [
    { namespace: "n", name: "a", labels: { "a/b/c": "x" } },
    [
      "metadata.labels: Invalid value: \"a/b/c\": a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
    ],
  ],
  [
    { namespace: "n", name: "a", labels: { "A.com/b": "x" } },
    [
      "metadata.labels: Invalid value: \"A.com/b\": prefix part a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ],
  ],
  [
    { namespace: "n", name: "a", labels: { ["x".repeat(64)]: "y" } },
    [
      'metadata.labels: Invalid value: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx": name part must be no more than 63 bytes',
    ],
  ],
  [
    { namespace: "n", name: "a", labels: { a: "x".repeat(64) } },
    [
      'metadata.labels: Invalid value: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx": must be no more than 63 bytes',
    ],
  ],
  [
    { namespace: "n", name: "a", labels: { a: "-" } },
    [
      "metadata.labels: Invalid value: \"-\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
    ],
  ],
  [{ namespace: "n", name: "a", labels: { a: "" } }, []],
  [
    { namespace: "n", name: "a", labels: { [`${"d".repeat(254)}/a`]: "x" } },
    [
      'metadata.labels: Invalid value: "dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd/a": prefix part must be no more than 253 bytes',
    ],
  ],
  [
    { namespace: "n", name: "a", labels: { é: "x" } },
    [
      "metadata.labels: Invalid value: \"é\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
  ],
  [
    { namespace: "n", name: "a", annotations: { "a b": "anything goes here" } },
    [
      "metadata.annotations: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
  ],
  [{ namespace: "n", name: "a", annotations: { "A.com/B": "x" } }, []],
  [
    { namespace: "n", name: "a", annotations: { "a/b/c": "x" } },
    [
      "metadata.annotations: Invalid value: \"a/b/c\": a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
    ],
  ],
  [
    { namespace: "n", name: "a", annotations: { "": "x" } },
    [
      'metadata.annotations: Invalid value: "": name part must be non-empty',
      "metadata.annotations: Invalid value: \"\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
  ],
  [{ namespace: "n", name: "a", finalizers: ["a"] }, []],
  [{ namespace: "n", name: "a", finalizers: ["example.com/a"] }, []],
  [
    { namespace: "n", name: "a", finalizers: ["a b"] },
    [
      "metadata.finalizers: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
  ],
  [
    { namespace: "n", name: "a", finalizers: [""] },
    [
      'metadata.finalizers: Invalid value: "": name part must be non-empty',
      "metadata.finalizers: Invalid value: \"\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
  ],
  [
    { namespace: "n", name: "a", finalizers: ["orphan", "foregroundDeletion"] },
    [
      'metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: finalizer orphan and foregroundDeletion cannot be both set',
    ],
  ],
  [{ namespace: "n", name: "a", finalizers: ["kubernetes"] }, []],
  [
    { namespace: "n", name: "a", finalizers: ["a/b/c"] },
    [
      "metadata.finalizers: Invalid value: \"a/b/c\": a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
    ],
  ],
  [
    { namespace: "n", name: "a", ownerReferences: [{}] },
    [
      'metadata.ownerReferences.apiVersion: Invalid value: "": version must not be empty',
      'metadata.ownerReferences.kind: Invalid value: "": must not be empty',
      'metadata.ownerReferences.name: Invalid value: "": must not be empty',
      'metadata.ownerReferences.uid: Invalid value: "": must not be empty',
    ],
  ],
  [
    { namespace: "n", name: "a", ownerReferences: [{ apiVersion: "v1", kind: "K", name: "n", uid: "u" }] },
    [],
  ],
  [
    { namespace: "n", name: "a", ownerReferences: [{ apiVersion: "a/b/c", kind: "K", name: "n", uid: "u" }] },
    ['metadata.ownerReferences.apiVersion: Invalid value: "a/b/c": version must not be empty'],
  ],
  [
    { namespace: "n", name: "a", ownerReferences: [{ apiVersion: "/", kind: "K", name: "n", uid: "u" }] },
    ['metadata.ownerReferences.apiVersion: Invalid value: "/": version must not be empty'],
  ],
  [
    { namespace: "n", name: "a", ownerReferences: [{ apiVersion: "a/", kind: "K", name: "n", uid: "u" }] },
    ['metadata.ownerReferences.apiVersion: Invalid value: "a/": version must not be empty'],
  ],
  [
    {
      namespace: "n",
      name: "a",
      ownerReferences: [{ apiVersion: "v1", kind: "Event", name: "n", uid: "u" }],
    },
    [
      'metadata.ownerReferences: Invalid value: {"apiVersion":"v1","kind":"Event","name":"n","uid":"u"}: /v1, Kind=Event is disallowed from being an owner',
    ],
  ],
  [
    {
      namespace: "n",
      name: "a",
      ownerReferences: [{ apiVersion: "events.k8s.io/v1", kind: "Event", name: "n", uid: "u" }],
    },
    [],
  ],
  [
    {
      namespace: "n",
      name: "a",
      ownerReferences: [
        { apiVersion: "v1", kind: "K", name: "n1", uid: "u1", controller: true },
        { apiVersion: "v1", kind: "K", name: "n2", uid: "u2", controller: false },
        { apiVersion: "v1", kind: "K", name: "n3", uid: "u3", controller: true },
      ],
    },
    [
      'metadata.ownerReferences: Invalid value: [{"apiVersion":"v1","kind":"K","name":"n1","uid":"u1","controller":true},{"apiVersion":"v1","kind":"K","name":"n2","uid":"u2","controller":false},{"apiVersion":"v1","kind":"K","name":"n3","uid":"u3","controller":true}]: Only one reference can have Controller set to true. Found "true" in references for K/n1 and K/n3',
    ],
  ],
  [
    {
      namespace: "n",
      name: "a",
      ownerReferences: [
        { apiVersion: "v1", kind: "K", name: "n1", uid: "u1", controller: true, blockOwnerDeletion: true },
        { apiVersion: "v1", kind: "K", name: "n2", uid: "u2", controller: true, blockOwnerDeletion: true },
      ],
    },
    [
      'metadata.ownerReferences: Invalid value: [{"apiVersion":"v1","kind":"K","name":"n1","uid":"u1","controller":true,"blockOwnerDeletion":true},{"apiVersion":"v1","kind":"K","name":"n2","uid":"u2","controller":true,"blockOwnerDeletion":true}]: Only one reference can have Controller set to true. Found "true" in references for K/n1 and K/n2',
    ],
  ],
  [{ namespace: "n", name: "a", managedFields: [{ operation: "Update" }] }, []],
  [
    {
      namespace: "n",
      name: "a",
      managedFields: [{ operation: "Apply", fieldsType: "FieldsV1", manager: "m" }],
    },
    [],
  ],
  [
    { namespace: "n", name: "a", managedFields: [{}] },
    ['metadata.managedFields[0].operation: Invalid value: "": must be `Apply` or `Update`'],
  ],
  [
    { namespace: "n", name: "a", managedFields: [{ operation: "Patch" }] },
    ['metadata.managedFields[0].operation: Invalid value: "Patch": must be `Apply` or `Update`'],
  ],
  [
    { namespace: "n", name: "a", managedFields: [{ operation: "Apply", fieldsType: "FieldsV2" }] },
    ['metadata.managedFields[0].fieldsType: Invalid value: "FieldsV2": must be `FieldsV1`'],
  ],
  [
    { namespace: "n", name: "a", managedFields: [{ operation: "Apply", manager: "m".repeat(129) }] },
    ["metadata.managedFields[0].manager: Too long: may not be more than 128 bytes"],
  ],
  [
    { namespace: "n", name: "a", managedFields: [{ operation: "Apply", manager: "a\nb\u0000" }] },
    [
      'metadata.managedFields[0].manager: Invalid value: "a\\nb\\x00": invalid character U+0000 (at position 3)',
      'metadata.managedFields[0].manager: Invalid value: "a\\nb\\x00": invalid character U+000A (at position 1)',
    ],
  ],
  [{ namespace: "n", name: "a", managedFields: [{ operation: "Apply", manager: "ünï 日本" }] }, []],
  [
    { namespace: "n", name: "a", managedFields: [{ operation: "Apply", subresource: "s".repeat(257) }] },
    ["metadata.managedFields[0].subresource: Too long: may not be more than 256 bytes"],
  ],
  [
    { namespace: "n", name: "a", generation: -1 },
    ["metadata.generation: Invalid value: -1: must be greater than or equal to 0"],
  ],
  [{ namespace: "n", name: "a", generation: 5 }, []],
];

const stored: ObjectMeta = {
  name: "a",
  namespace: "n",
  uid: "u",
  resourceVersion: "1",
  creationTimestamp: "2026-01-01T00:00:00Z",
  generation: 2,
};
const deleted: ObjectMeta = {
  name: "a",
  namespace: "n",
  uid: "u",
  resourceVersion: "1",
  creationTimestamp: "2026-01-01T00:00:00Z",
  generation: 2,
  deletionTimestamp: "2026-01-02T00:00:00Z",
  deletionGracePeriodSeconds: 0,
  finalizers: ["x.io/a", "x.io/b"],
};

const updates: readonly (readonly [
  old: ObjectMeta,
  change: Record<string, unknown>,
  errors: readonly string[],
])[] = [
  [stored, {}, []],
  [stored, { name: "b" }, ['metadata.name: Invalid value: "b": field is immutable']],
  [stored, { namespace: "m" }, ['metadata.namespace: Invalid value: "m": field is immutable']],
  [stored, { uid: "v" }, ['metadata.uid: Invalid value: "v": field is immutable']],
  [stored, { uid: "" }, ['metadata.uid: Invalid value: "": field is immutable']],
  [
    stored,
    { resourceVersion: "" },
    ['metadata.resourceVersion: Invalid value: "": must be specified for an update'],
  ],
  [stored, { resourceVersion: "2" }, []],
  [stored, { generation: 1 }, ["metadata.generation: Invalid value: 1: must not be decremented"]],
  [stored, { generation: 3 }, []],
  [
    stored,
    { creationTimestamp: "2026-01-01T00:00:01Z" },
    ['metadata.creationTimestamp: Invalid value: "2026-01-01T00:00:01Z": field is immutable'],
  ],
  [
    stored,
    { creationTimestamp: null },
    ["metadata.creationTimestamp: Invalid value: null: field is immutable"],
  ],
  [
    stored,
    { deletionTimestamp: "2026-01-02T00:00:00Z" },
    ['metadata.deletionTimestamp: Invalid value: "2026-01-02T00:00:00Z": field is immutable'],
  ],
  [
    stored,
    { deletionGracePeriodSeconds: 3 },
    ["metadata.deletionGracePeriodSeconds: Invalid value: 3: field is immutable"],
  ],
  [stored, { finalizers: ["any thing"] }, []],
  [
    stored,
    { labels: { "a b": "c" } },
    [
      "metadata.labels: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
  ],
  [
    stored,
    { annotations: { "a b": "c" } },
    [
      "metadata.annotations: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
  ],
  [
    stored,
    { ownerReferences: [{}] },
    [
      'metadata.ownerReferences.apiVersion: Invalid value: "": version must not be empty',
      'metadata.ownerReferences.kind: Invalid value: "": must not be empty',
      'metadata.ownerReferences.name: Invalid value: "": must not be empty',
      'metadata.ownerReferences.uid: Invalid value: "": must not be empty',
    ],
  ],
  [
    stored,
    { managedFields: [{}] },
    ['metadata.managedFields[0].operation: Invalid value: "": must be `Apply` or `Update`'],
  ],
  [deleted, {}, []],
  [deleted, { finalizers: ["x.io/a"] }, []],
  [deleted, { finalizers: ["x.io/b", "x.io/a"] }, []],
  [deleted, { finalizers: ["x.io/a", "x.io/a"] }, []],
  [
    deleted,
    { finalizers: ["x.io/a", "new", 'also "new"'] },
    [
      'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"also \\"new\\"", "new"}',
    ],
  ],
  [
    deleted,
    { deletionTimestamp: null },
    ["metadata.deletionTimestamp: Invalid value: null: field is immutable"],
  ],
  [
    deleted,
    { deletionGracePeriodSeconds: null },
    ["metadata.deletionGracePeriodSeconds: Invalid value: null: field is immutable"],
  ],
  [
    deleted,
    { deletionGracePeriodSeconds: 5 },
    ["metadata.deletionGracePeriodSeconds: Invalid value: 5: field is immutable"],
  ],
];

function meta(value: JsonObject): ObjectMeta {
  return decodeObjectMeta(value).meta as ObjectMeta;
}

describe("validateObjectMeta", () => {
  it.each(creates)("finds in %j %j", (metadata, expected) => {
    const options = { namespaced: true, name: dns1123SubdomainErrors };
    expect(validateObjectMeta(meta(metadata), options).map(fieldErrorText).sort()).toEqual(expected);
  });

  it("limits all annotations together to 256 KiB", () => {
    const annotated = (bytes: number): ObjectMeta => ({
      name: "a",
      annotations: { k: "a".repeat(bytes - 1) },
    });
    const limit = 256 * 1024;
    expect(validateObjectMeta(annotated(limit), { namespaced: false })).toEqual([]);
    expect(validateObjectMeta(annotated(limit + 1), { namespaced: false }).map(fieldErrorText)).toEqual([
      "metadata.annotations: Too long: may not be more than 262144 bytes",
    ]);
  });

  it("forbids a namespace where there is none", () => {
    const errors = validateObjectMeta({ name: "a", namespace: "n" }, { namespaced: false }).map(
      fieldErrorText,
    );
    expect(errors).toEqual(["metadata.namespace: Forbidden: not allowed on this type"]);
  });
});

describe("validateObjectMetaUpdate", () => {
  it.each(updates)("lets %j change by %j, but for %j", (old, change, expected) => {
    const entries = Object.entries({ ...old, ...change }).filter(([, value]) => value !== null);
    const errors = validateObjectMetaUpdate(meta(Object.fromEntries(entries) as JsonObject), old);
    expect(errors.map(fieldErrorText).sort()).toEqual(expected);
  });
});

describe("validateCommonFields", () => {
  it("checks a new name as a part of a path only", () => {
    expect(validateCommonFields({ name: "A_B" }, undefined, { namespaced: false })).toEqual([]);
    const errors = validateCommonFields({ name: "a/b", generateName: ".." }, undefined, {
      namespaced: false,
    });
    expect(errors.map(fieldErrorText)).toEqual([`metadata.name: Invalid value: "a/b": may not contain '/'`]);
  });

  it("checks form and changes of a stored object", () => {
    const changed = { ...stored, uid: "other", labels: { "a b": "c" } };
    const fields = validateCommonFields(changed, stored, { namespaced: true }).map((error) => error.field);
    expect(fields).toEqual(["metadata.labels", "metadata.uid", "metadata.labels"]);
  });
});

describe("finalizerWarnings", () => {
  const advice = "to avoid accidental conflicts with other finalizer writers";

  it.each<[string[], string[]]>([
    [["example.com/a", "orphan", "foregroundDeletion", "kubernetes"], []],
    [["plain"], [`metadata.finalizers: "plain": prefer a domain-qualified finalizer name ${advice}`]],
    [
      ["a.b"],
      [`metadata.finalizers: "a.b": prefer a domain-qualified finalizer name including a path (/) ${advice}`],
    ],
  ])("says of %j: %j", (finalizers, expected) => {
    expect(finalizerWarnings({ finalizers }, undefined)).toEqual(expected);
  });

  it("is silent about finalizers that were there", () => {
    expect(finalizerWarnings({ finalizers: ["plain"] }, { finalizers: ["plain"] })).toEqual([]);
  });
});
