import { readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { decodeBuiltin } from "../builtin/decode.ts";
import { deepFreeze } from "../object/freeze.ts";
import type { JsonObject } from "../object/object.ts";
import { fieldErrorText } from "../status/field-error.ts";
import { computeCrdStatus } from "./crd-conditions.ts";
import { type CustomResourceDefinition, isCrdConditionTrue } from "./custom-resource-definition.ts";
import { defaultCrd } from "./default-crd.ts";
import { prepareCrdForCreate } from "./prepare-crd.ts";
import { validateCrd } from "./validate-crd.ts";

const folder = fileURLToPath(new URL("../../../../conformance/crds", import.meta.url));
const kind = { group: "apiextensions.k8s.io", version: "v1", kind: "CustomResourceDefinition" };

interface Verdict {
  readonly status: number;
  readonly storedVersions: readonly string[];
}

function read(file: string): unknown {
  return JSON.parse(readFileSync(path.join(folder, file), "utf8"));
}

const verdicts = Object.entries(read("verdicts.json") as Record<string, Verdict>);

function prepared(file: string): CustomResourceDefinition {
  const { object } = decodeBuiltin(kind, read(file) as JsonObject);
  const crd = prepareCrdForCreate(defaultCrd(object as unknown as CustomResourceDefinition));
  return deepFreeze(crd) as CustomResourceDefinition;
}

describe("CRDs of well-known projects", () => {
  it("are 47, all accepted by the real server", () => {
    expect(verdicts.length).toBe(47);
    expect(verdicts.every(([, { status }]) => status === 201)).toBe(true);
  });

  it.each(verdicts)("%s is accepted without warnings and becomes established", (file, verdict) => {
    const crd = prepared(file);
    const { errors, warnings } = validateCrd(crd);
    expect(errors.map(fieldErrorText)).toEqual([]);
    expect(warnings).toEqual([]);
    const status = computeCrdStatus(crd, { others: [], now: "2026-12-01T00:00:00Z" });
    expect(isCrdConditionTrue({ status }, "NamesAccepted")).toBe(true);
    expect(isCrdConditionTrue({ status }, "Established")).toBe(true);
    expect(status.conditions?.map((c) => c.type)).not.toContain("NonStructuralSchema");
    expect(status.storedVersions).toEqual(verdict.storedVersions);
  });
});
