import { describe, expect, it } from "vitest";
import { deepFreeze } from "../object/freeze.ts";
import type { CrdSpec, CrdVersion, CustomResourceDefinition } from "./custom-resource-definition.ts";
import { defaultCrd } from "./default-crd.ts";
import { prepareCrdForCreate, prepareCrdForStatusUpdate, prepareCrdForUpdate } from "./prepare-crd.ts";

function crd(spec: Partial<CrdSpec> = {}): CustomResourceDefinition {
  const made: CustomResourceDefinition = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "kettles.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "kettles", kind: "Kettle" },
      versions: [{ name: "v1", served: true, storage: true }],
      ...spec,
    },
  };
  return deepFreeze(made) as CustomResourceDefinition;
}

describe("defaultCrd", () => {
  it("fills in names, conversion and the stored version", () => {
    const filled = defaultCrd(crd());
    expect(filled.spec.names).toEqual({
      plural: "kettles",
      kind: "Kettle",
      singular: "kettle",
      listKind: "KettleList",
    });
    expect(filled.spec.conversion).toEqual({ strategy: "None" });
    expect(filled.status?.storedVersions).toEqual(["v1"]);
  });

  it("leaves what is given, and changes nothing twice", () => {
    const filled = defaultCrd(
      crd({ names: { plural: "kettles", kind: "Kettle", singular: "pot", listKind: "Pots" } }),
    );
    expect(filled.spec.names.singular).toBe("pot");
    expect(filled.spec.names.listKind).toBe("Pots");
    expect(defaultCrd(filled)).toBe(filled);
  });

  it("invents no list kind for a missing kind", () => {
    const { names } = defaultCrd(crd({ names: { plural: "kettles" } as never })).spec;
    expect(names).toEqual({ plural: "kettles", singular: "" });
  });

  it("gives a conversion service the port 443", () => {
    const service = { namespace: "n", name: "s" };
    const webhook = { clientConfig: { service }, conversionReviewVersions: ["v1"] };
    const filled = defaultCrd(crd({ conversion: { strategy: "Webhook", webhook } }));
    expect(filled.spec.conversion?.webhook?.clientConfig?.service).toEqual({ ...service, port: 443 });
  });
});

describe("what the server sets before validation", () => {
  const v2: CrdVersion = { name: "v2", served: true, storage: true };

  it("empties the status of a new CRD and counts from generation 1", () => {
    const sent = {
      ...crd(),
      status: { conditions: [], acceptedNames: { plural: "x", kind: "X" }, storedVersions: ["v9"] },
    };
    const prepared = prepareCrdForCreate(sent);
    expect(prepared.metadata.generation).toBe(1);
    expect(prepared.status).toEqual({
      conditions: null,
      acceptedNames: { plural: "", kind: "" },
      storedVersions: ["v1"],
    });
  });

  it("records each version that was ever stored", () => {
    const old = prepareCrdForCreate(crd());
    const moved = prepareCrdForUpdate(
      crd({ versions: [{ name: "v1", served: true, storage: false }, v2] }),
      old,
    );
    expect(moved.status?.storedVersions).toEqual(["v1", "v2"]);
    const back = prepareCrdForUpdate(crd(), moved);
    expect(back.status?.storedVersions).toEqual(["v1", "v2"]);
  });

  it("counts the generation when the spec changes, and only then", () => {
    const old = prepareCrdForCreate(crd());
    expect(prepareCrdForUpdate(crd(), old).metadata.generation).toBe(1);
    expect(prepareCrdForUpdate(crd({ scope: "Cluster" }), old).metadata.generation).toBe(2);
  });

  it("keeps the status from updates and the spec from status updates", () => {
    const old = prepareCrdForCreate(crd());
    const status = { conditions: [], acceptedNames: { plural: "x", kind: "X" }, storedVersions: ["v1"] };
    expect(prepareCrdForUpdate({ ...crd(), status }, old).status).toBe(old.status);
    const updated = prepareCrdForStatusUpdate({ ...crd({ scope: "Cluster" }), status }, old);
    expect(updated.spec).toBe(old.spec);
    expect(updated.status).toBe(status);
  });
});
