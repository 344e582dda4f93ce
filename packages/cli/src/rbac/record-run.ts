/** Runs an operator on a cluster in this process, with its samples, and notes what it asks for. */
import type { JsonObject } from "@bowline/api";
import { VirtualClock, sleep } from "@bowline/client";
import type { RecordedRequest } from "@bowline/cluster";
import type { OperatorDefinition } from "@bowline/runtime";
import { type TestCluster, startCluster } from "@bowline/testing";
import { parseEvent, recordedRequests } from "./audit-log.ts";

/** How long each object lives, on the cluster's own clock: that takes no time here. */
const lifeMs = 10 * 60_000;
const stepMs = 10_000;

/**
 * Each sample is created, left alone for ten minutes, touched, left alone again and deleted. Nothing is forbidden
 * meanwhile, so that everything the operator asks for is seen.
 */
export async function recordRun(
  operator: OperatorDefinition,
  samples: readonly JsonObject[],
): Promise<RecordedRequest[]> {
  const clock = new VirtualClock();
  const lines: string[] = [];
  const audit = (line: string): void => void lines.push(line);
  const test = await whileTimePasses(clock, startCluster({ clock, audit }));
  try {
    await whileTimePasses(clock, live(test, clock, { operator, samples }));
  } finally {
    await whileTimePasses(clock, test.close());
  }
  const events = lines.map(parseEvent).filter((event) => event !== undefined);
  return recordedRequests(events, { userAgent: operator.name });
}

async function live(
  test: TestCluster,
  clock: VirtualClock,
  { operator, samples }: { operator: OperatorDefinition; samples: readonly JsonObject[] },
): Promise<void> {
  const { client } = test;
  await test.run(operator, { permissions: "all" });
  const objects = samples.map(withNamespace);
  for (const object of objects) await client.apply(object as never, object as never, { force: true });
  await sleep(clock, lifeMs);
  for (const object of objects) {
    const metadata = { ...object.metadata, annotations: { "bowline.dev/touched": "true" } };
    await client.apply(object as never, { ...object, metadata } as never, { force: true });
  }
  await sleep(clock, lifeMs);
  for (const object of objects.toReversed()) await client.delete(object as never, object.metadata as never);
  await sleep(clock, lifeMs);
}

/** Time stands still unless somebody moves it. */
async function whileTimePasses<T>(clock: VirtualClock, work: Promise<T>): Promise<T> {
  let isDone = false;
  const finished = work.finally(() => (isDone = true));
  finished.catch(() => undefined);
  while (!isDone) await clock.advance(stepMs);
  return finished;
}

type Sample = JsonObject & { readonly metadata: JsonObject };

function withNamespace(sample: JsonObject): Sample {
  return { ...sample, metadata: { namespace: "default", ...(sample["metadata"] as JsonObject) } };
}
