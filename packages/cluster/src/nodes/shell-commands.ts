/** The programs that every simulated container has. */
import { sleep } from "@bowline/client";
import { absolute } from "./container-files.ts";
import type { ContainerProcess } from "./image-behavior.ts";
import { type TarEntry, packTar, unpackTar } from "./tar-archive.ts";

/** What a program works with. */
export interface ShellIo {
  readonly process: ContainerProcess;
  /** Absent: it is empty. */
  readonly stdin?: AsyncIterable<Uint8Array> | undefined;
  write(text: string | Uint8Array): void;
  writeError(text: string | Uint8Array): void;
}

/** Answers the exit code. @throws the process' signal's reason when it is stopped in a sleep */
type Program = (args: readonly string[], io: ShellIo) => number | Promise<number>;

const programs: Readonly<Record<string, Program>> = {
  ":": () => 0,
  true: () => 0,
  false: () => 1,
  echo: (args, io) => {
    const isBare = args[0] === "-n";
    io.write(`${(isBare ? args.slice(1) : args).join(" ")}${isBare ? "" : "\n"}`);
    return 0;
  },
  sleep: async ([time = "0"], { process }) => {
    await process.sleep(sleepMs(time));
    return 0;
  },
  hostname: (_args, io) => print(io, io.process.pod.spec?.hostname ?? io.process.pod.metadata.name ?? ""),
  date: (_args, io) => print(io, new Date(io.process.clock.now()).toUTCString()),
  pwd: (_args, io) => print(io, folderOf(io)),
  id: (_args, io) => print(io, "uid=0(root) gid=0(root) groups=0(root)"),
  whoami: (_args, io) => print(io, "root"),
  stty: terminalSize,
  env: environment,
  printenv: environment,
  cat,
  ls,
  mkdir: (args, io) => {
    for (const path of operands(args, io)) io.process.files.makeFolder(path);
    return 0;
  },
  touch: (args, io) => {
    const { files } = io.process;
    for (const path of operands(args, io)) if (!files.exists(path)) files.write(path, "");
    return 0;
  },
  rm: (args, io) => {
    for (const path of operands(args, io)) io.process.files.remove(path);
    return 0;
  },
  test: ([flag = "", path = ""], io) => isTrue(flag, absolute(path, folderOf(io)), io),
  tar,
};

/** Whether there is such a program, with or without its folder. */
export function isProgram(name: string): boolean {
  return Object.hasOwn(programs, baseName(name));
}

/** Runs a program that there is; 127 for one that there is not. */
export async function runProgram([name = "", ...args]: readonly string[], io: ShellIo): Promise<number> {
  if (!isProgram(name)) {
    io.writeError(`sh: ${name}: not found\n`);
    return 127;
  }
  return (programs[baseName(name)] as Program)(args, io);
}

export function folderOf({ process }: ShellIo): string {
  return process.container.workingDir ?? "/";
}

function baseName(program: string): string {
  return program.replace(/^(\/usr)?\/bin\//, "");
}

function print(io: ShellIo, text: string): number {
  io.write(`${text}\n`);
  return 0;
}

/** How long the size of a window may take to come. */
const windowMs = 500;

/** `stty size`: lines and columns; of a terminal that nobody looks at, none. */
async function terminalSize([what]: readonly string[], io: ShellIo): Promise<number> {
  const { terminal, clock } = io.process;
  if (terminal === undefined || what !== "size") {
    io.writeError(`stty: ${terminal === undefined ? "standard input: Not a tty" : "only size is known"}\n`);
    return 1;
  }
  const waiting = new AbortController();
  const waited = sleep(clock, windowMs, waiting.signal).catch(() => undefined);
  await Promise.race([terminal.sizes()[Symbol.asyncIterator]().next(), waited]);
  waiting.abort(new Error("the size is known"));
  const { width, height } = terminal.size ?? { width: 0, height: 0 };
  return print(io, `${height} ${width}`);
}

/** The paths among the arguments. */
function operands(args: readonly string[], io: ShellIo): string[] {
  return args.filter((arg) => !arg.startsWith("-")).map((path) => absolute(path, folderOf(io)));
}

function environment(args: readonly string[], io: ShellIo): number {
  const { env } = io.process;
  const [name] = args;
  if (name === undefined) {
    for (const [key, value] of Object.entries(env)) io.write(`${key}=${value}\n`);
    return 0;
  }
  if (env[name] === undefined) return 1;
  return print(io, env[name]);
}

async function cat(args: readonly string[], io: ShellIo): Promise<number> {
  if (args.length === 0 || args[0] === "-") {
    for await (const chunk of io.stdin ?? []) io.write(chunk);
    return 0;
  }
  let code = 0;
  for (const path of args) {
    const at = absolute(path, folderOf(io));
    const file = io.process.files.read(at);
    if (file !== undefined) io.write(file.content);
    else {
      const why = io.process.files.isFolder(at) ? "Is a directory" : "No such file or directory";
      io.writeError(`cat: ${path}: ${why}\n`);
      code = 1;
    }
  }
  return code;
}

function ls(args: readonly string[], io: ShellIo): number {
  const { files } = io.process;
  const paths = args.filter((arg) => !arg.startsWith("-"));
  let code = 0;
  for (const path of paths.length === 0 ? ["."] : paths) {
    const at = absolute(path, folderOf(io));
    if (files.isFolder(at)) for (const name of files.list(at)) io.write(`${name}\n`);
    else if (files.read(at) !== undefined) io.write(`${path}\n`);
    else {
      io.writeError(`ls: cannot access '${path}': No such file or directory\n`);
      code = 2;
    }
  }
  return code;
}

function isTrue(flag: string, path: string, { process: { files } }: ShellIo): number {
  const holds =
    flag === "-d"
      ? files.isFolder(path)
      : flag === "-f"
        ? files.read(path) !== undefined
        : files.exists(path);
  return holds ? 0 : 1;
}

/** `tar cf - PATH...` and `tar xf - -C FOLDER`, with whatever other letters. */
async function tar(args: readonly string[], io: ShellIo): Promise<number> {
  const letters = args.find((arg) => /^-?[a-zA-Z]*[cx][a-zA-Z]*f?$/.test(arg) && !arg.startsWith("--")) ?? "";
  const at = args.indexOf("-C");
  const folder = absolute(at < 0 ? "." : (args[at + 1] ?? "."), folderOf(io));
  const paths = args.filter(
    (arg, index) => arg !== letters && !arg.startsWith("-") && (at < 0 || index !== at + 1),
  );
  if (letters.includes("c")) return createArchive(paths, folder, io);
  if (letters.includes("x")) return extractArchive(folder, io);
  io.writeError("tar: You must specify one of the '-c' or '-x' options\n");
  return 2;
}

function createArchive(paths: readonly string[], folder: string, io: ShellIo): number {
  const entries: TarEntry[] = [];
  for (const path of paths) {
    const at = absolute(path, folder);
    if (!io.process.files.exists(at)) {
      io.writeError(`tar: ${path}: Cannot stat: No such file or directory\n`);
      io.writeError("tar: Exiting with failure status due to previous errors\n");
      return 2;
    }
    collect(at, path.replace(/^\/+|\/+$/g, ""), { io, entries });
  }
  io.write(packTar(entries, io.process.clock.now()));
  return 0;
}

function collect(at: string, name: string, to: { readonly io: ShellIo; readonly entries: TarEntry[] }): void {
  const { files } = to.io.process;
  const file = files.read(at);
  if (file !== undefined) to.entries.push({ name, kind: "file", ...file });
  else {
    to.entries.push({ name, kind: "folder", content: new Uint8Array(), mode: 0o755 });
    for (const child of files.list(at)) collect(absolute(child, at), `${name}/${child}`, to);
  }
}

async function extractArchive(folder: string, io: ShellIo): Promise<number> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of io.stdin ?? []) chunks.push(chunk);
  const { files } = io.process;
  if (!files.isFolder(folder)) {
    io.writeError(`tar: ${folder}: Cannot open: No such file or directory\n`);
    return 2;
  }
  try {
    for (const { name, kind, content, mode } of unpackTar(Buffer.concat(chunks))) {
      const at = absolute(name, folder);
      if (kind === "folder") files.makeFolder(at);
      else files.write(at, content, mode);
    }
    return 0;
  } catch (error) {
    io.writeError(`tar: ${(error as Error).message}\n`);
    return 2;
  }
}

/** `5`, `0.5`, `2m`, `infinity`. */
function sleepMs(text: string): number {
  if (text === "infinity" || text === "inf") return Number.POSITIVE_INFINITY;
  const [, number = "0", unit = "s"] = /^([\d.]+)([smhd]?)$/.exec(text) ?? [];
  const unitMs = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }[unit === "" ? "s" : unit] ?? 1000;
  return Number(number) * unitMs;
}
