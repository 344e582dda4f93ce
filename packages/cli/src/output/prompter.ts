/** Questions to the person at the terminal, for what the command line left out. */
import { UsageError } from "../errors.ts";

/** Asks one question; undefined when nobody is there to answer. */
export type Ask = (question: string, suggestion?: string) => Promise<string | undefined>;

/** Asks on the terminal when standard input and output are one, else never. */
export const terminalAsk: Ask = async (question, suggestion) => {
  if (process.stdin.isTTY !== true || process.stdout.isTTY !== true) return undefined;
  const { createInterface } = await import("node:readline/promises");
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const answer = await lines.question(`${question}${suggestion === undefined ? "" : ` (${suggestion})`}: `);
    return answer.trim() || suggestion;
  } finally {
    lines.close();
  }
};

/** The flag's value, else the person's answer. @throws UsageError naming the flag when there is neither */
export async function required(
  ask: Ask,
  flag: string,
  value: string | undefined,
  question: { readonly text: string; readonly suggestion?: string },
): Promise<string> {
  const answer = value ?? (await ask(question.text, question.suggestion));
  if (answer === undefined) throw new UsageError(`${flag} is missing: ${question.text.toLowerCase()}`);
  return answer;
}

/** The flag's value, else yes or no from the person, else the default. */
export async function yesOrNo(
  ask: Ask,
  value: boolean | undefined,
  question: { readonly text: string; readonly byDefault: boolean },
): Promise<boolean> {
  if (value !== undefined) return value;
  const answer = await ask(`${question.text} [y/n]`, question.byDefault ? "y" : "n");
  return answer === undefined ? question.byDefault : /^y(es)?$/i.test(answer);
}
