import { describe, expect, it } from "vitest";
import { builtinResources } from "../builtin/catalog.ts";
import { buildOpenApiV2 } from "./openapi-v2.ts";
import { encodeOpenApiV2 } from "./openapi-v2-protobuf.ts";

type Value = number | bigint | Uint8Array;

/** A message as its fields by number, in order. */
function decode(bytes: Uint8Array): Map<number, Value[]> {
  const out = new Map<number, Value[]>();
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes[at++] ?? 0;
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const tag = varint();
    const [field, wireType] = [Math.floor(tag / 8), tag % 8];
    const values = out.get(field) ?? [];
    out.set(field, values);
    if (wireType === 0) {
      values.push(varint());
    } else if (wireType === 1) {
      values.push(new DataView(bytes.buffer, bytes.byteOffset + at, 8).getFloat64(0, true));
      at += 8;
    } else {
      const length = varint();
      values.push(bytes.subarray(at, at + length));
      at += length;
    }
  }
  return out;
}

function message(fields: Map<number, Value[]>, field: number, index = 0): Map<number, Value[]> {
  return decode(fields.get(field)?.[index] as Uint8Array);
}

function text(fields: Map<number, Value[]>, field: number): string {
  return new TextDecoder().decode(fields.get(field)?.[0] as Uint8Array);
}

/** The value of the pair with this name. */
function pair(fields: Map<number, Value[]>, field: number, name: string): Map<number, Value[]> {
  for (const bytes of fields.get(field) ?? []) {
    const entry = decode(bytes as Uint8Array);
    if (text(entry, 1) === name) return message(entry, 2);
  }
  throw new Error(`no ${name}`);
}

describe("encodeOpenApiV2", () => {
  const kinds = builtinResources
    .filter((r) => r.group === "apps" && r.version === "v1")
    .map((resource) => ({ resource }));
  const document = decode(encodeOpenApiV2(buildOpenApiV2(kinds)));

  it("writes version and title", () => {
    expect(text(document, 1)).toBe("2.0");
    expect(text(message(document, 2), 1)).toBe("Kubernetes");
  });

  it("writes definitions with their properties, references and extensions", () => {
    const deployment = pair(message(document, 9), 1, "io.k8s.api.apps.v1.Deployment");
    expect(text(message(deployment, 22), 1)).toBe("object");
    const spec = pair(message(deployment, 25), 1, "spec");
    expect(text(spec, 1)).toBe("#/definitions/io.k8s.api.apps.v1.DeploymentSpec");
    const kind = pair(deployment, 31, "x-kubernetes-group-version-kind");
    expect(JSON.parse(text(kind, 2))).toEqual([{ group: "apps", kind: "Deployment", version: "v1" }]);
  });

  it("writes maps and lists of schemas", () => {
    const meta = pair(message(document, 9), 1, "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta");
    const labels = pair(message(meta, 25), 1, "labels");
    expect(text(message(message(message(labels, 21), 1), 22), 1)).toBe("string");
    const owners = pair(message(meta, 25), 1, "ownerReferences");
    expect(text(message(message(owners, 23), 1), 1)).toContain("OwnerReference");
  });

  it("writes operations with their parameters and answers", () => {
    const item = pair(message(document, 8), 2, "/apis/apps/v1/namespaces/{namespace}/deployments/{name}");
    const get = message(item, 2);
    expect(text(get, 5)).toBe("readAppsV1NamespacedDeployment");
    expect(JSON.parse(text(pair(get, 13, "x-kubernetes-action"), 2))).toBe("get");
    const ok = pair(message(get, 9), 1, "200");
    expect(text(message(message(message(ok, 1), 2), 1), 1)).toBe(
      "#/definitions/io.k8s.api.apps.v1.Deployment",
    );
    const put = message(item, 3);
    const body = message(message(message(put, 8), 1), 1);
    expect([text(body, 2), text(body, 3), body.get(4)]).toEqual(["body", "body", [1]]);
    const name = message(message(message(message(item, 9), 1), 2), 4);
    expect([text(name, 4), text(name, 2), name.get(1)]).toEqual(["name", "path", [1]]);
  });
});
