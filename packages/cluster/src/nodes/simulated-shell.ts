/**
 * The little that containers of everyday manifests ask of a shell: `sh -c "echo hello > /tmp/a && sleep 5; exit 1"`. It is
 * no shell: it knows no pipes, no loops, of redirection only that of output to a file, and says so of what it does not know.
 */
import { absolute } from "./container-files.ts";
import { type ShellIo, folderOf, isProgram, runProgram } from "./shell-commands.ts";

const shells: ReadonlySet<string> = new Set([
  "sh",
  "bash",
  "ash",
  "/bin/sh",
  "/bin/bash",
  "/bin/ash",
  "/usr/bin/bash",
]);

/** Whether the command is one that the simulated shell knows. */
export function isShellCommand(command: readonly string[]): boolean {
  const [program = "", flag = ""] = command;
  if (shells.has(program)) return flag.startsWith("-") && flag.endsWith("c") && command.length >= 3;
  return isProgram(program);
}

/** Whether the program is a shell. */
export function isShell(program: string): boolean {
  return shells.has(program);
}

/** Runs a command. Answers its exit code. @throws the process' signal's reason when it is stopped in a sleep */
export async function runShell(command: readonly string[], io: ShellIo): Promise<number> {
  const [program = "", , script = ""] = command;
  if (!shells.has(program)) return runProgram(command, io);
  let code = 0;
  let isSkipped = false;
  for (const { text, joint } of statements(script)) {
    if (!isSkipped) {
      const [word, argument = "0"] = splitWords(text, io.process.env);
      if (word === "exit") return Number(argument) || 0;
      code = await runWords(text, io);
    }
    isSkipped = joint === "&&" ? code !== 0 : joint === "||" ? code === 0 : false;
  }
  return code;
}

/** Runs one statement, whose output may go into a file: `echo hello > /tmp/a`. */
async function runWords(text: string, io: ShellIo): Promise<number> {
  const [, statement = text, sign, target] = /^(.*?)\s*(?<![0-9&])(>>|>)\s*(\S+)$/s.exec(text) ?? [];
  const words = splitWords(statement, io.process.env);
  if (target === undefined) return runProgram(words, io);
  const written: Uint8Array[] = [];
  const { files } = io.process;
  const path = absolute(splitWords(target, io.process.env)[0] ?? "", folderOf(io));
  const code = await runProgram(words, { ...io, write: (output) => void written.push(Buffer.from(output)) });
  const before = sign === ">>" ? (files.read(path)?.content ?? new Uint8Array()) : new Uint8Array();
  if (path !== "/dev/null") files.write(path, Buffer.concat([before, ...written]));
  return code;
}

/** Statements with what joins each to the next. */
function statements(script: string): { readonly text: string; readonly joint: string }[] {
  const found: { text: string; joint: string }[] = [];
  const pattern = /((?:"[^"]*"|'[^']*'|(?!&&|\|\||[;\n])[^"'])*)(&&|\|\||;|\n|$)/gy;
  for (const [, text = "", joint = ""] of script.matchAll(pattern)) {
    if (text.trim() !== "") found.push({ text: text.trim(), joint });
  }
  return found;
}

function splitWords(text: string, env: Readonly<Record<string, string>>): string[] {
  return Array.from(text.matchAll(/"((?:\\.|[^"])*)"|'([^']*)'|(\S+)/g), ([, double, single, bare]) => {
    if (single !== undefined) return single;
    const raw = double === undefined ? (bare ?? "") : double.replace(/\\(["\\$])/g, "$1");
    return raw.replace(
      /\$(?:\{(\w+)\}|(\w+))/g,
      (_, braced?: string, plain?: string) => env[braced ?? plain ?? ""] ?? "",
    );
  });
}
