import { readFileSync, readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { decodeJson, encodeJson } from "../codec/json.ts";
import type { JsonObject } from "../object/object.ts";
import type { JsonSchema } from "../schema/json-schema.ts";
import {
  applyDefaults,
  compileSchema,
  decodeCustomResource,
  validateSchema,
} from "../schema/structural-schema.ts";
import { type FieldError, causeReason, fieldErrorBody } from "../status/field-error.ts";
import { checkSchemaRules } from "./schema-check.ts";
import { type SchemaRules, compileSchemaRules } from "./schema-rules.ts";

// The recorded answers of the real server, as far as they come from rules, without a server between: each CRD and each
// created object of the cases is checked directly, and the causes that rules gave are compared.
const folders = ["cel", "ratcheting"].map(
  (name) => new URL(`../../../../conformance/cases/${name}/`, import.meta.url),
);

interface Cause {
  readonly field?: string;
  readonly message?: string;
  readonly reason?: string;
}

interface Step {
  readonly do: string;
  readonly body?: JsonObject;
  readonly expect?: { readonly status?: number; readonly body?: Record<string, unknown> };
}

interface Kind {
  readonly schema: JsonSchema;
  readonly rules: SchemaRules | undefined;
}

describe("rules of the recorded cases", () => {
  for (const folder of folders) {
    for (const file of readdirSync(folder)) {
      const text = readFileSync(new URL(file, folder), "utf8");
      const { steps } = decodeJson(expandRepeats(text)).value as unknown as { steps: Step[] };
      it(`agrees with the real server in ${file}`, () => runSteps(steps));
    }
  }
});

function expandRepeats(text: string): string {
  return text.replace(/\$\{(?:'([^']*)'|(.))\*(\d+)\}/g, (_, word, char, count) =>
    (word ?? char).repeat(Number(count)),
  );
}

function runSteps(steps: readonly Step[]): void {
  const kinds = new Map<string, Kind>();
  const objects = new Map<string, JsonObject>();
  steps.forEach((step, i) => {
    const place = `step ${i}: ${step.do}`;
    if (/^POST \/apis\/apiextensions\.k8s\.io\/v1\/customresourcedefinitions(\?|$)/.test(step.do))
      checkCrd(step, kinds, place);
    else if (/^(POST|PUT) \/apis\/\$\{group\}\//.test(step.do)) checkObject(step, kinds, objects, place);
  });
}

function checkCrd(step: Step, kinds: Map<string, Kind>, place: string): void {
  const spec = step.body?.["spec"] as unknown as {
    names: { plural: string };
    versions: { name: string; schema: { openAPIV3Schema: JsonSchema } }[];
  };
  const [version] = spec.versions;
  const schema = version?.schema?.openAPIV3Schema;
  if (schema === undefined) return;
  const path =
    spec.versions.length === 1
      ? "spec.validation.openAPIV3Schema"
      : "spec.versions[0].schema.openAPIV3Schema";
  const found = checkSchemaRules(schema, { path });
  if (step.expect?.status === 201) {
    expect(found.map(causeOf), place).toEqual([]);
    kinds.set(spec.names.plural, { schema, rules: compileSchemaRules(schema) });
    return;
  }
  if (step.expect?.status !== 422) return;
  const wanted = recordedCauses(step);
  if (wanted === undefined) return;
  const ofRules = wanted.filter((cause) =>
    /x-kubernetes-validations|estimated rule/.test(`${cause.field} ${cause.message}`),
  );
  if (ofRules.length < wanted.length || wanted.some((cause) => cause.message?.includes("to be structural")))
    return;
  expect(sorted(found.map(causeOf)), place).toEqual(sorted(ofRules));
}

function checkObject(
  step: Step,
  kinds: Map<string, Kind>,
  objects: Map<string, JsonObject>,
  place: string,
): void {
  const plural =
    /^(?:POST|PUT) \/apis\/\$\{group\}\/v1\/(?:namespaces\/[^/]+\/)?([a-z]+)/.exec(step.do)?.[1] ?? "";
  const kind = kinds.get(plural);
  const { body } = step;
  if (kind?.rules === undefined || body === undefined || step.do.includes("/status")) return;
  const schema = compileSchema(kind.schema);
  const decoded = decodeCustomResource(schema, body);
  if (decoded.error !== undefined) return;
  const object = applyDefaults(schema, decoded.object);
  const name = (object["metadata"] as { name?: string } | undefined)?.name ?? "";
  const old = step.do.startsWith("PUT") ? objects.get(name) : undefined;
  const status = step.expect?.status ?? 0;
  if (validateSchema(schema, object).length > 0) return;
  const { errors } = kind.rules.validate(object, old);
  if (status < 300) {
    expect(errors.map(causeOf), `${place} ${encodeJson(object["spec"])}`).toEqual([]);
    objects.set(name, object);
    return;
  }
  const wanted = recordedCauses(step);
  if (status !== 422 || wanted === undefined) return;
  expect(sorted(errors.map(causeOf)), `${place} ${encodeJson(object["spec"])}`).toEqual(sorted(wanted));
}

function recordedCauses(step: Step): Cause[] | undefined {
  const body = step.expect?.body;
  const details = (body?.["/details"] ?? body?.["details"]) as { causes?: Cause[] } | undefined;
  return (details?.causes ?? body?.["/details/causes"]) as Cause[] | undefined;
}

function causeOf(error: FieldError): Cause {
  return {
    field: error.field,
    message: fieldErrorBody(error).replace(/\bselfType\d+/g, "selfType<n>"),
    reason: causeReason(error.type),
  };
}

function sorted(causes: readonly Cause[]): string[] {
  return causes.map((cause) => JSON.stringify([cause.field, cause.reason, cause.message])).sort();
}
