import {
  type AnyKind,
  type DeepReadonly,
  type JsonPatchOperation,
  type KubeObject,
  hasFinalizer,
  isInvalid,
  isNotFound,
} from "@bowline/api";
import type { Client } from "@bowline/client";

type Frozen = DeepReadonly<KubeObject>;

interface FinalizerPorts {
  readonly client: Client;
  readonly kind: AnyKind;
  readonly finalizer: string;
  readonly signal: AbortSignal;
}

const attemptsMax = 5;

/**
 * Puts the finalizer on the object. Entries of others are never touched: the patch names one position, and tests it.
 * Answers undefined when the object is gone, or is being deleted: then no finalizer may be added.
 */
export function ensureFinalizer(object: Frozen, ports: FinalizerPorts): Promise<Frozen | undefined> {
  return change(object, ports, (current) => {
    if (hasFinalizer(current, ports.finalizer) || current.metadata.deletionTimestamp !== undefined)
      return undefined;
    if (current.metadata.finalizers === undefined) {
      return [
        { op: "test", path: "/metadata/finalizers", value: null },
        { op: "add", path: "/metadata/finalizers", value: [ports.finalizer] },
      ];
    }
    return [{ op: "add", path: "/metadata/finalizers/-", value: ports.finalizer }];
  });
}

/** Takes the finalizer away. An object that is gone is no error. */
export function dropFinalizer(object: Frozen, ports: FinalizerPorts): Promise<Frozen | undefined> {
  return change(object, ports, (current) => {
    const index = current.metadata.finalizers?.indexOf(ports.finalizer) ?? -1;
    if (index < 0) return undefined;
    const path = `/metadata/finalizers/${index}`;
    return [
      { op: "test", path, value: ports.finalizer },
      { op: "remove", path },
    ];
  });
}

/** Patches, and when the test failed looks at the live object and tries again, quietly. */
async function change(
  object: Frozen,
  ports: FinalizerPorts,
  patchFor: (current: Frozen) => JsonPatchOperation[] | undefined,
): Promise<Frozen | undefined> {
  const { client, kind, signal } = ports;
  let current = object;
  for (let attempt = 1; ; attempt++) {
    const json = patchFor(current);
    if (json === undefined) return current;
    try {
      return (await client.patch(kind, current, { json }, { signal })) as Frozen;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      if (!isInvalid(error) && !isFailedTest(error)) throw error;
      if (attempt === attemptsMax) throw error;
    }
    const live = (await client.find(kind, current, { signal })) as Frozen | undefined;
    if (live === undefined || live.metadata.uid !== object.metadata.uid) return undefined;
    current = live;
  }
}

/** A failed test of a JSON patch has no reason of its own. */
function isFailedTest(error: unknown): boolean {
  return (error as { code?: unknown }).code === 422;
}
