/** A tutorial page as steps: what a reader types, writes into files and sees. The page and its test cannot differ. */

/** One thing that a reader does. */
export type TutorialStep =
  | {
      readonly type: "command";
      /** As it stands in the page; several lines for a here-document. */
      readonly command: string;
      /** Runs in its place here: `export REGISTRY=...`. */
      readonly here: string | undefined;
      /** What is printed, line by line, in this order; `...` stands for anything. */
      readonly prints: readonly string[];
      readonly fails: boolean;
      /** It stays; go on when it has printed this. */
      readonly backgroundUntil: string | undefined;
      readonly fullRunOnly: boolean;
      readonly line: number;
    }
  | { readonly type: "file"; readonly path: string; readonly text: string; readonly line: number }
  /** Ctrl-C to what runs in the background. */
  | { readonly type: "stop"; readonly line: number };

/** A code block that promises to be the same as a file of the repository, or a part of one. */
export interface Quotation {
  readonly source: string;
  readonly text: string;
  readonly isWhole: boolean;
  readonly line: number;
}

export interface TutorialPage {
  readonly steps: readonly TutorialStep[];
  readonly quotations: readonly Quotation[];
}

interface Block {
  readonly language: string;
  readonly text: string;
  readonly line: number;
  /** Of the comments before it: `file src/a.ts`, `fails`. */
  readonly notes: readonly string[];
}

/**
 * Reads a page. Comments before a code block say what is to be done with it: `file PATH [from SOURCE]`, `from SOURCE`, `fails`,
 * `background until: TEXT`, `here: COMMAND`, `full run only`; the comment `stop` stands where the reader presses Ctrl-C. A `text`
 * block is what the command before it prints.
 * @throws Error for a block that says nothing of these and is no command
 */
export function parsePage(markdown: string): TutorialPage {
  const steps: TutorialStep[] = [];
  const quotations: Quotation[] = [];
  for (const item of itemsOf(markdown)) {
    if (item === "stop") {
      steps.push({ type: "stop", line: 0 });
      continue;
    }
    const { language, text, line, notes } = item;
    const note = (start: string): string | undefined =>
      notes
        .find((each) => each === start || each.startsWith(`${start} `))
        ?.slice(start.length)
        .trim();
    const [path, source] = (note("file") ?? "").split(" from ");
    const quoted = source ?? note("from");
    if (quoted !== undefined) quotations.push({ source: quoted, text, isWhole: source !== undefined, line });
    if (path !== undefined && path !== "") steps.push({ type: "file", path, text, line });
    else if (language === "sh") steps.push(...commandsOf(item, note));
    else if (language === "text") addOutput(steps, item);
    else if (quoted === undefined)
      throw new Error(`line ${line}: a block of ${language} that nothing is done with`);
  }
  return { steps, quotations };
}

function* itemsOf(markdown: string): Generator<Block | "stop"> {
  const lines = markdown.split("\n");
  let notes: string[] = [];
  for (let i = 0; i < lines.length; i++) {
    const text = lines[i] ?? "";
    const fence = /^```(\w*)$/.exec(text);
    if (fence !== null) {
      const end = lines.indexOf("```", i + 1);
      if (end < 0) throw new Error(`line ${i + 1}: the block has no end`);
      const body = lines.slice(i + 1, end).join("\n");
      yield { language: fence[1] ?? "", text: `${body}\n`, line: i + 1, notes };
      notes = [];
      i = end;
      continue;
    }
    const comments = [...text.matchAll(/<!-- (.*?) -->/g)].map(([, comment = ""]) => comment);
    if (comments.includes("stop")) yield "stop";
    else if (comments.length > 0) notes = [...notes, ...comments];
    else if (text.trim() !== "") notes = [];
  }
}

function commandsOf(block: Block, note: (start: string) => string | undefined): TutorialStep[] {
  return linesOfCommands(block.text).map((command) => ({
    type: "command",
    command,
    here: note("here:"),
    prints: [],
    fails: note("fails") !== undefined,
    backgroundUntil: note("background until:"),
    fullRunOnly: note("full run only") !== undefined,
    line: block.line,
  }));
}

/** One command a line, with its here-document and the lines that a backslash continues. */
function linesOfCommands(text: string): string[] {
  const commands: string[] = [];
  const lines = text.trimEnd().split("\n");
  while (lines.length > 0) {
    const first = lines.shift() ?? "";
    const command = [first];
    while (command.at(-1)?.endsWith("\\")) command.push(lines.shift() ?? "");
    const [, end] = /<<'?(\w+)'?/.exec(first) ?? [];
    while (end !== undefined && command.at(-1) !== end && lines.length > 0) command.push(lines.shift() ?? "");
    commands.push(command.join("\n"));
  }
  return commands;
}

function addOutput(steps: TutorialStep[], { text, line }: Block): void {
  const last = steps.pop();
  if (last?.type !== "command") throw new Error(`line ${line}: no command stands before this output`);
  steps.push({ ...last, prints: text.trimEnd().split("\n") });
}

/** The first line that was not printed, in this order; undefined when all were. White space counts as one blank. */
export function missingLine(printed: string, expected: readonly string[]): string | undefined {
  const lines = printed.split("\n").map(oneBlank);
  let from = 0;
  for (const line of expected) {
    if (line.trim() === "...") continue;
    const parts = oneBlank(line)
      .split("...")
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
    const pattern = new RegExp(`^${parts.join(".*")}$`);
    const found = lines.findIndex((each, i) => i >= from && pattern.test(each));
    if (found < 0) return line;
    from = found + 1;
  }
  return undefined;
}

function oneBlank(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** The page with every block that is a whole file of the repository brought up to that file. */
export function withFilesOf(markdown: string, read: (source: string) => string): string {
  return markdown.replace(
    /(<!-- file \S+ from (\S+) -->\n```\w+\n)[^]*?(?=^```$)/gm,
    (_, head: string, source: string) => `${head}${read(source)}`,
  );
}
