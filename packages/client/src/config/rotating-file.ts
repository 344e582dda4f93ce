import { readFile } from "node:fs/promises";
import { CredentialError } from "../errors.ts";
import type { Clock } from "../ports/clock.ts";
import type { CredentialSource, Credentials } from "./connection.ts";

/** A file is read again when what is known of it is older than this: kubelets replace tokens well before they expire. */
const ageMsMax = 10_000;

/** The content of a file that is replaced from time to time. */
export interface RotatingFile {
  readonly path: string;
  /** The content, not older than ten seconds. What was read last, when it cannot be read now. @throws CredentialError */
  readonly current: () => Promise<string>;
  /** The content as it is now. Throws like `current`. */
  readonly reread: () => Promise<string>;
}

/** @param what what the file holds, for messages: `token file` */
export function rotatingFile(path: string, what: string, clock: Clock): RotatingFile {
  let known: { readonly text: string; readonly atMs: number } | undefined;
  let reading: Promise<string> | undefined;
  const read = async (): Promise<string> => {
    try {
      const text = await readFile(path, "utf8");
      known = { text, atMs: clock.monotonic() };
      return text;
    } catch (error) {
      if (known !== undefined) return known.text;
      throw new CredentialError(`${what} ${path} cannot be read: ${(error as Error).message}`, {
        cause: error,
      });
    } finally {
      reading = undefined;
    }
  };
  const reread = (): Promise<string> => (reading ??= read());
  return {
    path,
    reread,
    current() {
      if (known !== undefined && clock.monotonic() - known.atMs < ageMsMax)
        return Promise.resolve(known.text);
      return reread();
    },
  };
}

/** A bearer token from a file. A refused token leads to another look at the file. */
export function tokenFileSource(path: string, clock: Clock): CredentialSource {
  const file = rotatingFile(path, "token file", clock);
  let credentials: Credentials = {};
  const credentialsOf = (text: string): Credentials => {
    const token = text.trim();
    if (token === "") throw new CredentialError(`token file ${path} is empty`);
    const authorization = `Bearer ${token}`;
    if (credentials.authorization !== authorization) credentials = { authorization };
    return credentials;
  };
  return {
    current: async () => credentialsOf(await file.current()),
    async renew(refused) {
      const fresh = credentialsOf(await file.reread());
      return fresh.authorization === refused.authorization ? undefined : fresh;
    },
  };
}

/** A client certificate of which either part may be in a file that is replaced. */
export function certificateFileSource(
  cert: string | RotatingFile,
  key: string | RotatingFile,
): CredentialSource {
  let known: { readonly cert: string; readonly key: string } | undefined;
  let credentials: Credentials = {};
  const textOf = (part: string | RotatingFile, isFresh: boolean): string | Promise<string> =>
    typeof part === "string" ? part : isFresh ? part.reread() : part.current();
  const load = async (isFresh: boolean): Promise<Credentials> => {
    const [newCert, newKey] = await Promise.all([textOf(cert, isFresh), textOf(key, isFresh)]);
    if (known?.cert !== newCert || known.key !== newKey) {
      known = { cert: newCert, key: newKey };
      credentials = { certificate: known };
    }
    return credentials;
  };
  return {
    current: () => load(false),
    async renew(refused) {
      const fresh = await load(true);
      return fresh.certificate?.cert === refused.certificate?.cert ? undefined : fresh;
    },
  };
}

/** What both sources give together: a certificate from one, a token from the other. */
export function combinedSource(first: CredentialSource, second: CredentialSource): CredentialSource {
  let known: { readonly parts: readonly [Credentials, Credentials]; readonly whole: Credentials } | undefined;
  const join = (a: Credentials, b: Credentials): Credentials => {
    if (known?.parts[0] !== a || known.parts[1] !== b) known = { parts: [a, b], whole: { ...a, ...b } };
    return known.whole;
  };
  const current = async (signal?: AbortSignal): Promise<Credentials> => {
    const [a, b] = await Promise.all([first.current(signal), second.current(signal)]);
    return join(a, b);
  };
  return {
    current,
    async renew(refused, signal) {
      const renewed = await Promise.all([first.renew?.(refused, signal), second.renew?.(refused, signal)]);
      return renewed.every((one) => one === undefined) ? undefined : current(signal);
    },
  };
}
