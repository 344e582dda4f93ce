import { ListItemError } from "./list-item.ts";

/** One thing that does not fit the type. */
export interface TypedProblem {
  /** `.spec.ports[port=80].name`; empty at the root. */
  readonly path: string;
  readonly message: string;
}

/** A value that does not fit its merge type. Source: structured-merge-diff typed (helpers.go), for the wording. */
export class TypedError extends Error {
  override readonly name: string = "TypedError";
  readonly problems: readonly TypedProblem[];

  constructor(problems: readonly TypedProblem[]) {
    super(problemsText(problems));
    this.problems = problems;
  }
}

/** A step of a merge that failed on a value that does not fit; the message says which step, as the server words it. */
export class MergeStepError extends Error {
  override readonly name: string = "MergeStepError";
}

/** Runs one step of a merge; what fails in it is told after `step`. @throws MergeStepError */
export function mergeStep<T>(step: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!isMergeFailure(error)) throw error;
    throw new MergeStepError(step === "" ? error.message : `${step}: ${error.message}`);
  }
}

function isMergeFailure(error: unknown): error is Error {
  return error instanceof TypedError || error instanceof MergeStepError || error instanceof ListItemError;
}

function problemsText(problems: readonly TypedProblem[]): string {
  const texts = problems.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`));
  return texts.length === 1 ? (texts[0] ?? "") : ["errors:", ...texts.map((text) => `  ${text}`)].join("\n");
}
