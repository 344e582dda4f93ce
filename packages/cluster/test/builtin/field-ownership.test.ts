import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { builtinResources } from "@bowline/api/catalog";
import type { Transport } from "@bowline/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Cluster, createCluster } from "../../src/cluster.ts";
import type { RecordedKind } from "./recorded-case.ts";

const folder = path.join(import.meta.dirname, "kinds");

interface Stored {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly managedFields?: readonly {
      readonly manager: string;
      readonly operation: string;
      readonly apiVersion: string;
      readonly fieldsType: string;
      readonly fieldsV1: Readonly<Record<string, unknown>>;
    }[];
  };
}

let cluster: Cluster;
let transport: Transport;

beforeAll(async () => {
  cluster = await createCluster({ controllers: false });
  transport = cluster.transport();
});
afterAll(() => cluster.close());

function collectionPath({ apiVersion, kind }: Pick<Stored, "apiVersion" | "kind">): string {
  const [version = "", group = ""] = apiVersion.split("/").reverse();
  const resource = builtinResources.find(
    (r) => r.group === group && r.version === version && r.kind === kind,
  );
  const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  return `${root}${resource?.namespaced ? "/namespaces/default" : ""}/${resource?.plural}`;
}

const early = "before-first-apply";
const kinds = readdirSync(folder)
  .map((file) => JSON.parse(readFileSync(path.join(folder, file), "utf8")) as RecordedKind)
  .map(({ base }) => base as unknown as Stored & { metadata: { name: string } });

describe("Ownership of the fields of built-in kinds", () => {
  it.each(kinds.map((base) => [`${base.apiVersion} ${base.kind}`, base] as const))(
    "is noted for %s by create, patch, update and apply",
    async (_kind, base) => {
      const collection = collectionPath(base);
      const name = base.kind === "CSIDriver" ? "x.example.com" : `own-${base.apiVersion.split("/").at(-1)}`;
      const named = { ...base, metadata: { ...base.metadata, name } };
      const item = `${collection}/${name}`;
      const by = (fieldManager: string): Record<string, string> => ({ fieldManager });
      const created = await transport.request<Stored>({
        method: "POST",
        path: collection,
        body: named as never,
        query: by("creator"),
      });
      const [first] = created.body.metadata.managedFields ?? [];
      const { apiVersion, kind, metadata: _m, ...rest } = base as unknown as Record<string, unknown>;
      // of an object that says nothing, only what was filled in is owned
      const saysSomething = Object.values(rest).some((value) => JSON.stringify(value) !== "{}");
      if (saysSomething) {
        expect(first).toMatchObject({ manager: "creator", operation: "Update", fieldsType: "FieldsV1" });
        expect(first?.apiVersion).toBe(apiVersion);
        expect(Object.keys(first?.fieldsV1 ?? {}), String(kind)).not.toHaveLength(0);
      }
      await transport.request({
        method: "PATCH",
        path: item,
        headers: { "content-type": "application/merge-patch+json" },
        body: { metadata: { labels: { patched: "1" } } },
        query: by("patcher"),
      });
      const old = (await transport.request<Stored>({ method: "GET", path: item })).body;
      await transport.request({
        method: "PUT",
        path: item,
        body: { ...old, metadata: { ...old.metadata, annotations: { updated: "1" } } } as never,
        query: by("updater"),
      });
      const { body } = await transport.request<Stored>({
        method: "PATCH",
        path: item,
        headers: { "content-type": "application/apply-patch+yaml" },
        body: {
          apiVersion: base.apiVersion,
          kind: base.kind,
          metadata: { name, labels: { applied: "1" } },
        },
        query: by("applier"),
      });
      const entries = body.metadata.managedFields ?? [];
      const owned = (manager: string): unknown =>
        entries.find((entry) => entry.manager === manager)?.fieldsV1["f:metadata"];
      // ownership of an object that began without any is not tracked before the first apply
      const [patcher, updater] = first === undefined ? [early, early] : ["patcher", "updater"];
      expect(owned(patcher)).toMatchObject({ "f:labels": { "f:patched": {} } });
      expect(owned(updater)).toMatchObject({ "f:annotations": { "f:updated": {} } });
      expect(owned("applier")).toEqual({ "f:labels": { "f:applied": {} } });
      expect(entries.find((entry) => entry.manager === "applier")?.operation).toBe("Apply");
      // a webhook configuration would have a say in the other cases
      await transport.request({ method: "DELETE", path: item });
    },
  );
});
