/** Requests to one repository of an image registry (OCI distribution specification 1.1), with its ways to log in. */
import http from "node:http";
import https from "node:https";
import { type Clock, sleep } from "@bowline/client";
import { CommandError, messageOf } from "../errors.ts";
import type { Output } from "../output/output.ts";
import { type ImageReference, isLoopback } from "./image-reference.ts";
import { type Credentials, type FindCredentials, basicHeader } from "./registry-credentials.ts";

/** What is needed to speak with any registry. */
export interface RegistryAccess {
  readonly credentials: FindCredentials;
  /** Plain HTTP, and certificates that nobody vouches for, are good enough. Always so on this machine itself. */
  readonly insecure: boolean;
  readonly output: Output;
  readonly clock: Clock;
  readonly signal?: AbortSignal;
}

export interface RegistryRequest {
  readonly method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH";
  /** Absolute path, or a whole address as the registry gave it in a Location header. */
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Made anew for each try. */
  readonly body?: () => Buffer | AsyncIterable<Buffer>;
}

export interface RegistryAnswer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  /** The address that answered. */
  readonly url: URL;
  /** Of an error, and of a small document. */
  readonly body: http.IncomingMessage;
}

const triesMax = 4;
const firstDelayMs = 250;
const redirectsMax = 5;
/** Without a byte in either direction. */
const idleMs = 60_000;
/** Larger documents than manifests may be. */
const documentBytesMax = 4 * 1024 * 1024;

export class RegistryClient {
  readonly reference: ImageReference;
  readonly #access: RegistryAccess;
  readonly #scope: string;
  #scheme: "http" | "https" | undefined;
  #authorization: string | undefined;
  readonly #isInsecure: boolean;

  /** @param actions for which a token is asked: `pull`, or `pull,push` */
  constructor(reference: ImageReference, access: RegistryAccess, actions: "pull" | "pull,push") {
    this.reference = reference;
    this.#access = access;
    this.#scope = `repository:${reference.repository}:${actions}`;
    this.#isInsecure = access.insecure || isLoopback(reference.registry);
  }

  /** Path of something in the repository: `blobs/sha256:…`. */
  path(rest: string): string {
    return `/v2/${this.reference.repository}/${rest}`;
  }

  /**
   * Sends a request; logs in when the registry wants that, and tries again when it is busy or the connection breaks.
   * @returns also answers with an error status, except 401 and 403
   * @throws CommandError when the registry cannot be reached or does not let this user in
   */
  async send(request: RegistryRequest): Promise<RegistryAnswer> {
    for (let attempt = 1; ; attempt++) {
      this.#access.signal?.throwIfAborted();
      try {
        const answer = await this.#sendOnce(request);
        const isBusy = answer.status >= 500 || answer.status === 429;
        if (!isBusy || attempt === triesMax) return answer;
        await readText(answer.body);
      } catch (error) {
        if (this.#access.signal?.aborted || !isNetworkError(error)) throw error;
        if (attempt === triesMax || isNobodyThere(error)) throw this.#unreachable(error);
      }
      await sleep(this.#access.clock, firstDelayMs * 2 ** (attempt - 1), this.#access.signal);
    }
  }

  #unreachable(cause: unknown): CommandError {
    return new CommandError(
      `the registry ${this.reference.registry} cannot be reached: ${messageOf(cause)}; is the name right, and is it running?`,
      { cause },
    );
  }

  /** The answer's document. @throws CommandError for every status but 200 */
  async getDocument(path: string, accept: readonly string[]): Promise<{ bytes: Buffer; mediaType: string }> {
    const answer = await this.send({ method: "GET", target: path, headers: { accept: accept.join(", ") } });
    if (answer.status !== 200) throw await this.refusal(`read ${path}`, answer);
    const bytes = await readAll(answer.body, documentBytesMax);
    return { bytes, mediaType: (answer.headers["content-type"] ?? "").split(";")[0]?.trim() ?? "" };
  }

  /** What the registry said against a request. */
  async refusal(what: string, answer: RegistryAnswer): Promise<CommandError> {
    const said = errorsIn(await readText(answer.body));
    return new CommandError(
      `${this.reference.registry} does not let bowline ${what} (HTTP ${answer.status})${said === "" ? "" : `: ${said}`}`,
    );
  }

  async #sendOnce(request: RegistryRequest): Promise<RegistryAnswer> {
    const first = await this.#dispatch(request);
    if (first.status !== 401) return this.#allowed(request, first);
    await readText(first.body);
    await this.#logIn(String(first.headers["www-authenticate"] ?? ""));
    const second = await this.#dispatch(request);
    if (second.status !== 401) return this.#allowed(request, second);
    throw await this.#unauthorized(second);
  }

  async #allowed(request: RegistryRequest, answer: RegistryAnswer): Promise<RegistryAnswer> {
    if (answer.status !== 403) return answer;
    throw await this.refusal(`${request.method} in ${this.reference.repository}`, answer);
  }

  async #unauthorized(answer: RegistryAnswer): Promise<CommandError> {
    const said = errorsIn(await readText(answer.body));
    return new CommandError(
      `unauthorized: ${this.reference.registry} does not accept the credentials for ${this.reference.repository}${said === "" ? "" : ` (${said})`}: run docker login ${this.reference.registry}`,
    );
  }

  async #dispatch(request: RegistryRequest): Promise<RegistryAnswer> {
    this.#scheme ??= await this.#findScheme();
    const own = new URL(`${this.#scheme}://${this.reference.registry}`);
    let url = new URL(request.target, own);
    for (let redirects = 0; ; redirects++) {
      const headers: Record<string, string> = { "user-agent": "bowline", ...request.headers };
      // a storage elsewhere that blobs are redirected to is not told how this user logs in
      if (this.#authorization !== undefined && url.host === own.host)
        headers["authorization"] = this.#authorization;
      const answer = await this.#exchange(url, { ...request, headers });
      const { location } = answer.headers;
      const isRedirect = answer.status >= 300 && answer.status < 400 && location !== undefined;
      if (!isRedirect || !["GET", "HEAD"].includes(request.method)) return answer;
      if (redirects === redirectsMax)
        throw new CommandError(`${own.host} redirects more than ${redirectsMax} times`);
      answer.body.resume();
      url = new URL(location, url);
    }
  }

  /** A registry on this machine, or one that may be insecure, speaks whichever of the two it does. */
  async #findScheme(): Promise<"http" | "https"> {
    if (!this.#isInsecure) return "https";
    const base = `https://${this.reference.registry}/v2/`;
    try {
      const answer = await this.#exchange(new URL(base), { method: "GET", target: base });
      answer.body.resume();
      return "https";
    } catch (error) {
      if (this.#access.signal?.aborted || isNobodyThere(error)) throw error;
      return "http";
    }
  }

  #exchange(url: URL, request: RegistryRequest): Promise<RegistryAnswer> {
    const { signal } = this.#access;
    return new Promise((resolve, reject) => {
      const isTls = url.protocol === "https:";
      const outgoing = (isTls ? https : http).request(url, {
        method: request.method,
        headers: request.headers,
        timeout: idleMs,
        ...(isTls && this.#isInsecure ? { rejectUnauthorized: false } : {}),
        ...(signal === undefined ? {} : { signal }),
      });
      outgoing.on("timeout", () =>
        outgoing.destroy(
          Object.assign(new Error(`no answer within ${idleMs / 1000} s`), { code: "ETIMEDOUT" }),
        ),
      );
      outgoing.on("error", reject);
      outgoing.on("response", (body) =>
        resolve({ status: body.statusCode ?? 0, headers: body.headers, url, body }),
      );
      writeBody(outgoing, request.body).catch((error: unknown) => outgoing.destroy(error as Error));
    });
  }

  /** By the challenge of a 401: `Basic …`, or `Bearer realm="…",service="…"` (a token server). */
  async #logIn(challenge: string): Promise<void> {
    const { registry, credentialKey } = this.reference;
    const known = await this.#access.credentials(credentialKey);
    const bearer = /Bearer\s+(.*)/i.exec(challenge)?.[1];
    if (bearer !== undefined) {
      this.#authorization = `Bearer ${await this.#fetchToken(parametersOf(bearer), known)}`;
    } else if (known?.kind === "password") this.#authorization = basicHeader(known);
    else if (known?.kind === "registry-token") this.#authorization = `Bearer ${known.token}`;
    else {
      throw new CommandError(
        `unauthorized: ${registry} wants a login, and there are no credentials for it: run docker login ${registry}`,
      );
    }
  }

  async #fetchToken(challenge: Record<string, string>, known: Credentials | undefined): Promise<string> {
    if (known?.kind === "registry-token") return known.token;
    const { realm = "", service = "" } = challenge;
    if (!URL.canParse(realm))
      throw new CommandError(`${this.reference.registry} names no token server: ${realm}`);
    const url = new URL(realm);
    if (known !== undefined && url.protocol !== "https:" && !this.#isInsecure) {
      throw new CommandError(
        `${this.reference.registry} wants the password sent to ${url.origin} in the clear: refused`,
      );
    }
    const answer = await this.#exchange(...tokenRequest(url, { service, scope: this.#scope }, known));
    const text = await readText(answer.body);
    if (answer.status !== 200) {
      throw new CommandError(
        `unauthorized: the token server ${url.host} of ${this.reference.registry} answers ${answer.status}${errorsIn(text) === "" ? "" : ` (${errorsIn(text)})`}: run docker login ${this.reference.registry}`,
      );
    }
    const { token, access_token } = JSON.parse(text) as { token?: string; access_token?: string };
    return token ?? access_token ?? "";
  }
}

function isNetworkError(error: unknown): boolean {
  return typeof (error as NodeJS.ErrnoException).code === "string" && !(error instanceof CommandError);
}

/** No server, or no such host: trying again at once does not help. */
function isNobodyThere(error: unknown): boolean {
  return ["ECONNREFUSED", "ENOTFOUND"].includes(String((error as NodeJS.ErrnoException).code));
}

/** With a refresh token by POST (OAuth 2), else by GET with the password or as nobody. */
function tokenRequest(
  url: URL,
  asked: { service: string; scope: string },
  known: Credentials | undefined,
): [URL, RegistryRequest] {
  if (known?.kind === "identity-token") {
    const form = new URLSearchParams({
      grant_type: "refresh_token",
      refresh_token: known.token,
      client_id: "bowline",
      ...asked,
    }).toString();
    const headers = {
      "content-type": "application/x-www-form-urlencoded",
      "content-length": String(Buffer.byteLength(form)),
    };
    return [url, { method: "POST", target: url.href, headers, body: () => Buffer.from(form) }];
  }
  const full = new URL(url);
  if (asked.service !== "") full.searchParams.set("service", asked.service);
  full.searchParams.append("scope", asked.scope);
  const headers: Record<string, string> =
    known?.kind === "password" ? { authorization: basicHeader(known) } : {};
  return [full, { method: "GET", target: full.href, headers }];
}

function parametersOf(challenge: string): Record<string, string> {
  return Object.fromEntries(
    [...challenge.matchAll(/([a-z_]+)\s*=\s*(?:"([^"]*)"|([^\s,]+))/gi)].map(
      ([, key = "", quoted, plain]) => [key.toLowerCase(), quoted ?? plain ?? ""],
    ),
  );
}

async function writeBody(outgoing: http.ClientRequest, body: RegistryRequest["body"]): Promise<void> {
  const content = body?.();
  if (content === undefined || Buffer.isBuffer(content)) {
    outgoing.end(content);
    return;
  }
  for await (const chunk of content) {
    if (outgoing.destroyed) return;
    if (!outgoing.write(chunk)) await new Promise<void>((resolve) => onceDrained(outgoing, resolve));
  }
  outgoing.end();
}

/** Also when the connection is gone: the request's own error then says why. */
function onceDrained(outgoing: http.ClientRequest, done: () => void): void {
  const finish = (): void => {
    outgoing.off("drain", finish);
    outgoing.off("close", finish);
    done();
  };
  outgoing.on("drain", finish);
  outgoing.on("close", finish);
}

async function readAll(body: AsyncIterable<Buffer>, bytesMax: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > bytesMax) throw new CommandError(`an answer of the registry is longer than ${bytesMax} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

export async function readText(body: AsyncIterable<Buffer>): Promise<string> {
  return (await readAll(body, documentBytesMax)).toString("utf8");
}

/** `DENIED: requested access to the resource is denied`. */
function errorsIn(text: string): string {
  try {
    const { errors = [], details } = JSON.parse(text) as {
      errors?: { code?: string; message?: string }[];
      details?: string;
    };
    const said = errors.map(({ code, message }) => [code, message].filter(Boolean).join(": "));
    return [...said, ...(details === undefined ? [] : [details])].join("; ");
  } catch {
    return text.trim().slice(0, 200);
  }
}
