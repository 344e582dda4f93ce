/** The files of a kind's webhooks. */
import { variableName } from "../names.ts";
import type { PlannedFile } from "../write-files.ts";

export interface WebhookTemplate {
  readonly kind: string;
  /** `../api/v1/application.ts`. */
  readonly importFrom: string;
  readonly defaulting: boolean;
  readonly validation: boolean;
  readonly mutatePath?: string;
  readonly validatePath?: string;
  /** `apps.example.com/v1`. */
  readonly apiVersion: string;
}

export function webhookFile(kind: string): string {
  return `src/webhooks/${kind.toLowerCase()}.ts`;
}

export function conversionFile(kind: string): string {
  return `src/api/${kind.toLowerCase()}-conversion.ts`;
}

export function webhookFiles(webhook: WebhookTemplate): PlannedFile[] {
  const path = webhookFile(webhook.kind);
  return [
    { path, text: webhookSource(webhook) },
    { path: path.replace(/\.ts$/, ".test.ts"), text: webhookTest(webhook) },
  ];
}

function webhookSource(webhook: WebhookTemplate): string {
  const { kind, importFrom, defaulting, validation } = webhook;
  const name = variableName(kind);
  const members = [
    ...(defaulting ? [`  default: default${kind},\n`] : []),
    ...(validation ? [`  validateCreate: check${kind},\n  validateUpdate: check${kind},\n`] : []),
    ...(webhook.mutatePath === undefined ? [] : [`  mutatePath: ${JSON.stringify(webhook.mutatePath)},\n`]),
    ...(webhook.validatePath === undefined
      ? []
      : [`  validatePath: ${JSON.stringify(webhook.validatePath)},\n`]),
  ];
  return `import { type DeepReadonly, ${validation ? "type FieldError, invalid" : ""} } from "@bowline/api";
import { defineWebhook } from "@bowline/runtime";
import { ${kind} } from "${importFrom}";

/**
 * What the schema cannot say. Defaults of single fields and rules in CEL belong into the kind: those work without a webhook.
 */
export const ${name}Webhook = defineWebhook(${kind}, {
${members.join("")}});
${defaulting ? defaultingSource(kind, name) : ""}${validation ? validationSource(kind, name) : ""}`.replace(
    "type DeepReadonly,  }",
    "type DeepReadonly }",
  );
}

function defaultingSource(kind: string, name: string): string {
  return `
/** The object with what was left out filled in. */
export function default${kind}(${name}: DeepReadonly<${kind}>): DeepReadonly<${kind}> {
  // for example: return { ...${name}, spec: { ...${name}.spec, message: ${name}.spec.message.trim() } };
  return ${name};
}
`;
}

function validationSource(kind: string, name: string): string {
  return `
/** What is wrong with the object; empty when nothing is. */
export function ${name}Problems(_${name}: DeepReadonly<${kind}>): FieldError[] {
  // for example: [{ type: "Invalid", field: "spec.message", badValue: ${name}.spec.message, detail: "must end with a full stop" }]
  return [];
}

function check${kind}(${name}: DeepReadonly<${kind}>): void {
  const problems = ${name}Problems(${name});
  if (problems.length > 0) throw invalid(${kind}, ${name}.metadata.name ?? "", problems);
}
`;
}

function webhookTest({ kind, importFrom, defaulting, validation, apiVersion }: WebhookTemplate): string {
  const name = variableName(kind);
  const imports = [...(defaulting ? [`default${kind}`] : []), ...(validation ? [`${name}Problems`] : [])];
  const cases = [
    ...(defaulting
      ? [
          `  it("leaves an object alone that says everything", () => {\n    expect(default${kind}(${name})).toEqual(${name});\n  });\n`,
        ]
      : []),
    ...(validation
      ? [
          `  it("has nothing against a good object", () => {\n    expect(${name}Problems(${name})).toEqual([]);\n  });\n`,
        ]
      : []),
  ];
  return `import { describe, expect, it } from "vitest";
import type { ${kind} } from "${importFrom}";
import { ${imports.join(", ")} } from "./${kind.toLowerCase()}.ts";

const ${name}: ${kind} = {
  apiVersion: ${JSON.stringify(apiVersion)},
  kind: "${kind}",
  metadata: { name: "a" },
  spec: { message: "hello" },
};

describe("the ${kind} webhook", () => {
${cases.join("\n")}});
`;
}

/** The conversion between versions of a kind. */
export function conversionSource(kind: string, hub: string, spokes: readonly string[]): string {
  const parts = spokes.map(
    (version) => `    {
      version: ${JSON.stringify(version)},
      // fields beside metadata; what one version cannot express must be kept in an annotation, or it is lost
      toHub: ({ spec, status }) => ({ spec, status }),
      fromHub: ({ spec, status }) => ({ spec, status }),
    },
`,
  );
  return `import { defineConversion } from "@bowline/runtime";
import { ${kind} } from "./${hub}/${kind.toLowerCase()}.ts";

/** Every version is converted to ${hub} and back. */
export const ${variableName(kind)}Conversion = defineConversion(${kind}, {
  hub: ${JSON.stringify(hub)},
  spokes: [
${parts.join("")}  ],
});
`;
}

/** A test that nothing is lost between versions. */
export function conversionTest(kind: string, group: string, versions: readonly string[]): string {
  const samples = versions.map(
    (version) =>
      `  { apiVersion: "${group}/${version}", kind: "${kind}", metadata: { name: "a" }, spec: { message: "hello" }, status: {} },\n`,
  );
  return `import { checkRoundTrip } from "@bowline/runtime";
import { describe, expect, it } from "vitest";
import { ${variableName(kind)}Conversion } from "./${kind.toLowerCase()}-conversion.ts";

/** One object of every version that uses every field. */
const samples = [
${samples.join("")}];

describe("the conversion of ${kind}", () => {
  it("loses nothing on the way to another version and back", () => {
    expect(checkRoundTrip(${variableName(kind)}Conversion, samples)).toEqual([]);
  });
});
`;
}
