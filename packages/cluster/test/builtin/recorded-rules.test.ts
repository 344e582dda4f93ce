import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import type { StatusError } from "@bowline/api";
import { builtinResources } from "@bowline/api/catalog";
import type { ApiResponse, Transport } from "@bowline/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Cluster, createCluster } from "../../src/cluster.ts";
import {
  type Expected,
  type RecordedKind,
  causeTexts,
  merged,
  steady,
  steadyText,
  withFields,
} from "./recorded-case.ts";

const folder = path.join(import.meta.dirname, "kinds");

let cluster: Cluster;
let transport: Transport;

beforeAll(async () => {
  // what plug-ins add to a pod is no part of the rules of its kind
  const disable = ["DefaultTolerationSeconds", "Priority", "RuntimeClass", "CertificateSubjectRestriction"];
  cluster = await createCluster({ controllers: false, admission: { disable } });
  transport = cluster.transport();
});
afterAll(() => cluster.close());

function collectionPath({ apiVersion, kind }: { apiVersion: string; kind: string }): string {
  const [version = "", group = ""] = apiVersion.split("/").reverse();
  const resource = builtinResources.find(
    (r) => r.group === group && r.version === version && r.kind === kind,
  );
  if (resource === undefined) throw new Error(`no resource for ${apiVersion} ${kind}`);
  const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  return `${root}${resource.namespaced ? "/namespaces/default" : ""}/${resource.plural}`;
}

async function remove(item: string, object: { readonly kind?: string }): Promise<void> {
  const query = { gracePeriodSeconds: "0", propagationPolicy: "Background" };
  await transport.request({ method: "DELETE", path: item, query });
  if (object.kind !== "Namespace") return;
  const body = { ...object, metadata: { name: item.split("/").at(-1) }, spec: { finalizers: [] } };
  await transport.request({ method: "PUT", path: `${item}/finalize`, body: body as never });
}

async function answerTo(request: Promise<ApiResponse<unknown>>, stored: unknown): Promise<Expected> {
  try {
    const { body, warnings } = await request;
    // that a whole API is deprecated is no rule of a kind
    const texts = warnings.filter((text) => !text.startsWith("v1 Endpoints is deprecated"));
    return { object: steady(body), ...(texts.length > 0 && { warnings: texts }) };
  } catch (error) {
    const { code, message, details } = (error as StatusError).status;
    if (code === 422) return { causes: causeTexts(details?.causes) };
    expect(stored).toBeDefined();
    return { error: `${code}: ${steadyText(message ?? "")}` };
  }
}

function expectAnswer(answer: Expected, expected: Expected, stored: unknown): void {
  if (expected.object !== undefined)
    expect(answer).toEqual({ ...expected, object: merged(stored, expected.object) });
  else if (expected.error !== undefined) expect(answer.error).toMatch(/^400: /);
  else expect(answer).toEqual({ causes: expected.causes });
}

for (const file of readdirSync(folder).sort()) {
  const recorded = JSON.parse(readFileSync(path.join(folder, file), "utf8")) as RecordedKind;
  const { base, stored } = recorded;
  const collection = collectionPath(base as never);

  describe(`Rules of ${file.replace(".json", "")}`, () => {
    it.each(recorded.create.map((one) => [JSON.stringify(one.set), one] as const))(
      "of a new object with %s",
      async (_title, { set, expect: expected }) => {
        const body = withFields(base, set) as never;
        const request = transport.request({
          method: "POST",
          path: collection,
          body,
          query: { dryRun: "All" },
        });
        expectAnswer(await answerTo(request, stored), expected, stored);
      },
    );

    it.each(recorded.update.map((one) => [JSON.stringify(one.from), JSON.stringify(one.set), one] as const))(
      "of one with %s that gets %s",
      async (_from, _set, { from, set, expect: expected }) => {
        const created = await transport.request<{ kind: string; metadata: { name: string } }>({
          method: "POST",
          path: collection,
          body: withFields(base, from) as never,
        });
        const item = `${collection}/${created.body.metadata.name}`;
        try {
          const old = (await transport.request({ method: "GET", path: item })).body;
          const body = withFields(old, set) as never;
          const request = transport.request({ method: "PUT", path: item, body, query: { dryRun: "All" } });
          expectAnswer(await answerTo(request, stored), expected, stored);
        } finally {
          await remove(item, created.body);
        }
      },
    );
  });
}
