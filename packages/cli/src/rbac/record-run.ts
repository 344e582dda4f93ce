/** Runs an operator on a cluster in this process, with its samples, and notes what it asks for. */
import type { JsonObject } from "@bowline/api";
import { VirtualClock } from "@bowline/client";
import type { RecordedRequest } from "@bowline/cluster";
import type { OperatorDefinition } from "@bowline/runtime";
import { type TestCluster, startCluster } from "@bowline/testing";
import { parseEvent, recordedRequests } from "./audit-log.ts";

/** How long each object lives, on the cluster's own clock: that takes no time here. */
const lifeMs = 10 * 60_000;

/**
 * Each sample is created, left alone for ten minutes, touched, left alone again and deleted. Nothing is forbidden
 * meanwhile, so that everything the operator asks for is seen.
 */
export async function recordRun(
  operator: OperatorDefinition,
  samples: readonly JsonObject[],
): Promise<RecordedRequest[]> {
  const lines: string[] = [];
  const test = await startCluster({ clock: new VirtualClock(), audit: (line) => void lines.push(line) });
  try {
    await live(test, operator, samples.map(withNamespace));
  } finally {
    await test.close();
  }
  const events = lines.map(parseEvent).filter((event) => event !== undefined);
  return recordedRequests(events, { userAgent: operator.name });
}

async function live(
  test: TestCluster,
  operator: OperatorDefinition,
  objects: readonly Sample[],
): Promise<void> {
  const { client } = test;
  await test.run(operator, { permissions: "all" });
  for (const object of objects) await client.apply(object as never, object as never, { force: true });
  await test.advance(lifeMs);
  for (const object of objects) {
    const metadata = { ...object.metadata, annotations: { "bowline.dev/touched": "true" } };
    await client.apply(object as never, { ...object, metadata } as never, { force: true });
  }
  await test.advance(lifeMs);
  for (const object of objects.toReversed()) await client.delete(object as never, object.metadata as never);
  await test.advance(lifeMs);
}

type Sample = JsonObject & { readonly metadata: JsonObject };

function withNamespace(sample: JsonObject): Sample {
  return { ...sample, metadata: { namespace: "default", ...(sample["metadata"] as JsonObject) } };
}
