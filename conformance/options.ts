/** The command line of `npm run conformance`. */
export interface Options {
  /** Directories and files of cases; default the recorded corpus. */
  readonly places: readonly string[];
  readonly only: string | undefined;
  /** Absent: an embedded server is started. */
  readonly server: string | undefined;
  readonly token: string | undefined;
  readonly ca: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
  readonly json: string | undefined;
  readonly concurrency: number;
  readonly verbose: boolean;
  readonly record: boolean;
  readonly exceptions: boolean;
}

export const usage = `usage: npm run conformance -- [--only TEXT] [--cases DIR] [--server URL [--token T] [--cert FILE --key FILE] [--ca FILE]]
                            [--concurrency N] [--verbose] [--json FILE] [--no-exceptions] [--record] [DIR|FILE ...]`;

const valued = ["cases", "only", "server", "token", "ca", "cert", "key", "json", "concurrency"] as const;
const flags = ["verbose", "record", "no-exceptions", "help"] as const;

/** A command line that cannot be understood. */
export class UsageError extends Error {
  override readonly name: string = "UsageError";
}

/** @throws UsageError */
export function parseOptions(args: readonly string[], corpus: string): Options {
  const values = new Map<string, string>();
  const given = new Set<string>();
  const places: string[] = [];
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] ?? "";
    if (!arg.startsWith("--")) {
      places.push(arg);
      continue;
    }
    const name = arg.slice(2);
    if (flags.some((flag) => flag === name)) given.add(name);
    else if (valued.some((option) => option === name)) {
      const value = args[++index];
      if (value === undefined) throw new UsageError(`--${name} needs a value`);
      if (name === "cases") places.push(value);
      else values.set(name, value);
    } else throw new UsageError(`unknown option --${name}`);
  }
  if (given.has("help")) throw new UsageError("");
  const concurrency = Number(values.get("concurrency") ?? (given.has("record") ? 1 : 8));
  if (!Number.isInteger(concurrency) || concurrency < 1)
    throw new UsageError("--concurrency must be 1 or more");
  if (given.has("record") && !values.has("server"))
    throw new UsageError("--record needs --server: the real one");
  return {
    places: places.length === 0 ? [corpus] : places,
    only: values.get("only"),
    server: values.get("server"),
    token: values.get("token"),
    ca: values.get("ca"),
    cert: values.get("cert"),
    key: values.get("key"),
    json: values.get("json"),
    concurrency,
    verbose: given.has("verbose"),
    record: given.has("record"),
    exceptions: !given.has("no-exceptions"),
  };
}
