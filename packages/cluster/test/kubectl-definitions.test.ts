/** A person defines a kind, breaks its definition, reads what the server says, and repairs it: with the real kubectl. */
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { realClient } from "../../../tools/real-clients.ts";
import { type Cluster, createCluster } from "../src/cluster.ts";

const program = realClient("kubectl");

let cluster: Cluster;
let folder: string;

/** Standard output, and what went wrong. Never rejects. */
function kubectl(args: string, stdin?: unknown): Promise<string> {
  const all = ["--kubeconfig", path.join(folder, "admin"), "--cache-dir", path.join(folder, "cache")];
  return new Promise((resolve) => {
    const child = execFile(program, [...all, ...args.split(" ")], (_error, stdout, stderr) =>
      resolve((stdout + stderr).trim()),
    );
    child.stdin?.end(stdin === undefined ? undefined : JSON.stringify(stdin));
  });
}

interface Parts {
  readonly plural?: string;
  readonly kind?: string;
  readonly spec?: object;
  readonly versions?: readonly object[];
}

/** The definition of boats, with the given parts in place of its own. */
function definition({ plural = "boats", kind = "Boat", spec = boatSpec, versions }: Parts = {}): object {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.harbour.example.com` },
    spec: {
      group: "harbour.example.com",
      names: { plural, singular: kind.toLowerCase(), kind, shortNames: [plural.slice(0, 2)] },
      scope: "Namespaced",
      versions: versions ?? [version("v1", spec)],
    },
  };
}

function version(name: string, spec: object, storage = true): object {
  return {
    name,
    served: true,
    storage,
    schema: { openAPIV3Schema: { type: "object", properties: { spec } } },
    additionalPrinterColumns: [{ name: "Length", type: "integer", jsonPath: ".spec.length" }],
  };
}

const boatSpec = {
  type: "object",
  required: ["length"],
  properties: {
    length: { type: "integer", minimum: 1, maximum: 60, description: "Metres over all" },
    flag: { type: "string", default: "XY", maxLength: 2 },
    crew: { type: "array", maxItems: 20, items: { type: "string", maxLength: 40 } },
  },
  "x-kubernetes-validations": [
    { rule: "self.length < 20 || size(self.crew) > 1", message: "long boats need a crew" },
  ],
};

const boat = (name: string, spec: object): object => ({
  apiVersion: "harbour.example.com/v1",
  kind: "Boat",
  metadata: { name },
  spec,
});

/** The spec of boats with one more property. */
const withProperty = (name: string, schema: object): object => ({
  ...boatSpec,
  properties: { ...boatSpec.properties, [name]: schema },
});

beforeAll(async () => {
  cluster = await createCluster({ controllers: false });
  const server = await cluster.listen();
  folder = await mkdtemp(path.join(tmpdir(), "bowline-definitions-"));
  await writeFile(path.join(folder, "admin"), server.kubeconfig, { mode: 0o600 });
});
afterAll(async () => {
  await cluster.close();
  await rm(folder, { recursive: true, force: true });
});

// The tests are the chapters of one story: each goes on where the one before ended.
describe("a definition in the hands of kubectl", () => {
  it("is created, established, explained and used", async () => {
    expect(await kubectl("apply -f -", definition())).toBe(
      "customresourcedefinition.apiextensions.k8s.io/boats.harbour.example.com created",
    );
    expect(await kubectl("wait crd/boats.harbour.example.com --for=condition=Established")).toMatch(
      /condition met$/,
    );
    expect(await kubectl("explain boats.spec.length")).toMatch(/FIELD: length <integer>[^]*Metres over all/);
    expect(await kubectl("explain boats --recursive")).toMatch(/spec\t<Object>\n +crew\t<\[\]string>/);
    expect(await kubectl("apply -f -", boat("dinghy", { length: 4 }))).toBe(
      "boat.harbour.example.com/dinghy created",
    );
    expect(await kubectl("get bo")).toMatch(/^NAME +LENGTH\ndinghy +4$/);
    expect(await kubectl("get boat dinghy -o jsonpath={.spec.flag}")).toBe("XY");
  });

  it("refuses objects with the reasons, all of them", async () => {
    const bad = boat("bad", { length: 80, flag: "XYZ", sails: 2 });
    expect(await kubectl("apply --validate=ignore -f -", bad)).toBe(
      'The Boat "bad" is invalid: \n' +
        "* spec.flag: Too long: may not be more than 2 bytes\n" +
        "* spec.length: Invalid value: 80: spec.length in body should be less than or equal to 60\n" +
        "* <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
    );
    expect(await kubectl("apply --validate=strict -f -", boat("bad", { length: 8, sails: 2 }))).toContain(
      'strict decoding error: unknown field "spec.sails"',
    );
    expect(await kubectl("apply --validate=warn -f -", boat("sloop", { length: 8, sails: 2 }))).toBe(
      'boat.harbour.example.com/sloop created\nWarning: unknown field "spec.sails"',
    );
    expect(await kubectl("apply -f -", boat("clipper", { length: 30, crew: ["ann"] }))).toBe(
      'The Boat "clipper" is invalid: spec: Invalid value: long boats need a crew',
    );
  });

  it.each([
    [
      "a schema that is not structural",
      withProperty("mast", { properties: { height: { type: "integer" } } }),
      "spec.validation.openAPIV3Schema.properties[spec].properties[mast].type: Required value: must not be empty for specified object fields",
    ],
    [
      "a default that its own schema refuses",
      withProperty("berth", { type: "integer", maximum: 9, default: 12 }),
      "spec.validation.openAPIV3Schema.properties[spec].properties[berth].default: Invalid value: 12:  in body should be less than or equal to 9",
    ],
    [
      "a rule that does not compile",
      withProperty("berth", {
        type: "integer",
        "x-kubernetes-validations": [{ rule: "self.size() > 1" }],
      }),
      `found no matching overload for 'size' applied to 'int.()'`,
    ],
    [
      "a rule that could cost too much",
      withProperty("log", {
        type: "array",
        items: { type: "array", items: { type: "string" } },
        "x-kubernetes-validations": [{ rule: "self.all(x, x.all(y, y.contains('sea')))" }],
      }),
      "estimated rule cost exceeds budget by factor of more than 100x",
    ],
  ])("is not changed to %s", async (_what, spec, message) => {
    const before = await kubectl("get crd boats.harbour.example.com -o jsonpath={.metadata.resourceVersion}");
    const said = await kubectl("apply -f -", definition({ spec }));
    expect(said).toMatch(/^The CustomResourceDefinition "boats\.harbour\.example\.com" is invalid: /);
    expect(said).toContain(message);
    expect(await kubectl("get crd boats.harbour.example.com -o jsonpath={.metadata.resourceVersion}")).toBe(
      before,
    );
  });

  it("that becomes stricter leaves old objects usable, and says what is wrong when they are made worse", async () => {
    const stricter = {
      ...boatSpec,
      properties: { ...boatSpec.properties, length: { type: "integer", minimum: 6 } },
    };
    expect(await kubectl("apply -f -", definition({ spec: stricter }))).toMatch(/configured$/);
    expect(await kubectl("label boat dinghy colour=red")).toBe("boat.harbour.example.com/dinghy labeled");
    expect(await kubectl('patch boat dinghy --type=merge -p {"spec":{"length":3}}')).toBe(
      'The Boat "dinghy" is invalid: spec.length: Invalid value: 3: spec.length in body should be greater than or equal to 6',
    );
    expect(await kubectl('patch boat dinghy --type=merge -p {"spec":{"length":7}}')).toMatch(/patched$/);
  });

  it("gets a second version, whose removal is refused while objects may be stored in it", async () => {
    const both = [version("v1", boatSpec, false), version("v2", boatSpec)];
    expect(await kubectl("apply -f -", definition({ versions: both }))).toMatch(/configured$/);
    expect(await kubectl("get boats.v2.harbour.example.com dinghy -o jsonpath={.apiVersion}")).toBe(
      "harbour.example.com/v2",
    );
    expect(await kubectl("apply -f -", definition({ versions: [version("v2", boatSpec)] }))).toBe(
      'The CustomResourceDefinition "boats.harbour.example.com" is invalid: status.storedVersions[0]: Invalid value: "v1": missing from spec.versions; v1 was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in v1 and removes v1 from status.storedVersions',
    );
  });

  it("that claims another's names waits for them, says so, and gets them when they are free", async () => {
    expect(await kubectl("apply -f -", definition({ plural: "vessels", kind: "Boat" }))).toMatch(/created$/);
    expect(await kubectl("wait crd/vessels.harbour.example.com --for=condition=NamesAccepted=false")).toMatch(
      /met$/,
    );
    expect(await kubectl("describe crd vessels.harbour.example.com")).toMatch(
      /Message: +"BoatList" is already in use\n +Reason: +ListKindConflict/,
    );
    expect(await kubectl("get vessels")).toBe(`error: the server doesn't have a resource type "vessels"`);
    expect(await kubectl("delete crd boats.harbour.example.com")).toMatch(/deleted$/);
    expect(await kubectl("wait crd/vessels.harbour.example.com --for=condition=Established")).toMatch(/met$/);
    expect(await kubectl("get vessels")).toBe("No resources found in default namespace.");
  });

  it("takes its objects with it when it is deleted", async () => {
    const vessel = boat("tug", { length: 9 });
    expect(await kubectl("apply -f -", vessel)).toBe("boat.harbour.example.com/tug created");
    expect(await kubectl("delete crd vessels.harbour.example.com")).toMatch(/deleted$/);
    expect(await kubectl("apply -f -", vessel)).toMatch(
      /^Error from server \(NotFound\)|no matches for kind/,
    );
    expect(await kubectl("apply -f -", definition({ plural: "vessels", kind: "Boat" }))).toMatch(/created$/);
    expect(await kubectl("wait crd/vessels.harbour.example.com --for=condition=Established")).toMatch(/met$/);
    expect(await kubectl("get vessels")).toBe("No resources found in default namespace.");
  });
});
