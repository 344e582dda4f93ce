import { readFile, rename, stat, writeFile } from "node:fs/promises";
import { ConfigError, CredentialError } from "../errors.ts";
import { createHttpTransport } from "../http/http-transport.ts";
import type { Clock } from "../ports/clock.ts";
import type { CredentialSource } from "./connection.ts";
import { type Lease, RefreshingSource } from "./refreshing-source.ts";

export interface OidcOptions {
  /** The auth-provider's configuration: `idp-issuer-url`, `client-id`, `refresh-token`, ... */
  readonly config: Readonly<Record<string, string>>;
  /** For messages. */
  readonly where: string;
  /** The kubeconfig that new tokens are written to, since a provider may let a refresh token be used once only. */
  readonly file: string;
  readonly userName: string;
  readonly clock: Clock;
}

/** A token that expires within this is not used any more. Source: client-go plugin/pkg/client/auth/oidc. */
const leewayMs = 10_000;

/**
 * Bearer tokens of an OpenID Connect provider: the id token of the kubeconfig as long as it holds, then others got with
 * the refresh token, which are written back.
 */
export function oidcSource(options: OidcOptions): CredentialSource {
  const { config, where, clock } = options;
  for (const field of ["idp-issuer-url", "client-id"]) {
    if (!config[field]) throw new ConfigError(`${where}: auth-provider oidc: ${field} is missing`);
  }
  let idToken = config["id-token"] ?? "";
  let refreshToken = config["refresh-token"] ?? "";
  let isGiven = true;
  const load = async (): Promise<Lease> => {
    const expiresAtMs = expiryOf(idToken) - leewayMs;
    // The given token serves once; being asked again means that it was refused or has expired.
    if (isGiven && clock.now() < expiresAtMs) {
      isGiven = false;
      return { credentials: { authorization: `Bearer ${idToken}` }, expiresAtMs };
    }
    isGiven = false;
    if (refreshToken === "") {
      throw new CredentialError(
        `${where}: the id-token has expired and there is no refresh-token; log in again`,
      );
    }
    const tokens = await refresh(options, refreshToken);
    idToken = tokens.idToken;
    refreshToken = tokens.refreshToken ?? refreshToken;
    await writeBack(options, { "id-token": idToken, "refresh-token": refreshToken });
    return { credentials: { authorization: `Bearer ${idToken}` }, expiresAtMs: expiryOf(idToken) - leewayMs };
  };
  return new RefreshingSource({ clock, load });
}

/** The `exp` of a JSON web token in milliseconds; 0 when it cannot be read. */
function expiryOf(token: string): number {
  try {
    const claims = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8")) as {
      exp?: unknown;
    };
    return typeof claims.exp === "number" ? claims.exp * 1000 : 0;
  } catch {
    return 0;
  }
}

/** Gets new tokens from the provider. @throws CredentialError that names it */
async function refresh(
  { config, where, clock }: OidcOptions,
  refreshToken: string,
): Promise<{ idToken: string; refreshToken: string | undefined }> {
  const issuer = config["idp-issuer-url"] ?? "";
  try {
    const ca = await authorityOf(config);
    const ask = (url: string, form?: URLSearchParams): Promise<Answer> =>
      askProvider({ url, ca, clock, login: clientLogin(config), form });
    const { token_endpoint: endpoint } = await ask(
      `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`,
    );
    if (!endpoint) throw new Error("its configuration names no token_endpoint");
    const form = new URLSearchParams({ grant_type: "refresh_token", refresh_token: refreshToken });
    const answer = await ask(endpoint, form);
    if (!answer.id_token) throw new Error("its answer has no id_token");
    return { idToken: answer.id_token, refreshToken: answer.refresh_token };
  } catch (error) {
    throw new CredentialError(`${where}: identity provider ${issuer}: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

/** What a provider answers, as far as it is used. */
interface Answer {
  readonly token_endpoint?: string;
  readonly id_token?: string;
  readonly refresh_token?: string;
}

interface Question {
  readonly url: string;
  readonly ca: string | undefined;
  readonly clock: Clock;
  /** The Authorization header. */
  readonly login: string;
  /** Posted when given. */
  readonly form: URLSearchParams | undefined;
}

async function askProvider({ url, ca, clock, login, form }: Question): Promise<Answer> {
  const { origin, pathname: path } = new URL(url);
  const transport = createHttpTransport(
    { server: origin, ca, namespace: "", origin: "auth-provider oidc" },
    { clock },
  );
  const headers = { "content-type": "application/x-www-form-urlencoded", authorization: login };
  try {
    const answer = await transport.request<Answer>(
      form === undefined ? { method: "GET", path } : { method: "POST", path, headers, body: form.toString() },
    );
    return answer.body;
  } finally {
    await transport.close();
  }
}

function clientLogin(config: Readonly<Record<string, string>>): string {
  const login = [config["client-id"] ?? "", config["client-secret"] ?? ""].map(encodeURIComponent).join(":");
  return `Basic ${Buffer.from(login).toString("base64")}`;
}

async function authorityOf(config: Readonly<Record<string, string>>): Promise<string | undefined> {
  const data = config["idp-certificate-authority-data"];
  if (data) return Buffer.from(data, "base64").toString("utf8");
  const file = config["idp-certificate-authority"];
  return file ? readFile(file, "utf8") : undefined;
}

/** Changes the two tokens in the kubeconfig, keeping everything else as it is written. */
async function writeBack(
  { file, userName, where }: OidcOptions,
  tokens: Record<string, string>,
): Promise<void> {
  try {
    const { isMap, isSeq, parseDocument } = await import("yaml");
    const document = parseDocument(await readFile(file, "utf8"));
    const users = document.get("users");
    const entry = isSeq(users)
      ? users.items.find((user) => isMap(user) && user.get("name") === userName)
      : undefined;
    if (!isMap(entry)) return;
    for (const [field, token] of Object.entries(tokens))
      entry.setIn(["user", "auth-provider", "config", field], token);
    const { mode } = await stat(file);
    const draft = `${file}.bowline-${process.pid}`;
    await writeFile(draft, document.toString({ lineWidth: 0 }), { mode });
    await rename(draft, file);
  } catch (error) {
    throw new CredentialError(`${where}: the new tokens cannot be written: ${(error as Error).message}`, {
      cause: error,
    });
  }
}
