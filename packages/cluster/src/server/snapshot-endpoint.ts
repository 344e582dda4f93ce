/** The one path that no real server has: everything that is stored, to be kept and to be put back. */
import { badRequest, failure } from "@bowline/api";
import { mastersGroup } from "../access/authorization.ts";
import type { UserInfo } from "../registry/user.ts";
import { SnapshotFileError, decodeSnapshotFile, encodeSnapshotFile } from "../store/snapshot-file.ts";
import type { Store } from "../store/store.ts";
import { serverVersion } from "./non-resource.ts";
import type { ServerRequest, ServerResponse } from "./request.ts";

/** GET answers a snapshot's file, PUT takes one. */
export const snapshotPath = "/bowline/snapshot";

/** Largest file that is taken, bytes. */
const snapshotBytesMax = 512 * 1024 * 1024;

/** How many bytes a body sent to this path may have; undefined for all other paths and users. */
export function snapshotBodyLimit(url: string | undefined, user: UserInfo | undefined): number | undefined {
  return url === snapshotPath && user !== undefined && isMaster(user) ? snapshotBytesMax : undefined;
}

/**
 * Only members of system:masters may: a snapshot holds all secrets, and putting one back passes every admission by. A file
 * is read to its end first, so that nothing changes when it is no good.
 * @throws StatusError 400, 403, 405
 */
export async function answerSnapshot(request: ServerRequest, store: Store): Promise<ServerResponse> {
  const { method, user, body } = request;
  if (!isMaster(user)) {
    const why = `User "${user.name}" cannot use ${snapshotPath}: only the group ${mastersGroup} may`;
    throw failure(403, "Forbidden", `forbidden: ${why}`, {});
  }
  if (method === "GET") {
    const file = await encodeSnapshotFile(store.snapshot(), String(serverVersion["gitVersion"]));
    return {
      kind: "bytes",
      status: 200,
      headers: { "content-type": "application/gzip" },
      stream: once(file),
    };
  }
  if (method !== "PUT") throw failure(405, "MethodNotAllowed", `${snapshotPath} has GET and PUT`, {});
  const bytes = body !== undefined && "bytes" in body ? body.bytes : new Uint8Array();
  const snapshot = await decodeSnapshotFile(bytes).catch((error: unknown) => {
    throw error instanceof SnapshotFileError ? badRequest(error.message) : error;
  });
  const object = store.restore(snapshot);
  return { kind: "object", status: 200, headers: { "content-type": "application/json" }, object };
}

function isMaster(user: UserInfo): boolean {
  return user.groups.includes(mastersGroup);
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
