/**
 * Every Zod construct that has a structural form, as a CustomResourceDefinition on the embedded server: it accepts and refuses
 * what Zod does, and stores what Zod's `parse` gives. What fails at definition is tested in `api`.
 */
import { type AnyCustomKind, crdManifest, defineKind, isStatusError, resourcePath } from "@bowline/api";
import type { Transport } from "@bowline/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { type ExactConstruct, exactConstructs } from "../../api/test/zod-constructs.ts";
import { type Cluster, createCluster } from "../src/index.ts";

const crdPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

describe("Zod constructs on the embedded server", () => {
  let cluster: Cluster;
  let transport: Transport;
  beforeAll(async () => {
    cluster = await createCluster();
    transport = cluster.transport();
  });
  afterAll(() => cluster.close());

  it.each(exactConstructs.map((each, index) => [each.name, index, each] as const))(
    "%s accepts and refuses what Zod does",
    async (_name, index, construct) => {
      const kind = kindOf(construct, index);
      await install(transport, kind);
      for (const [number, value] of [...construct.accepts, ...construct.refuses].entries()) {
        const spec = value === undefined ? {} : { value };
        const byZod = z.object({ value: construct.schema }).safeParse(spec);
        const byServer = await create(transport, kind, `probe-${number}`, spec);
        expect(byServer, JSON.stringify(value)).toMatchObject({ accepted: byZod.success });
        if (byZod.success) expect(byServer.spec).toEqual(withoutUndefined(byZod.data));
      }
    },
  );
});

function kindOf({ schema }: ExactConstruct, index: number): AnyCustomKind {
  return defineKind({
    group: `zod${index}.example.com`,
    version: "v1",
    kind: "Probe",
    scope: "Cluster",
    spec: z.object({ value: schema }),
  });
}

async function install(transport: Transport, kind: AnyCustomKind): Promise<void> {
  const manifest = crdManifest(kind);
  await transport.request({ method: "POST", path: crdPath, body: manifest });
  const query = { watch: "true", fieldSelector: `metadata.name=${manifest.metadata.name}` };
  for await (const events of await transport.watch({ method: "GET", path: crdPath, query })) {
    if (events.some((event) => isEstablished(event.object))) return;
  }
}

function isEstablished(crd: unknown): boolean {
  const { status } = crd as { status?: { conditions?: { type: string; status: string }[] } };
  return status?.conditions?.some((each) => each.type === "Established" && each.status === "True") === true;
}

async function create(
  transport: Transport,
  kind: AnyCustomKind,
  name: string,
  spec: object,
): Promise<{ accepted: boolean; spec?: unknown; why?: string }> {
  const body = { apiVersion: kind.apiVersion, kind: kind.kind, metadata: { name }, spec };
  try {
    const answer = await transport.request<{ spec: unknown }>({
      method: "POST",
      path: resourcePath(kind),
      body,
    });
    return { accepted: true, spec: answer.body.spec };
  } catch (error) {
    if (!isStatusError(error)) throw error;
    return { accepted: false, why: error.message };
  }
}

/** Zod keeps keys whose value is undefined, and JSON has none. */
function withoutUndefined(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value)) as unknown;
}
