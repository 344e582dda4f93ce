import type { DeepReadonly, KubeObject } from "@bowline/api";
import { MisuseError } from "../errors.ts";

type Frozen = DeepReadonly<KubeObject>;

/** What was kept of finished steps, in an annotation of the object. */
interface StepRecord {
  readonly generation: number;
  readonly results: Readonly<Record<string, unknown>>;
}

/** Answers of all steps of an object together; annotations have a limit of 256 KiB for all of them. */
const recordBytesMax = 65_536;

export interface StepPorts {
  readonly controller: string;
  readonly object: Frozen;
  annotate(annotations: Readonly<Record<string, string>>): Promise<Frozen>;
}

/**
 * Runs a step unless its answer is kept already, and keeps it. A crash between the work and the keeping repeats the step:
 * what it does must bear that (an idempotency key helps).
 */
export async function runStep<R>(
  name: string,
  work: () => Promise<R>,
  ports: StepPorts,
): Promise<{ readonly result: R; readonly object: Frozen }> {
  const { object } = ports;
  const annotation = `bowline.dev/steps.${ports.controller}`;
  const record = recordOf(object, annotation);
  if (Object.hasOwn(record.results, name)) return { result: record.results[name] as R, object };
  const result = await work();
  const next: StepRecord = { ...record, results: { ...record.results, [name]: result ?? null } };
  const text = JSON.stringify(next);
  if (text.length > recordBytesMax) {
    throw new MisuseError(
      `step ${name}: the answers kept are ${text.length} bytes, at most ${recordBytesMax} are allowed`,
    );
  }
  return { result, object: await ports.annotate({ [annotation]: text }) };
}

function recordOf(object: Frozen, annotation: string): StepRecord {
  const generation = object.metadata.generation ?? 0;
  const text = object.metadata.annotations?.[annotation];
  if (text !== undefined) {
    try {
      const record = JSON.parse(text) as StepRecord;
      if (record.generation === generation) return record;
    } catch {
      // somebody else's text: the steps run again
    }
  }
  return { generation, results: {} };
}
