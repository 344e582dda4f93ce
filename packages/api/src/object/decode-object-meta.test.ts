import { describe, expect, it } from "vitest";
import { decodeObjectMeta, decodeObjectMetaLeniently } from "./decode-object-meta.ts";
import type { Json, JsonObject } from "./object.ts";

// Expected values are those of sigs.k8s.io/json with ObjectMeta of k8s.io/apimachinery v0.36.

const decodable: readonly (readonly [Json, JsonObject, readonly string[]])[] = [
  [{ labels: { a: null } }, { labels: { a: "" } }, []],
  [{ labels: {} }, {}, []],
  [{ labels: null, annotations: { a: "b" } }, { annotations: { a: "b" } }, []],
  [{ finalizers: ["a", null] }, { finalizers: ["a", ""] }, []],
  [{ finalizers: [] }, {}, []],
  [{ managedFields: [{ fieldsV1: 5 }] }, { managedFields: [{ fieldsV1: 5 }] }, []],
  [
    { managedFields: [{ fieldsV1: null, time: null, operation: "Z" }] },
    { managedFields: [{ operation: "Z" }] },
    [],
  ],
  [
    {
      managedFields: [
        { time: "2020-01-01T00:00:00Z", manager: "m", fieldsType: "FieldsV1", fieldsV1: { "f:a": {} } },
      ],
    },
    {
      managedFields: [
        { fieldsType: "FieldsV1", fieldsV1: { "f:a": {} }, manager: "m", time: "2020-01-01T00:00:00Z" },
      ],
    },
    [],
  ],
  [
    { creationTimestamp: "2020-01-01T10:00:00.5+01:00", generation: 0 },
    { creationTimestamp: "2020-01-01T09:00:00Z" },
    [],
  ],
  [{ creationTimestamp: "2020-12-12T1:00:00Z" }, { creationTimestamp: "2020-12-12T01:00:00Z" }, []],
  [{ creationTimestamp: "2020-12-12T10:00:00,5Z" }, { creationTimestamp: "2020-12-12T10:00:00Z" }, []],
  [{ creationTimestamp: "0050-01-01T00:00:00Z" }, { creationTimestamp: "0050-01-01T00:00:00Z" }, []],
  [{ creationTimestamp: "2019-12-31T23:59:59-02:30" }, { creationTimestamp: "2020-01-01T02:29:59Z" }, []],
  [{ generation: 9223372036854775807n }, { generation: 9223372036854775807n }, []],
  [{ deletionGracePeriodSeconds: 0, resourceVersion: "" }, { deletionGracePeriodSeconds: 0 }, []],
  [{ name: "", namespace: "n" }, { namespace: "n" }, []],
  [
    { ownerReferences: [{ uid: "a", extra: { x: 1 }, controller: null }], selfLink: "/a" },
    { ownerReferences: [{ apiVersion: "", kind: "", name: "", uid: "a" }], selfLink: "/a" },
    ["ownerReferences[0].extra"],
  ],
  [{ ownerReferences: [null] }, { ownerReferences: [{ apiVersion: "", kind: "", name: "", uid: "" }] }, []],
  [{ Name: "x", clusterName: "c" }, {}, ["Name", "clusterName"]],
  [null, {}, []],
];

const undecodable: readonly (readonly [Json, string])[] = [
  [
    { ownerReferences: [{ uid: 5 }] },
    "json: cannot unmarshal number into Go struct field OwnerReference.ownerReferences.uid of type types.UID",
  ],
  [
    { ownerReferences: { uid: 5 } },
    "json: cannot unmarshal object into Go struct field ObjectMeta.ownerReferences of type []v1.OwnerReference",
  ],
  [
    { ownerReferences: [5] },
    "json: cannot unmarshal number into Go struct field ObjectMeta.ownerReferences of type v1.OwnerReference",
  ],
  [
    { labels: { a: 1, b: null } },
    "json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string",
  ],
  [
    { labels: [] },
    "json: cannot unmarshal array into Go struct field ObjectMeta.labels of type map[string]string",
  ],
  [
    { finalizers: ["a", null, 3] },
    "json: cannot unmarshal number into Go struct field ObjectMeta.finalizers of type string",
  ],
  [
    { finalizers: "a" },
    "json: cannot unmarshal string into Go struct field ObjectMeta.finalizers of type []string",
  ],
  [
    { managedFields: [{ time: "x", fieldsV1: 5 }] },
    'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"',
  ],
  [
    { managedFields: [{ fieldsV1: { "f:a": {} }, operation: 7 }] },
    "json: cannot unmarshal number into Go struct field ManagedFieldsEntry.managedFields.operation of type v1.ManagedFieldsOperationType",
  ],
  [
    { managedFields: {} },
    "json: cannot unmarshal object into Go struct field ObjectMeta.managedFields of type []v1.ManagedFieldsEntry",
  ],
  [{ creationTimestamp: "2020-13-01T10:00:00Z" }, 'parsing time "2020-13-01T10:00:00Z": month out of range'],
  [{ creationTimestamp: "2020-12-32T10:00:00Z" }, 'parsing time "2020-12-32T10:00:00Z": day out of range'],
  [{ creationTimestamp: "2021-02-29T10:00:00Z" }, 'parsing time "2021-02-29T10:00:00Z": day out of range'],
  [
    { creationTimestamp: "2020-12-12T10:00:00" },
    'parsing time "2020-12-12T10:00:00" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "Z07:00"',
  ],
  [{ creationTimestamp: "2020-12-12T25:00:00Z" }, 'parsing time "2020-12-12T25:00:00Z": hour out of range'],
  [{ creationTimestamp: "2020-12-12T10:61:00Z" }, 'parsing time "2020-12-12T10:61:00Z": minute out of range'],
  [{ creationTimestamp: "2020-12-12T10:00:61Z" }, 'parsing time "2020-12-12T10:00:61Z": second out of range'],
  [
    { creationTimestamp: "2020-12-12 10:00:00Z" },
    'parsing time "2020-12-12 10:00:00Z" as "2006-01-02T15:04:05Z07:00": cannot parse " 10:00:00Z" as "T"',
  ],
  [{ creationTimestamp: "2020-12-12T10:00:00Zx" }, 'parsing time "2020-12-12T10:00:00Zx": extra text: "x"'],
  [{ creationTimestamp: "" }, 'parsing time "" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "2006"'],
  [
    { creationTimestamp: "2020" },
    'parsing time "2020" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "-"',
  ],
  [
    { creationTimestamp: { a: 1 } },
    "json: cannot unmarshal object into Go struct field ObjectMeta.creationTimestamp of type string",
  ],
  [
    { creationTimestamp: "2020-12-12T10:00:00+25:00" },
    'parsing time "2020-12-12T10:00:00+25:00": time zone offset hour out of range',
  ],
  [
    { deletionTimestamp: 5 },
    "json: cannot unmarshal number into Go struct field ObjectMeta.deletionTimestamp of type string",
  ],
  [
    { generation: "x", creationTimestamp: 5 },
    "json: cannot unmarshal number into Go struct field ObjectMeta.creationTimestamp of type string",
  ],
  [
    { generation: 1.5, uid: [], bogus: { a: 1 } },
    "json: cannot unmarshal number 1.5 into Go struct field ObjectMeta.generation of type int64",
  ],
  [
    { deletionGracePeriodSeconds: "0" },
    "json: cannot unmarshal string into Go struct field ObjectMeta.deletionGracePeriodSeconds of type int64",
  ],
  [{ name: true, zzz: 5 }, "json: cannot unmarshal bool into Go struct field ObjectMeta.name of type string"],
  [{ uid: 7 }, "json: cannot unmarshal number into Go struct field ObjectMeta.uid of type types.UID"],
  [
    { ownerReferences: [{ uid: "a", extra: { x: 1 }, controller: "y" }] },
    "json: cannot unmarshal string into Go struct field OwnerReference.ownerReferences.controller of type bool",
  ],
  ["text", "json: cannot unmarshal string into Go value of type v1.ObjectMeta"],
  [["a"], "json: cannot unmarshal array into Go value of type v1.ObjectMeta"],
  [5, "json: cannot unmarshal number into Go value of type v1.ObjectMeta"],
];

describe("decodeObjectMeta", () => {
  it.each(decodable)("makes of %o %o, and does not know %j", (value, expected, unknown) => {
    expect(decodeObjectMeta(value)).toEqual({ meta: expected, unknown });
  });

  it.each(undecodable)("cannot decode %j: %s", (value, error) => {
    const decoded = decodeObjectMeta(value);
    expect(decoded.error).toBe(error);
    expect(decoded.meta).toBeUndefined();
  });
});

describe("decodeObjectMetaLeniently", () => {
  it("leaves out the fields that cannot be decoded, and only those", () => {
    const decoded = decodeObjectMetaLeniently({ name: "a", labels: 5, uid: 7, generation: 3, odd: 1 });
    expect(decoded).toEqual({ meta: { name: "a", generation: 3 }, unknown: ["odd"] });
  });

  it("gives up on what is no object", () => {
    expect(decodeObjectMetaLeniently("text")).toEqual({ meta: undefined, unknown: [] });
  });
});
