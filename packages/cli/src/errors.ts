/** The command line asks for something that cannot be: exit code 2. */
export class UsageError extends Error {
  override readonly name: string = "UsageError";
  readonly code: string = "BOWLINE_USAGE";
}

/** What was asked for was tried and did not work: exit code 1, with a sentence instead of a stack. */
export class CommandError extends Error {
  override readonly name: string = "CommandError";
  readonly code: string = "BOWLINE_COMMAND";
}

/** What an error says to a person, with the causes that add something. */
export function messageOf(error: unknown): string {
  const parts: string[] = [];
  for (let at: unknown = error; at !== undefined && at !== null; at = (at as { cause?: unknown }).cause) {
    const text = at instanceof Error ? at.message : String(at);
    if (text !== "" && !parts.some((part) => part.includes(text))) parts.push(text);
  }
  return parts.join(": ");
}
