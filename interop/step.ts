/** What a client is asked to do, and what a real cluster would have made it say. */

/** Text is compared whole, without white space at the ends; an expression must occur. */
export type Expected = string | RegExp;

export interface Step {
  /** A line of bash, run in the session's folder. */
  readonly command: string;
  readonly code: number;
  /** Each must hold for what was printed, stdout before stderr. */
  readonly printed: readonly Expected[];
  /** None may hold. */
  readonly absent: readonly RegExp[];
  /** Run again until it holds, this long: for what controllers bring about. 0: once. */
  readonly withinSeconds: number;
}

/** The command succeeds and prints this. */
export function ok(command: string, ...printed: readonly Expected[]): Step {
  return { command, code: 0, printed, absent: [], withinSeconds: 0 };
}

/** The command ends with this status and prints this. */
export function fails(code: number, command: string, ...printed: readonly Expected[]): Step {
  return { command, code, printed, absent: [], withinSeconds: 0 };
}

/** The command succeeds and prints this within a minute, tried again and again. */
export function soon(command: string, ...printed: readonly Expected[]): Step {
  return { command, code: 0, printed, absent: [], withinSeconds: 60 };
}

/** The same step, which must not print these either. */
export function without(step: Step, ...absent: readonly RegExp[]): Step {
  return { ...step, absent: [...step.absent, ...absent] };
}

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** What is wrong with an outcome, one line each; none when it is as expected. */
export function mismatches(step: Step, outcome: Outcome): string[] {
  const text = [outcome.stdout, outcome.stderr].filter((part) => part !== "").join("");
  const found: string[] = [];
  if (outcome.code !== step.code) found.push(`exit status ${step.code} expected, got ${outcome.code}`);
  for (const expected of step.printed)
    if (!holds(expected, text))
      found.push(`expected: ${typeof expected === "string" ? expected : String(expected)}`);
  for (const pattern of step.absent)
    if (pattern.test(text)) found.push(`must not be printed: ${String(pattern)}`);
  return found;
}

function holds(expected: Expected, text: string): boolean {
  return typeof expected === "string" ? text.trim() === expected.trim() : expected.test(text);
}
