const mark = Symbol.for("bowline.KindDefinitionError");

/** One place of a kind's definition that a CustomResourceDefinition cannot express. */
export interface DefinitionProblem {
  /** Where: `spec.template.ports[]`, `printerColumns[0].jsonPath`. */
  readonly path: string;
  /** What is wrong there and what to write instead. */
  readonly message: string;
}

/**
 * A kind's definition has no CustomResourceDefinition. `problems` lists all of them, the message too.
 * Likely causes: a Zod construct that only JavaScript can check, a CEL rule that does not compile or costs too much, a name
 * that Kubernetes does not allow. Never worth a retry: the definition has to change.
 */
export class KindDefinitionError extends Error {
  override readonly name: string = "KindDefinitionError";
  readonly code: string = "BOWLINE_KIND_DEFINITION";
  readonly problems: readonly DefinitionProblem[];

  /** @param what the kind, `example.com/v1, Kind=Application` */
  constructor(what: string, problems: readonly DefinitionProblem[]) {
    const lines = problems.map((problem) => `  ${problem.path}: ${problem.message}`);
    super(`${what} cannot be a custom resource:\n${lines.join("\n")}`);
    this.problems = problems;
    Object.defineProperty(this, mark, { value: true });
  }
}

export function isKindDefinitionError(error: unknown): error is KindDefinitionError {
  return typeof error === "object" && error !== null && mark in error;
}
