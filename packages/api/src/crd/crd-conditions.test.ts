import { describe, expect, it } from "vitest";
import { deepFreeze } from "../object/freeze.ts";
import { computeCrdStatus, terminatingCrdStatus } from "./crd-conditions.ts";
import type {
  CrdCondition,
  CrdNames,
  CrdSpec,
  CrdStatus,
  CustomResourceDefinition,
} from "./custom-resource-definition.ts";

const now = "2026-12-01T00:00:00Z";
const later = "2026-12-01T00:01:00Z";

function crd(
  name: string,
  names: Partial<CrdNames> = {},
  spec: Partial<CrdSpec> = {},
): CustomResourceDefinition {
  const kind = `${name[0]?.toUpperCase()}${name.slice(1)}`;
  const made: CustomResourceDefinition = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${name}s.example.com` },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: `${name}s`, singular: name, kind, listKind: `${kind}List`, ...names },
      versions: [
        { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } },
      ],
      ...spec,
    },
    status: { conditions: [], acceptedNames: { plural: "", kind: "" }, storedVersions: ["v1"] },
  };
  return deepFreeze(made) as CustomResourceDefinition;
}

function accepted(
  given: CustomResourceDefinition,
  others: CustomResourceDefinition[] = [],
): CustomResourceDefinition {
  return { ...given, status: computeCrdStatus(given, { others, now }) };
}

function condition(status: CrdStatus, type: string): Omit<CrdCondition, "type"> | undefined {
  const found = status.conditions?.find((c) => c.type === type);
  if (found === undefined) return undefined;
  const { type: _type, ...rest } = found;
  return rest;
}

describe("computeCrdStatus", () => {
  it("accepts free names and establishes the CRD", () => {
    const kettle = crd("kettle", { shortNames: ["ke"], categories: ["all"] });
    const status = computeCrdStatus(kettle, { others: [], now });
    expect(status.acceptedNames).toEqual(kettle.spec.names);
    expect(status.conditions).toEqual([
      {
        type: "NamesAccepted",
        status: "True",
        reason: "NoConflicts",
        message: "no conflicts found",
        lastTransitionTime: now,
      },
      {
        type: "Established",
        status: "True",
        reason: "InitialNamesAccepted",
        message: "the initial names have been accepted",
        lastTransitionTime: now,
      },
    ]);
  });

  it("gives back the same status when nothing changed", () => {
    const kettle = accepted(crd("kettle", { shortNames: ["ke"] }));
    expect(computeCrdStatus(kettle, { others: [], now: later })).toBe(kettle.status);
  });

  const pot = accepted(crd("pot", { shortNames: ["pt", "po"] }));

  it.each<[Partial<CrdNames>, string, string]>([
    [{ singular: "pot" }, "SingularConflict", '"pot" is already in use'],
    [{ singular: "pots" }, "SingularConflict", '"pots" is already in use'],
    [{ singular: "pt" }, "SingularConflict", '"pt" is already in use'],
    [{ kind: "Pot" }, "KindConflict", '"Pot" is already in use'],
    [{ kind: "PotList" }, "KindConflict", '"PotList" is already in use'],
    [{ listKind: "PotList" }, "ListKindConflict", '"PotList" is already in use'],
    [{ listKind: "Pot" }, "ListKindConflict", '"Pot" is already in use'],
    [{ shortNames: ["pt"] }, "ShortNamesConflict", '"pt" is already in use'],
    [
      { shortNames: ["pot", "x", "pots"] },
      "ShortNamesConflict",
      '["pot" is already in use, "pots" is already in use]',
    ],
    [{ singular: "pot", kind: "Pot" }, "KindConflict", '"Pot" is already in use'],
  ])("does not accept %j beside another CRD of the group: %s", (names, reason, message) => {
    const status = computeCrdStatus(crd("kettle", names), { others: [pot], now });
    expect(condition(status, "NamesAccepted")).toEqual({
      status: "False",
      reason,
      message,
      lastTransitionTime: now,
    });
    expect(condition(status, "Established")).toEqual({
      status: "False",
      reason: "NotAccepted",
      message: "not all names are accepted",
      lastTransitionTime: now,
    });
  });

  it("accepts what it can of conflicting names", () => {
    const status = computeCrdStatus(crd("kettle", { kind: "Pot", shortNames: ["k"] }), {
      others: [pot],
      now,
    });
    expect(status.acceptedNames).toEqual({
      plural: "kettles",
      singular: "kettle",
      kind: "",
      listKind: "KettleList",
      shortNames: ["k"],
    });
  });

  it("lets categories and other groups share names", () => {
    const elsewhere = crd("pot", {}, { group: "other.com" });
    const status = computeCrdStatus(elsewhere, { others: [pot], now });
    expect(condition(status, "NamesAccepted")?.status).toBe("True");
  });

  it("takes names over once the other CRD gives them up", () => {
    const waiting = accepted(crd("kettle", { shortNames: ["pt"] }), [pot]);
    const status = computeCrdStatus(waiting, { others: [], now: later });
    expect(condition(status, "NamesAccepted")).toMatchObject({ status: "True", lastTransitionTime: later });
    expect(condition(status, "Established")).toMatchObject({ status: "True", lastTransitionTime: later });
    expect(status.acceptedNames.shortNames).toEqual(["pt"]);
  });

  it("stays established when new names conflict", () => {
    const kettle = accepted(crd("kettle"));
    const renamed = { ...kettle, spec: { ...kettle.spec, names: { ...kettle.spec.names, singular: "pot" } } };
    const status = computeCrdStatus(renamed, { others: [pot], now: later });
    expect(condition(status, "NamesAccepted")).toMatchObject({ status: "False", reason: "SingularConflict" });
    expect(condition(status, "Established")?.status).toBe("True");
    expect(status.acceptedNames.singular).toBe("kettle");
  });

  it("drops short names that are no longer wanted", () => {
    const kettle = accepted(crd("kettle", { shortNames: ["ke"] }));
    const { shortNames: _shortNames, ...names } = kettle.spec.names;
    const status = computeCrdStatus(
      { ...kettle, spec: { ...kettle.spec, names } },
      { others: [], now: later },
    );
    expect(status.acceptedNames).toEqual(names);
  });

  it("tells of a schema that is not structural, and forgets it when it is repaired", () => {
    const schema = { openAPIV3Schema: { type: "object", properties: { spec: {} } } };
    const broken = accepted(
      crd("kettle", {}, { versions: [{ name: "v1", served: true, storage: true, schema }] }),
    );
    expect(condition(broken.status as CrdStatus, "NonStructuralSchema")).toEqual({
      status: "True",
      reason: "Violations",
      message:
        "spec.versions[0].schema.openAPIV3Schema.properties[spec].type: Required value: must not be empty for specified object fields",
      lastTransitionTime: now,
    });
    const repaired = { ...broken, spec: crd("kettle").spec };
    expect(condition(computeCrdStatus(repaired, { others: [], now }), "NonStructuralSchema")).toBeUndefined();
  });

  it.each<[string | undefined, string, string]>([
    [undefined, "False", "MissingAnnotation"],
    ["unapproved, experimental", "False", "UnapprovedAnnotation"],
    ["https://github.com/kubernetes/kubernetes/pull/1", "True", "ApprovedAnnotation"],
    ["because", "False", "InvalidAnnotation"],
  ])("says of a protected group with approval %s: %s, %s", (approval, status, reason) => {
    const base = crd("kettle", {}, { group: "x.k8s.io" });
    const annotations = approval === undefined ? {} : { "api-approved.kubernetes.io": approval };
    const given = { ...base, metadata: { ...base.metadata, annotations } };
    const found = condition(
      computeCrdStatus(given, { others: [], now }),
      "KubernetesAPIApprovalPolicyConformant",
    );
    expect(found).toMatchObject({ status, reason });
  });

  it("does not establish a CRD with an unusable CA bundle", () => {
    const clientConfig = { url: "https://example.com", caBundle: "bm90IGEgY2VydGlmaWNhdGU=" };
    const webhook = { clientConfig, conversionReviewVersions: ["v1"] };
    const given = crd("kettle", {}, { conversion: { strategy: "Webhook", webhook } });
    expect(condition(computeCrdStatus(given, { others: [], now }), "Established")).toMatchObject({
      status: "False",
      reason: "InvalidCABundle",
    });
  });
});

describe("terminatingCrdStatus", () => {
  it("tells that instances are being deleted, and that they are gone", () => {
    const kettle = accepted(crd("kettle"));
    const running = terminatingCrdStatus(kettle, { state: "inProgress", now });
    expect(condition(running, "Terminating")).toMatchObject({
      status: "True",
      reason: "InstanceDeletionInProgress",
    });
    const done = terminatingCrdStatus({ ...kettle, status: running }, { state: "completed", now: later });
    expect(condition(done, "Terminating")).toEqual({
      status: "False",
      reason: "InstanceDeletionCompleted",
      message: "removed all instances",
      lastTransitionTime: later,
    });
  });
});
