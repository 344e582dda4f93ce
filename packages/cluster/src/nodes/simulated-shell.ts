/**
 * The little that containers of everyday manifests ask of a shell: `sh -c "echo hello && sleep 5; exit 1"`. It is no shell:
 * it knows no pipes, no redirection, no loops, and says so of what it does not know.
 */
import type { ContainerProcess } from "./image-behavior.ts";

const shells: ReadonlySet<string> = new Set([
  "sh",
  "bash",
  "ash",
  "/bin/sh",
  "/bin/bash",
  "/bin/ash",
  "/usr/bin/bash",
]);
const words: ReadonlySet<string> = new Set([
  "echo",
  "sleep",
  "exit",
  "true",
  "false",
  "env",
  "printenv",
  "hostname",
  "date",
  ":",
]);

/** What a command of the shell works with. */
export interface ShellIo {
  readonly process: ContainerProcess;
  write(text: string): void;
  writeError(text: string): void;
}

/** Whether the command is one that the simulated shell knows. */
export function isShellCommand(command: readonly string[]): boolean {
  const [program = "", flag = ""] = command;
  if (shells.has(program)) return flag.startsWith("-") && flag.endsWith("c") && command.length >= 3;
  return words.has(baseName(program));
}

/** Whether the program is a shell. */
export function isShell(program: string): boolean {
  return shells.has(program);
}

function baseName(program: string): string {
  return program.replace(/^(\/usr)?\/bin\//, "");
}

/** Runs a command. Answers its exit code. @throws the process' signal's reason when it is stopped in a sleep */
export async function runShell(command: readonly string[], io: ShellIo): Promise<number> {
  const [program = "", , script = ""] = command;
  if (!shells.has(program)) return (await runWords(command, io)).code;
  let code = 0;
  let isSkipped = false;
  for (const { text, joint } of statements(script)) {
    if (!isSkipped) {
      const result = await runWords(splitWords(text, io.process.env), io);
      if (result.isExit) return result.code;
      ({ code } = result);
    }
    isSkipped = joint === "&&" ? code !== 0 : joint === "||" ? code === 0 : false;
  }
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

async function runWords(
  [program = "", ...args]: readonly string[],
  io: ShellIo,
): Promise<{ code: number; isExit: boolean }> {
  const done = (code: number): { code: number; isExit: boolean } => ({ code, isExit: false });
  const { process } = io;
  switch (baseName(program)) {
    case "":
    case ":":
    case "true":
      return done(0);
    case "false":
      return done(1);
    case "exit":
      return { code: Number(args[0] ?? 0) || 0, isExit: true };
    case "echo":
      io.write(`${(args[0] === "-n" ? args.slice(1) : args).join(" ")}${args[0] === "-n" ? "" : "\n"}`);
      return done(0);
    case "sleep":
      await process.sleep(sleepMs(args[0] ?? "0"));
      return done(0);
    case "hostname":
      io.write(`${process.pod.spec?.hostname ?? process.pod.metadata.name}\n`);
      return done(0);
    case "date":
      io.write(`${new Date(process.clock.now()).toUTCString()}\n`);
      return done(0);
    case "env":
    case "printenv":
      io.write(args.length > 0 ? `${process.env[args[0] as string] ?? ""}\n` : envText(process.env));
      return done(0);
    default:
      io.writeError(`sh: ${program}: not found\n`);
      return done(127);
  }
}

function envText(env: Readonly<Record<string, string>>): string {
  return Object.entries(env)
    .map(([name, value]) => `${name}=${value}\n`)
    .join("");
}

/** `5`, `0.5`, `2m`, `infinity`. */
function sleepMs(text: string): number {
  if (text === "infinity" || text === "inf") return Number.POSITIVE_INFINITY;
  const [, number = "0", unit = "s"] = /^([\d.]+)([smhd]?)$/.exec(text) ?? [];
  const unitMs = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }[unit === "" ? "s" : unit] ?? 1000;
  return Number(number) * unitMs;
}
