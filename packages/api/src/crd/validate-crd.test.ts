import { describe, expect, it } from "vitest";
import { fieldErrorText } from "../status/field-error.ts";
import type { JsonSchema } from "../schema/json-schema.ts";
import type {
  CrdNames,
  CrdSpec,
  CrdVersion,
  CustomResourceDefinition,
} from "./custom-resource-definition.ts";
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

function named(given: Partial<CrdNames>): CustomResourceDefinition {
  const crd = kettle({ names: { plural: "kettles", kind: "Kettle", ...given } });
  return { ...crd, metadata: { name: `${crd.spec.names.plural}.example.com` } };
}

type Case<T> = readonly [change: T, causes: readonly string[]];

const namesCases: readonly Case<Partial<CrdNames>>[] = [
  [
    { plural: "Kettles" },
    [
      "metadata.name: Invalid value: \"Kettles.example.com\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      "spec.names.plural: Invalid value: \"Kettles\": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
    ],
  ],
  [
    { plural: "" },
    [
      "metadata.name: Invalid value: \".example.com\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      "spec.names.plural: Required value",
    ],
  ],
  [
    { plural: "1kettles" },
    [
      "spec.names.plural: Invalid value: \"1kettles\": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
    ],
  ],
  [{ plural: "ket-tles" }, []],
  [
    { plural: "ket.tles" },
    [
      "spec.names.plural: Invalid value: \"ket.tles\": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
    ],
  ],
  [
    { singular: "Kettle" },
    [
      "spec.names.singular: Invalid value: \"Kettle\": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
    ],
  ],
  [
    { singular: "kettle_x" },
    [
      "spec.names.singular: Invalid value: \"kettle_x\": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
    ],
  ],
  [
    { kind: "" },
    [
      "spec.names.kind: Required value",
      "spec.names.listKind: Required value",
      "spec.names.singular: Required value",
    ],
  ],
  [{ kind: "kettle" }, []],
  [{ kind: "KettleX" }, []],
  [
    { kind: "Kettle_X" },
    [
      "spec.names.kind: Invalid value: \"Kettle_X\": may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
      "spec.names.listKind: Invalid value: \"Kettle_XList\": may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
      "spec.names.singular: Invalid value: \"kettle_x\": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
    ],
  ],
  [
    { kind: "9Kettle" },
    [
      "spec.names.kind: Invalid value: \"9Kettle\": may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
      "spec.names.listKind: Invalid value: \"9KettleList\": may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
      "spec.names.singular: Invalid value: \"9kettle\": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
    ],
  ],
  [
    { kind: "Kettle", listKind: "Kettle" },
    ['spec.names.listKind: Invalid value: "Kettle": kind and listKind may not be the same'],
  ],
  [
    { listKind: "kettle list" },
    [
      "spec.names.listKind: Invalid value: \"kettle list\": may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
    ],
  ],
  [{ listKind: "KettleBag" }, []],
  [
    { shortNames: ["k", "K", ""] },
    [
      "spec.names.shortNames[1]: Invalid value: \"K\": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
      "spec.names.shortNames[2]: Invalid value: \"\": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
    ],
  ],
  [{ shortNames: ["ke-t"] }, []],
  [
    { categories: ["all", "A B"] },
    [
      "spec.names.categories[1]: Invalid value: \"A B\": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
    ],
  ],
  [
    { kind: "KKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKK" },
    [
      'spec.names.kind: Invalid value: "KKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKK": may have mixed case, but should otherwise match: must be no more than 63 characters',
      'spec.names.listKind: Invalid value: "KKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKList": may have mixed case, but should otherwise match: must be no more than 63 characters',
      'spec.names.singular: Invalid value: "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk": must be no more than 63 characters',
    ],
  ],
  [
    { plural: "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk" },
    [
      'spec.names.plural: Invalid value: "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk": must be no more than 63 characters',
    ],
  ],
];

const specCases: readonly Case<Partial<CrdSpec>>[] = [
  [
    { group: "" },
    [
      'metadata.name: Invalid value: "kettles.example.com": must be spec.names.plural+"."+spec.group',
      "spec.group: Required value",
    ],
  ],
  [
    { group: "example" },
    [
      'metadata.name: Invalid value: "kettles.example.com": must be spec.names.plural+"."+spec.group',
      'spec.group: Invalid value: "example": should be a domain with at least one dot',
    ],
  ],
  [
    { group: "Example.com" },
    [
      'metadata.name: Invalid value: "kettles.example.com": must be spec.names.plural+"."+spec.group',
      "spec.group: Invalid value: \"Example.com\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ],
  ],
  [
    { group: "example.com." },
    [
      'metadata.name: Invalid value: "kettles.example.com": must be spec.names.plural+"."+spec.group',
      "spec.group: Invalid value: \"example.com.\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ],
  ],
  [
    { group: "a.k8s.io" },
    [
      'metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have approval annotation "api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111',
      'metadata.name: Invalid value: "kettles.example.com": must be spec.names.plural+"."+spec.group',
    ],
  ],
  [
    { group: "k8s.io" },
    [
      'metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have approval annotation "api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111',
      'metadata.name: Invalid value: "kettles.example.com": must be spec.names.plural+"."+spec.group',
    ],
  ],
  [{ scope: "" }, ["spec.scope: Required value"]],
  [{ scope: "Both" }, ['spec.scope: Unsupported value: "Both": supported values: "Cluster", "Namespaced"']],
  [{ scope: "Cluster" }, []],
  [
    { versions: [] },
    [
      "spec.versions: Invalid value: []: must have exactly one version marked as storage version",
      "status.storedVersions: Invalid value: null: must have at least one stored version",
    ],
  ],
  [
    { preserveUnknownFields: true },
    [
      "spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead",
    ],
  ],
  [{ preserveUnknownFields: false }, []],
];

const conversionCases: readonly Case<Partial<CrdSpec>>[] = [
  [{ conversion: { strategy: "None" } }, []],
  [{ conversion: { strategy: "" } }, ["spec.conversion.strategy: Required value"]],
  [
    { conversion: { strategy: "Magic" } },
    ['spec.conversion.strategy: Unsupported value: "Magic": supported values: "None", "Webhook"'],
  ],
  [
    { conversion: { strategy: "Webhook" } },
    [
      "spec.conversion.conversionReviewVersions: Required value",
      "spec.conversion.webhookClientConfig: Required value: required when strategy is set to Webhook",
    ],
  ],
  [
    { conversion: { strategy: "None", webhook: { conversionReviewVersions: ["v1"] } } },
    [
      "spec.conversion.conversionReviewVersions: Forbidden: should not be set when strategy is not set to Webhook",
    ],
  ],
  [
    {
      conversion: {
        strategy: "None",
        webhook: { clientConfig: { url: "https://a" }, conversionReviewVersions: [] },
      },
    },
    ["spec.conversion.webhookClientConfig: Forbidden: should not be set when strategy is not set to Webhook"],
  ],
  [
    { conversion: { strategy: "Webhook", webhook: { clientConfig: {}, conversionReviewVersions: ["v1"] } } },
    ["spec.conversion.webhookClientConfig: Required value: exactly one of url or service is required"],
  ],
  [
    {
      conversion: {
        strategy: "Webhook",
        webhook: { clientConfig: { url: "https://a/b" }, conversionReviewVersions: ["v1"] },
      },
    },
    [],
  ],
  [
    {
      conversion: {
        strategy: "Webhook",
        webhook: { clientConfig: { url: "http://a" }, conversionReviewVersions: ["v1"] },
      },
    },
    [
      "spec.conversion.webhookClientConfig.url: Invalid value: \"http\": 'https' is the only allowed URL scheme; desired format: https://host[/path]",
    ],
  ],
  [
    {
      conversion: {
        strategy: "Webhook",
        webhook: { clientConfig: { url: "https://" }, conversionReviewVersions: ["v1"] },
      },
    },
    [
      'spec.conversion.webhookClientConfig.url: Invalid value: "": host must be specified; desired format: https://host[/path]',
    ],
  ],
  [
    {
      conversion: {
        strategy: "Webhook",
        webhook: { clientConfig: { url: "https://u:p@a" }, conversionReviewVersions: ["v1"] },
      },
    },
    [
      'spec.conversion.webhookClientConfig.url: Invalid value: "u:p": user information is not permitted in the URL',
    ],
  ],
  [
    {
      conversion: {
        strategy: "Webhook",
        webhook: { clientConfig: { url: "https://a?b" }, conversionReviewVersions: ["v1"] },
      },
    },
    [
      'spec.conversion.webhookClientConfig.url: Invalid value: "b": query parameters are not permitted in the URL',
    ],
  ],
  [
    {
      conversion: {
        strategy: "Webhook",
        webhook: { clientConfig: { url: "https://a#b" }, conversionReviewVersions: ["v1"] },
      },
    },
    ['spec.conversion.webhookClientConfig.url: Invalid value: "b": fragments are not permitted in the URL'],
  ],
  [
    {
      conversion: {
        strategy: "Webhook",
        webhook: { clientConfig: { url: "a" }, conversionReviewVersions: ["v1"] },
      },
    },
    [
      "spec.conversion.webhookClientConfig.url: Invalid value: \"\": 'https' is the only allowed URL scheme; desired format: https://host[/path]",
      'spec.conversion.webhookClientConfig.url: Invalid value: "": host must be specified; desired format: https://host[/path]',
    ],
  ],
  [
    {
      conversion: {
        strategy: "Webhook",
        webhook: { clientConfig: { url: "https://a b" }, conversionReviewVersions: ["v1"] },
      },
    },
    [
      'spec.conversion.webhookClientConfig.url: Required value: url must be a valid URL: parse "https://a b": invalid character " " in host name; desired format: https://host[/path]',
    ],
  ],
  [
    {
      conversion: {
        strategy: "Webhook",
        webhook: {
          clientConfig: { url: "https://a", service: { namespace: "n", name: "s" } },
          conversionReviewVersions: ["v1"],
        },
      },
    },
    ["spec.conversion.webhookClientConfig: Required value: exactly one of url or service is required"],
  ],
  [
    {
      conversion: {
        strategy: "Webhook",
        webhook: {
          clientConfig: { service: { namespace: "n", name: "s" } },
          conversionReviewVersions: ["v1"],
        },
      },
    },
    [],
  ],
  [
    {
      conversion: {
        strategy: "Webhook",
        webhook: {
          clientConfig: { service: { namespace: "n", name: "" } },
          conversionReviewVersions: ["v1"],
        },
      },
    },
    ["spec.conversion.webhookClientConfig.service.namespace: Required value"],
  ],
  [
    {
      conversion: {
        strategy: "Webhook",
        webhook: {
          clientConfig: { service: { namespace: "", name: "s" } },
          conversionReviewVersions: ["v1"],
        },
      },
    },
    ["spec.conversion.webhookClientConfig.service.name: Required value"],
  ],
  [
    {
      conversion: {
        strategy: "Webhook",
        webhook: {
          clientConfig: { service: { namespace: "n", name: "s", path: "/a/b" } },
          conversionReviewVersions: ["v1"],
        },
      },
    },
    [],
  ],
  [
    {
      conversion: {
        strategy: "Webhook",
        webhook: {
          clientConfig: { service: { namespace: "n", name: "s", path: "a" } },
          conversionReviewVersions: ["v1"],
        },
      },
    },
    [
      "spec.conversion.webhookClientConfig.service.path: Invalid value: \"a\": must start with a '/'",
      'spec.conversion.webhookClientConfig.service.path: Invalid value: "a": segment[0] may not be empty',
    ],
  ],
  [
    {
      conversion: {
        strategy: "Webhook",
        webhook: {
          clientConfig: { service: { namespace: "n", name: "s", path: "//" } },
          conversionReviewVersions: ["v1"],
        },
      },
    },
    ['spec.conversion.webhookClientConfig.service.path: Invalid value: "//": segment[0] may not be empty'],
  ],
  [
    {
      conversion: {
        strategy: "Webhook",
        webhook: {
          clientConfig: { service: { namespace: "n", name: "s", path: "/a//b" } },
          conversionReviewVersions: ["v1"],
        },
      },
    },
    ['spec.conversion.webhookClientConfig.service.path: Invalid value: "/a//b": segment[1] may not be empty'],
  ],
  [
    {
      conversion: {
        strategy: "Webhook",
        webhook: {
          clientConfig: { service: { namespace: "n", name: "s", path: "/A" } },
          conversionReviewVersions: ["v1"],
        },
      },
    },
    [
      "spec.conversion.webhookClientConfig.service.path: Invalid value: \"/A\": segment[0]: a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ],
  ],
  [
    {
      conversion: {
        strategy: "Webhook",
        webhook: {
          clientConfig: { service: { namespace: "n", name: "s", path: "/a/" } },
          conversionReviewVersions: ["v1"],
        },
      },
    },
    [],
  ],
  [
    {
      conversion: {
        strategy: "Webhook",
        webhook: {
          clientConfig: { service: { namespace: "n", name: "s", port: 0 } },
          conversionReviewVersions: ["v1"],
        },
      },
    },
    [
      "spec.conversion.webhookClientConfig.service.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive",
    ],
  ],
  [
    {
      conversion: {
        strategy: "Webhook",
        webhook: {
          clientConfig: { service: { namespace: "n", name: "s", port: 65536 } },
          conversionReviewVersions: ["v1"],
        },
      },
    },
    [
      "spec.conversion.webhookClientConfig.service.port: Invalid value: 65536: port is not valid: must be between 1 and 65535, inclusive",
    ],
  ],
  [
    {
      conversion: {
        strategy: "Webhook",
        webhook: {
          clientConfig: { service: { namespace: "n", name: "s", port: 8443 } },
          conversionReviewVersions: ["v1"],
        },
      },
    },
    [],
  ],
  [
    {
      conversion: {
        strategy: "Webhook",
        webhook: { clientConfig: { url: "https://a", caBundle: "Cg==" }, conversionReviewVersions: ["v1"] },
      },
    },
    [],
  ],
  [
    {
      conversion: {
        strategy: "Webhook",
        webhook: { clientConfig: { url: "https://a" }, conversionReviewVersions: [] },
      },
    },
    ["spec.conversion.conversionReviewVersions: Required value"],
  ],
  [
    {
      conversion: {
        strategy: "Webhook",
        webhook: { clientConfig: { url: "https://a" }, conversionReviewVersions: ["v1", "v1beta1"] },
      },
    },
    [],
  ],
  [
    {
      conversion: {
        strategy: "Webhook",
        webhook: { clientConfig: { url: "https://a" }, conversionReviewVersions: ["v1", "v1"] },
      },
    },
    ['spec.conversion.conversionReviewVersions[1]: Invalid value: "v1": duplicate version'],
  ],
  [
    {
      conversion: {
        strategy: "Webhook",
        webhook: { clientConfig: { url: "https://a" }, conversionReviewVersions: ["V1", "v1"] },
      },
    },
    [
      "spec.conversion.conversionReviewVersions[0]: Invalid value: \"V1\": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
    ],
  ],
  [
    {
      conversion: {
        strategy: "Webhook",
        webhook: { clientConfig: { url: "https://a" }, conversionReviewVersions: ["v2"] },
      },
    },
    [
      'spec.conversion.conversionReviewVersions: Invalid value: ["v2"]: must include at least one of v1, v1beta1',
    ],
  ],
  [
    {
      conversion: {
        strategy: "Webhook",
        webhook: { clientConfig: { url: "https://a" }, conversionReviewVersions: ["v1beta1"] },
      },
    },
    [],
  ],
];

describe("validateCrd", () => {
  it.each(namesCases)("names: %j has the causes %j", (change, expected) => {
    expect(causes(named(change))).toEqual(expected);
  });

  it.each(specCases)("spec: %j has the causes %j", (change, expected) => {
    expect(causes(kettle(change))).toEqual(expected);
  });

  it.each(conversionCases)("conversion: %j has the causes %j", (change, expected) => {
    expect(causes(kettle(change))).toEqual(expected);
  });

  it("warns of formats that it does not know, each once", () => {
    const properties: Record<string, JsonSchema> = {
      a: { type: "string", format: "tea" },
      b: { type: "string", format: "tea" },
      c: { type: "integer", format: "date" },
      d: { type: "string", format: "date" },
    };
    const crd = kettle({}, { schema: { openAPIV3Schema: { type: "object", properties } } });
    expect(validateCrd(prepareCrdForCreate(defaultCrd(crd))).warnings).toEqual([
      'unrecognized format "tea"',
      'unrecognized format "date"',
    ]);
  });

  it("wants the name to be plural and group", () => {
    const crd = { ...kettle({}), metadata: { name: "kettle.example.com" } };
    expect(causes(crd)).toEqual([
      'metadata.name: Invalid value: "kettle.example.com": must be spec.names.plural+"."+spec.group',
    ]);
  });
});
