/** Writes what is made from the program. */
import type { CommandContext } from "../commands/context.ts";
import { CommandError } from "../errors.ts";
import { type PlannedFile, removeLeftovers, writeFiles } from "./write-files.ts";

/**
 * Writes files that are made from the program, deletes those that are not made any more, and says what has changed.
 * @throws CommandError with `check`, when something would change
 */
export function writeGenerated(
  files: readonly PlannedFile[],
  about: { readonly below: readonly string[]; readonly command: string },
  flags: { readonly check?: boolean; readonly force?: boolean },
  context: CommandContext,
): void {
  const options = { force: flags.force === true, check: flags.check === true };
  const outcomes = writeFiles(context.workingFolder, files, context.output, options);
  const removed = removeLeftovers(context.workingFolder, about.below, files, context.output, options);
  const changed = [
    ...[...outcomes].filter(([, outcome]) => outcome !== "unchanged").map(([file]) => file),
    ...removed,
  ];
  if (options.check && changed.length > 0) {
    throw new CommandError(
      `${changed.length} files are not as the program says (${changed.join(", ")}): run bowline ${about.command}`,
    );
  }
  if (changed.length === 0) context.output.write(`${outcomes.size} files are as the program says\n`);
}
