/** What an operator writes when it sees given objects: it runs on a cluster of its own in this process, offline. */
import { type DeepReadonly, type JsonObject, type KubeObject, isNotFound } from "@bowline/api";
import { VirtualClock, seededRandom } from "@bowline/client";
import type { OperatorDefinition } from "@bowline/runtime";
import { type TestCluster, startCluster } from "@bowline/testing";
import { UsageError, messageOf } from "../errors.ts";
import { titleOf } from "../manifests/apply.ts";
import type { Manifest } from "../manifests/model.ts";

/** One object that the operator wrote, as it is at the end. */
export interface RenderedWrite {
  /** `deployment default/web`. */
  readonly title: string;
  readonly action: "create" | "update" | "delete";
  /** As given, without what only the server writes; absent for a new object. */
  readonly before?: JsonObject;
  /** Absent for a deleted object. */
  readonly after?: JsonObject;
}

interface Written {
  readonly path: string;
  readonly verb: string;
}

/** Rounds without a request after which the operator has nothing left to do. */
const quietRounds = 3;
/** So many rounds are enough for every operator that comes to rest. */
const roundsMax = 200;

/**
 * The cluster has no controllers and no nodes: nothing but the operator writes, and a Deployment that it makes never
 * becomes available unless its status is given. No time passes. The operator's webhooks are asked, for the objects given too.
 * @throws UsageError for an object that the API server refuses
 */
export async function renderWrites(
  operator: OperatorDefinition,
  objects: readonly JsonObject[],
): Promise<RenderedWrite[]> {
  const lines: string[] = [];
  const test = await startCluster({
    // the same uids and times at every run
    clock: new VirtualClock(),
    random: seededRandom(1),
    controllers: false,
    audit: (line) => void lines.push(line),
  });
  try {
    // first its webhooks alone: all objects are there before the first reconcile
    await test.run({ ...operator, controllers: [] }, { permissions: "all" });
    const given = await seed(test, objects);
    await test.run(operator, { permissions: "all", webhooks: false });
    await settled(test, lines);
    return await collect(test, writesIn(lines, operator.name), given);
  } finally {
    await test.close();
  }
}

async function settled(test: TestCluster, lines: readonly string[]): Promise<void> {
  let quiet = 0;
  for (let round = 0; quiet < quietRounds && round < roundsMax; round++) {
    const before = lines.length;
    await test.advance(0);
    quiet = lines.length === before ? quiet + 1 : 0;
  }
}

type Given = ReadonlyMap<string, DeepReadonly<KubeObject>>;

/** Objects in the order given; references to owners among them lead to the new uids. */
async function seed(test: TestCluster, objects: readonly JsonObject[]): Promise<Given> {
  const uids = new Map<string, string>();
  const given = new Map<string, DeepReadonly<KubeObject>>();
  for (const object of objects) {
    const manifest = withoutServerFields(object, uids);
    try {
      const namespaced = await inNamespace(test, manifest);
      let created = await test.client.create(namespaced as never, namespaced as never);
      if (object["status"] !== undefined) {
        const merge = { status: object["status"] };
        created = await test.client.patch(
          namespaced as never,
          namespaced.metadata as never,
          { merge } as never,
          {
            subresource: "status",
          },
        );
      }
      const stored = created as unknown as DeepReadonly<KubeObject>;
      uids.set(ownerKey(object), stored.metadata.uid ?? "");
      given.set(stored.metadata.uid ?? "", stored);
    } catch (error) {
      throw new UsageError(`${titleOf(manifest)} is refused: ${messageOf(error)}`, { cause: error });
    }
  }
  return given;
}

/** The object in its namespace, which is made when it is not there. */
async function inNamespace(test: TestCluster, manifest: Manifest): Promise<Manifest> {
  const resource = await test.client.mapper.resourceFor(manifest as never);
  if (resource.scope === "Cluster") return manifest;
  const namespace = manifest.metadata.namespace ?? "default";
  const kind = { apiVersion: "v1", kind: "Namespace" };
  if ((await test.client.find(kind as never, { name: namespace })) === undefined) {
    await test.client.create(kind as never, { ...kind, metadata: { name: namespace } } as never);
  }
  return { ...manifest, metadata: { ...manifest.metadata, namespace } };
}

const serverFields = [
  "uid",
  "resourceVersion",
  "creationTimestamp",
  "generation",
  "managedFields",
  "selfLink",
];

/** Files hold objects with and without their uids, so an owner is found by its name. */
function ownerKey(object: JsonObject): string {
  const { name } = (object["metadata"] ?? object) as JsonObject;
  return `${String(object["kind"])}/${String(name)}`;
}

function withoutServerFields(object: JsonObject, uids: ReadonlyMap<string, string>): Manifest {
  const metadata = Object.fromEntries(
    Object.entries((object["metadata"] ?? {}) as JsonObject).filter(([name]) => !serverFields.includes(name)),
  );
  const owners = metadata["ownerReferences"] as readonly JsonObject[] | undefined;
  const ownerReferences = owners?.map((each) => ({ ...each, uid: uids.get(ownerKey(each)) ?? each["uid"] }));
  return {
    ...object,
    metadata: { ...metadata, ...(ownerReferences === undefined ? {} : { ownerReferences }) },
  } as unknown as Manifest;
}

/** Leases and events are the manager's own affair. */
const passedOver: ReadonlySet<string> = new Set(["events", "leases"]);

interface AuditLine {
  readonly verb?: string;
  readonly requestURI?: string;
  readonly userAgent?: string;
  readonly objectRef?: { readonly resource?: string; readonly name?: string; readonly subresource?: string };
  readonly responseStatus?: { readonly code?: number };
}

/** Each object once, in the order of the first write. */
function writesIn(lines: readonly string[], userAgent: string): Written[] {
  const writes = new Map<string, Written>();
  for (const line of lines) {
    const { verb = "", requestURI = "", objectRef, responseStatus, ...rest } = JSON.parse(line) as AuditLine;
    if (!["create", "update", "patch", "delete"].includes(verb)) continue;
    if (rest.userAgent?.startsWith(userAgent) !== true || passedOver.has(objectRef?.resource ?? "")) continue;
    if ((responseStatus?.code ?? 200) >= 300) continue;
    const plain = (requestURI.split("?")[0] ?? "").replace(
      objectRef?.subresource === undefined ? "" : `/${objectRef.subresource}`,
      "",
    );
    const { name } = objectRef ?? {};
    const path = verb === "create" && name !== undefined ? `${plain}/${name}` : plain;
    writes.set(path, { path, verb });
  }
  return [...writes.values()];
}

async function collect(
  test: TestCluster,
  writes: readonly Written[],
  given: Given,
): Promise<RenderedWrite[]> {
  const rendered: RenderedWrite[] = [];
  const seen = new Set<string>();
  for (const { path } of writes) {
    for (const after of await objectsAt(test, path)) {
      const uid = after.metadata.uid ?? "";
      if (seen.has(uid)) continue;
      seen.add(uid);
      const before = given.get(uid);
      if (before?.metadata.resourceVersion === after.metadata.resourceVersion) continue;
      rendered.push({
        title: titleOf(after as Manifest),
        action: before === undefined ? "create" : "update",
        ...(before === undefined ? {} : { before: shown(before) }),
        after: shown(after),
      });
    }
  }
  for (const before of given.values()) {
    const found = await test.client.find(before as never, before.metadata as never);
    if (found === undefined)
      rendered.push({ title: titleOf(before as Manifest), action: "delete", before: shown(before) });
  }
  return rendered;
}

/** The object of a path, the objects of a collection, or nothing when it is gone. */
async function objectsAt(test: TestCluster, path: string): Promise<DeepReadonly<KubeObject>[]> {
  try {
    const { body } = await test.transport.request<KubeObject & { items?: KubeObject[] }>({
      method: "GET",
      path,
    });
    if (body.items === undefined) return [body];
    // items of a list carry no kind of their own
    const kind = { apiVersion: body.apiVersion, kind: body.kind.replace(/List$/, "") };
    return body.items.map((item) => ({ ...kind, ...item }));
  } catch (error) {
    if (isNotFound(error)) return [];
    throw error;
  }
}

function shown(object: DeepReadonly<KubeObject>): JsonObject {
  const metadata = Object.fromEntries(
    Object.entries(object.metadata).filter(([name]) => !serverFields.includes(name)),
  );
  return { ...object, metadata } as unknown as JsonObject;
}
