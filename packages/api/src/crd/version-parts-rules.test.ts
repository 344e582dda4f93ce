import { describe, expect, it } from "vitest";
import { fieldErrorText } from "../status/field-error.ts";
import type { JsonSchema } from "../schema/json-schema.ts";
import type { CrdSpec, CrdVersion, CustomResourceDefinition } from "./custom-resource-definition.ts";
import { defaultCrd } from "./default-crd.ts";
import { prepareCrdForCreate } from "./prepare-crd.ts";
import { validateCrd } from "./validate-crd.ts";

// Expected causes are those of k8s.io/apiextensions-apiserver v0.36.

function kettle(spec: Partial<CrdSpec>, version: Partial<CrdVersion> = {}): CustomResourceDefinition {
  const v1: CrdVersion = {
    name: "v1",
    served: true,
    storage: true,
    schema: { openAPIV3Schema: { type: "object" } },
  };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "kettles.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "kettles", kind: "Kettle" },
      versions: [{ ...v1, ...version }],
      ...spec,
    },
  };
}

function causes(crd: CustomResourceDefinition): string[] {
  return validateCrd(prepareCrdForCreate(defaultCrd(crd)))
    .errors.map(fieldErrorText)
    .sort();
}

function selectable(paths: readonly string[]): CustomResourceDefinition {
  const openAPIV3Schema: JsonSchema = {
    type: "object",
    properties: {
      spec: {
        type: "object",
        properties: {
          s: { type: "string" },
          i: { type: "integer" },
          n: { type: "number" },
          b: { type: "boolean" },
          e: { type: "string", enum: ["a"] },
          o: { type: "object", properties: { deep: { type: "string" } } },
          l: { type: "array", items: { type: "string" } },
          m: { type: "object", additionalProperties: { type: "string" } },
          ios: { "x-kubernetes-int-or-string": true },
        },
      },
    },
  };
  return kettle(
    {},
    { schema: { openAPIV3Schema }, selectableFields: paths.map((jsonPath) => ({ jsonPath })) },
  );
}

type Case<T> = readonly [change: T, causes: readonly string[]];

const versionPartsCases: readonly Case<Partial<CrdVersion>>[] = [
  [
    { name: "V1" },
    [
      "spec.version: Invalid value: \"V1\": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
      "spec.versions[0].name: Invalid value: \"V1\": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
    ],
  ],
  [
    { name: "" },
    [
      "spec.versions[0].name: Invalid value: \"\": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
    ],
  ],
  [
    { name: "v1.1" },
    [
      "spec.version: Invalid value: \"v1.1\": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
      "spec.versions[0].name: Invalid value: \"v1.1\": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
    ],
  ],
  [{ name: "v1-x" }, []],
  [{ served: false }, []],
  [
    { storage: false },
    [
      'spec.versions: Invalid value: [{"Name":"v1","Served":true,"Storage":false,"Deprecated":false,"DeprecationWarning":null,"Schema":null,"Subresources":null,"AdditionalPrinterColumns":null,"SelectableFields":null}]: must have exactly one version marked as storage version',
      "status.storedVersions: Invalid value: null: must have at least one stored version",
    ],
  ],
  [{ schema: undefined as never }, ["spec.versions[0].schema.openAPIV3Schema: Required value"]],
  [{ schema: {} }, ["spec.versions[0].schema.openAPIV3Schema: Required value"]],
  [{ deprecated: true }, []],
  [{ deprecated: true, deprecationWarning: "old" }, []],
  [
    { deprecated: true, deprecationWarning: "" },
    ['spec.versions[0].deprecationWarning: Invalid value: "": must not be an empty string'],
  ],
  [
    { deprecationWarning: "old" },
    ['spec.versions[0].deprecationWarning: Invalid value: "old": can only be set for deprecated versions'],
  ],
  [
    { deprecated: true, deprecationWarning: "a\nb" },
    [
      'spec.versions[0].deprecationWarning: Invalid value: "a\\nb": must only contain printable UTF-8 characters; non-printable character found at index 1',
    ],
  ],
  [
    {
      deprecated: true,
      deprecationWarning:
        "ééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééé",
    },
    [
      'spec.versions[0].deprecationWarning: Invalid value: "ééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééé": must be <= 256 characters long',
    ],
  ],
  [
    {
      subresources: { scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" } },
    },
    [],
  ],
  [
    { subresources: { scale: { specReplicasPath: "", statusReplicasPath: "" } } },
    [
      "spec.subresources.scale.specReplicasPath: Required value",
      "spec.subresources.scale.statusReplicasPath: Required value",
    ],
  ],
  [
    {
      subresources: { scale: { specReplicasPath: "spec.replicas", statusReplicasPath: ".status.replicas" } },
    },
    [
      'spec.subresources.scale.specReplicasPath: Invalid value: "spec.replicas": must be a simple json path starting with .',
    ],
  ],
  [
    { subresources: { scale: { specReplicasPath: ".replicas", statusReplicasPath: ".status.replicas" } } },
    [
      'spec.subresources.scale.specReplicasPath: Invalid value: ".replicas": should be a json path under .spec',
    ],
  ],
  [
    { subresources: { scale: { specReplicasPath: ".status.x", statusReplicasPath: ".spec.x" } } },
    [
      'spec.subresources.scale.specReplicasPath: Invalid value: ".status.x": should be a json path under .spec',
      'spec.subresources.scale.statusReplicasPath: Invalid value: ".spec.x": should be a json path under .status',
    ],
  ],
  [
    { subresources: { scale: { specReplicasPath: ".spec", statusReplicasPath: ".status" } } },
    [
      'spec.subresources.scale.specReplicasPath: Invalid value: ".spec": should be a json path under .spec',
      'spec.subresources.scale.statusReplicasPath: Invalid value: ".status": should be a json path under .status',
    ],
  ],
  [
    {
      subresources: {
        scale: {
          specReplicasPath: ".spec.a.b",
          statusReplicasPath: ".status.a",
          labelSelectorPath: ".status.selector",
        },
      },
    },
    [],
  ],
  [
    {
      subresources: {
        scale: {
          specReplicasPath: ".spec.a",
          statusReplicasPath: ".status.a",
          labelSelectorPath: ".spec.selector",
        },
      },
    },
    [],
  ],
  [
    {
      subresources: {
        scale: {
          specReplicasPath: ".spec.a",
          statusReplicasPath: ".status.a",
          labelSelectorPath: ".metadata.labels",
        },
      },
    },
    [
      'spec.subresources.scale.labelSelectorPath: Invalid value: ".metadata.labels": should be a json path under either .spec or .status',
    ],
  ],
  [
    {
      subresources: {
        scale: { specReplicasPath: ".spec.a", statusReplicasPath: ".status.a", labelSelectorPath: "status" },
      },
    },
    [
      'spec.subresources.scale.labelSelectorPath: Invalid value: "status": must be a simple json path starting with .',
    ],
  ],
  [
    {
      subresources: {
        scale: { specReplicasPath: ".spec.a", statusReplicasPath: ".status.a", labelSelectorPath: "" },
      },
    },
    [],
  ],
  [{ additionalPrinterColumns: [{ name: "A", type: "string", jsonPath: ".spec.a" }] }, []],
  [
    { additionalPrinterColumns: [{ name: "", type: "string", jsonPath: ".spec.a" }] },
    ["spec.additionalPrinterColumns[0].name: Required value"],
  ],
  [
    { additionalPrinterColumns: [{ name: "A", type: "", jsonPath: ".spec.a" }] },
    [
      "spec.additionalPrinterColumns[0].type: Required value: must be one of boolean,date,integer,number,string",
    ],
  ],
  [
    { additionalPrinterColumns: [{ name: "A", type: "text", jsonPath: ".spec.a" }] },
    [
      'spec.additionalPrinterColumns[0].type: Invalid value: "text": must be one of boolean,date,integer,number,string',
    ],
  ],
  [
    { additionalPrinterColumns: [{ name: "A", type: "date", jsonPath: "" }] },
    ["spec.additionalPrinterColumns[0].JSONPath: Required value"],
  ],
  [
    { additionalPrinterColumns: [{ name: "A", type: "date", jsonPath: "spec" }] },
    [
      'spec.additionalPrinterColumns[0].JSONPath: Invalid value: "spec": must be a simple json path starting with .',
    ],
  ],
  [{ additionalPrinterColumns: [{ name: "A", type: "integer", format: "int32", jsonPath: "." }] }, []],
  [
    { additionalPrinterColumns: [{ name: "A", type: "integer", format: "int16", jsonPath: ".a" }] },
    [
      'spec.additionalPrinterColumns[0].format: Invalid value: "int16": must be one of byte,date,date-time,double,float,int32,int64,password',
    ],
  ],
  [
    {
      additionalPrinterColumns: [
        { name: "A", type: "number", format: "double", jsonPath: ".a[?(@.x)].y", priority: 1 },
      ],
    },
    [],
  ],
  [{ additionalPrinterColumns: [{ name: "A", type: "boolean", format: "password", jsonPath: ".a" }] }, []],
];

const selectableFieldsCases: readonly Case<readonly string[]>[] = [
  [[".spec.s"], []],
  [[".spec.i"], []],
  [[".spec.b"], []],
  [
    [".spec.n"],
    [
      'spec.selectableFields[0].jsonPath: Invalid value: ".spec.n": must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
    ],
  ],
  [
    [".spec.o"],
    [
      'spec.selectableFields[0].jsonPath: Invalid value: ".spec.o": must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
    ],
  ],
  [
    [".spec.l"],
    [
      'spec.selectableFields[0].jsonPath: Invalid value: ".spec.l": must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
    ],
  ],
  [
    [".spec.m"],
    [
      'spec.selectableFields[0].jsonPath: Invalid value: ".spec.m": must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
    ],
  ],
  [[".spec.m.x"], []],
  [
    [".spec.x"],
    [
      'spec.selectableFields[0].jsonPath: Invalid value: ".spec.x": is an invalid path: does not refer to a valid field',
    ],
  ],
  [
    [".spec"],
    [
      'spec.selectableFields[0].jsonPath: Invalid value: ".spec": must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
    ],
  ],
  [[""], ["spec.selectableFields[0].jsonPath: Required value"]],
  [
    ["spec.s"],
    [
      'spec.selectableFields[0].jsonPath: Invalid value: "spec.s": is an invalid path: expected [ or . but got: spec',
    ],
  ],
  [[".spec.s", ".spec.s"], ['spec.selectableFields[1].jsonPath: Duplicate value: ".spec.s"']],
  [[".spec.o.deep"], []],
  [
    [".metadata.name"],
    [
      'spec.selectableFields[0].jsonPath: Invalid value: ".metadata.name": is an invalid path: does not refer to a valid field',
    ],
  ],
  [
    [".spec.l[0]"],
    [
      'spec.selectableFields[0].jsonPath: Invalid value: ".spec.l[0]": is an invalid path: array notation is not allowed',
    ],
  ],
  [
    [".spec['s']"],
    [
      "spec.selectableFields[0].jsonPath: Invalid value: \".spec['s']\": is an invalid path: array notation is not allowed",
    ],
  ],
  [
    [".spec."],
    [
      'spec.selectableFields[0].jsonPath: Invalid value: ".spec.": is an invalid path: unexpected end of JSON path',
    ],
  ],
  [
    [".spec..s"],
    [
      'spec.selectableFields[0].jsonPath: Invalid value: ".spec..s": is an invalid path: does not refer to a valid field',
    ],
  ],
  [
    ["."],
    [
      'spec.selectableFields[0].jsonPath: Invalid value: ".": is an invalid path: unexpected end of JSON path',
    ],
  ],
  [
    [".spec.ios"],
    [
      'spec.selectableFields[0].jsonPath: Invalid value: ".spec.ios": must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
    ],
  ],
  [[".spec.e"], []],
  [
    [
      ".spec.m.k1",
      ".spec.m.k2",
      ".spec.m.k3",
      ".spec.m.k4",
      ".spec.m.k5",
      ".spec.m.k6",
      ".spec.m.k7",
      ".spec.m.k8",
    ],
    [],
  ],
  [
    [
      ".spec.m.k1",
      ".spec.m.k2",
      ".spec.m.k3",
      ".spec.m.k4",
      ".spec.m.k5",
      ".spec.m.k6",
      ".spec.m.k7",
      ".spec.m.k8",
      ".spec.m.k9",
    ],
    ["spec.selectableFields: Too many: 9: must have at most 8 items"],
  ],
];

describe("parts of a version", () => {
  it.each(versionPartsCases)("version parts: %j has the causes %j", (change, expected) => {
    expect(causes(kettle({}, change))).toEqual(expected);
  });

  it.each(selectableFieldsCases)("selectable fields: %j has the causes %j", (change, expected) => {
    expect(causes(selectable(change))).toEqual(expected);
  });
});
