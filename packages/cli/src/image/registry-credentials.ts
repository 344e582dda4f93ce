/** Who this user is at which registry: what `docker login` and `podman login` have kept. */
import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { CommandError, messageOf } from "../errors.ts";

export type Credentials =
  | { readonly kind: "password"; readonly user: string; readonly password: string }
  /** A refresh token, for the token server. */
  | { readonly kind: "identity-token"; readonly token: string }
  /** For the registry itself. */
  | { readonly kind: "registry-token"; readonly token: string };

/** @param registry `registry.example.com:5000`; `https://index.docker.io/v1/` for Docker Hub */
export type FindCredentials = (registry: string) => Promise<Credentials | undefined>;

interface AuthEntry {
  readonly auth?: string;
  readonly username?: string;
  readonly password?: string;
  readonly identitytoken?: string;
  readonly registrytoken?: string;
}

interface AuthFile {
  readonly auths?: Readonly<Record<string, AuthEntry>>;
  readonly credHelpers?: Readonly<Record<string, string>>;
  readonly credsStore?: string;
}

/**
 * Looks in the file that `REGISTRY_AUTH_FILE` names, in `config.json` of `DOCKER_CONFIG` or `~/.docker`, and in podman's,
 * and asks the helper programs that they name.
 */
export function keptCredentials(environment: Readonly<Record<string, string | undefined>>): FindCredentials {
  return async (registry) => {
    for (const file of authFiles(environment)) {
      if (!existsSync(file)) continue;
      const found = await fromFile(file, registry);
      if (found !== undefined) return found;
    }
    return undefined;
  };
}

function authFiles(environment: Readonly<Record<string, string | undefined>>): string[] {
  const home = environment["HOME"] ?? os.homedir();
  const { REGISTRY_AUTH_FILE, DOCKER_CONFIG, XDG_RUNTIME_DIR } = environment;
  return [
    ...(REGISTRY_AUTH_FILE === undefined ? [] : [REGISTRY_AUTH_FILE]),
    path.join(DOCKER_CONFIG ?? path.join(home, ".docker"), "config.json"),
    ...(XDG_RUNTIME_DIR === undefined ? [] : [path.join(XDG_RUNTIME_DIR, "containers", "auth.json")]),
    path.join(home, ".config", "containers", "auth.json"),
  ];
}

async function fromFile(file: string, registry: string): Promise<Credentials | undefined> {
  let kept: AuthFile;
  try {
    kept = JSON.parse(readFileSync(file, "utf8")) as AuthFile;
  } catch (error) {
    throw new CommandError(`${file} cannot be read: ${messageOf(error)}`, { cause: error });
  }
  const helper = kept.credHelpers?.[registry] ?? kept.credsStore;
  if (helper !== undefined) {
    const found = await fromHelper(helper, registry);
    if (found !== undefined) return found;
  }
  const entry = Object.entries(kept.auths ?? {}).find(([name]) => sameRegistry(name, registry))?.[1];
  return entry === undefined ? undefined : fromEntry(entry, file);
}

/** Kept are also whole addresses: `https://registry.example.com/v2/`. */
function sameRegistry(name: string, registry: string): boolean {
  const plain = (text: string): string => text.replace(/^https?:\/\//, "").replace(/\/.*$/, "");
  return name === registry || plain(name) === plain(registry);
}

function fromEntry(entry: AuthEntry, file: string): Credentials | undefined {
  if (entry.registrytoken) return { kind: "registry-token", token: entry.registrytoken };
  if (entry.identitytoken) return { kind: "identity-token", token: entry.identitytoken };
  const { username, password, auth } = entry;
  if (username && password) return { kind: "password", user: username, password };
  if (!auth) return undefined;
  const decoded = Buffer.from(auth, "base64").toString("utf8");
  const colon = decoded.indexOf(":");
  if (colon < 0) throw new CommandError(`${file} holds credentials that are not user:password in base64`);
  return {
    kind: "password",
    user: decoded.slice(0, colon),
    password: decoded.slice(colon + 1).replace(/\0+$/, ""),
  };
}

/** The protocol of docker-credential-helpers: the registry on standard input, JSON on standard output. */
function fromHelper(helper: string, registry: string): Promise<Credentials | undefined> {
  const program = `docker-credential-${helper}`;
  return new Promise((resolve, reject) => {
    const child = execFile(program, ["get"], { timeout: 30_000 }, (error, stdout) => {
      if (error !== null) {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") {
          reject(new CommandError(`${program} keeps the credentials for ${registry}, and is not installed`));
        } else resolve(undefined);
        return;
      }
      try {
        const { Username: user, Secret: secret } = JSON.parse(stdout) as { Username: string; Secret: string };
        resolve(
          user === "<token>"
            ? { kind: "identity-token", token: secret }
            : { kind: "password", user, password: secret },
        );
      } catch (cause) {
        reject(new CommandError(`${program} does not answer as a credential helper does`, { cause }));
      }
    });
    // a helper that reads nothing closes its input: its answer counts, not that
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(registry);
  });
}

export function basicHeader({ user, password }: { user: string; password: string }): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
}
