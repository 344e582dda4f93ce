import type { Exceptions } from "./exceptions.ts";
import type { HttpClient } from "./http-client.ts";
import { runCase } from "./run-case.ts";
import type { CaseFile } from "./script.ts";

export interface CaseResult {
  readonly case: string;
  readonly ok: boolean;
  readonly problems: readonly string[];
  /** Why the case does not count, for one of the named exceptions. */
  readonly exception?: string;
}

export interface RunCasesOptions {
  /** How many cases play at the same time; each has an API group of its own. */
  readonly concurrency: number;
  readonly record?: boolean;
  readonly all?: boolean;
  readonly exceptions?: Exceptions;
  /** Called for each case as it ends. */
  onResult?(result: CaseResult): void;
}

/** Plays cases, several at a time. The results are in the order of the cases. */
export async function runCases(
  client: HttpClient,
  cases: readonly CaseFile[],
  options: RunCasesOptions,
): Promise<CaseResult[]> {
  const results: CaseResult[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < cases.length; index = next++) {
      const result = await playOne(client, cases[index] as CaseFile, index, options);
      results[index] = result;
      options.onResult?.(result);
    }
  };
  await Promise.all(Array.from({ length: options.concurrency }, worker));
  return results;
}

async function playOne(
  client: HttpClient,
  { name, file }: CaseFile,
  index: number,
  options: RunCasesOptions,
): Promise<CaseResult> {
  const exception = options.exceptions?.[name];
  let problems: string[];
  try {
    problems = await runCase(client, file, {
      group: `c${process.pid}x${index + 1}.example.com`,
      ...(options.record === true ? { record: true } : {}),
      ...(options.all === true ? { all: true } : {}),
    });
  } catch (error) {
    problems = [error instanceof Error ? (error.stack ?? error.message) : String(error)];
  }
  return {
    case: name,
    ok: problems.length === 0,
    problems,
    ...(exception === undefined ? {} : { exception }),
  };
}
