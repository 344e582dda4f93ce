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

function problemsText(problems: readonly TypedProblem[]): string {
  const texts = problems.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`));
  return texts.length === 1 ? (texts[0] ?? "") : ["errors:", ...texts.map((text) => `  ${text}`)].join("\n");
}
