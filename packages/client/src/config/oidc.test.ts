import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { VirtualClock } from "../ports/virtual-clock.ts";
import { loadConnection } from "./load-connection.ts";

let folder: string;
let provider: http.Server;
let asked: string[];
let answer: (form: URLSearchParams) => { code: number; body: object };

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "bowline-oidc-"));
  asked = [];
  provider = http.createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += String(chunk);
    asked.push(`${request.method} ${request.url} ${text}`.trim());
    const { port } = provider.address() as AddressInfo;
    const isToken = request.url === "/realm/token";
    const { code, body } = isToken
      ? answer(new URLSearchParams(text))
      : { code: 200, body: { token_endpoint: `http://127.0.0.1:${port}/realm/token` } };
    response.writeHead(code, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve));
});
afterEach(async () => {
  provider.closeAllConnections();
  await new Promise((resolve) => provider.close(resolve));
  await rm(folder, { recursive: true });
});

const clock = new VirtualClock();
const token = (id: string, lifeSeconds: number): string => {
  const claims = { sub: id, exp: clock.now() / 1000 + lifeSeconds };
  return `e30.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.sig`;
};

async function kubeconfig(config: Record<string, string>): Promise<string> {
  const { port } = provider.address() as AddressInfo;
  const all = {
    "idp-issuer-url": `http://127.0.0.1:${port}/realm`,
    "client-id": "kube",
    "client-secret": "s",
    ...config,
  };
  const path = join(folder, "config");
  const text = `# my clusters
current-context: c
contexts:
- {name: c, context: {cluster: c, user: me}}
clusters:
- {name: c, cluster: {server: "https://x"}}
users:
- name: me
  user:
    auth-provider:
      name: oidc
      config: # kept
${Object.entries(all)
  .map(([key, value]) => `        ${key}: ${value}`)
  .join("\n")}
`;
  await writeFile(path, text, { mode: 0o600 });
  return path;
}

describe("OpenID Connect credentials", () => {
  it("uses the token of the kubeconfig as long as it holds", async () => {
    const idToken = token("given", 3600);
    const { credentials } = await loadConnection({
      kubeconfig: await kubeconfig({ "id-token": idToken }),
      clock,
    });
    expect(await credentials?.current()).toEqual({ authorization: `Bearer ${idToken}` });
    expect(asked).toEqual([]);
  });

  it("refreshes an expired one once for many callers, and writes the new tokens back", async () => {
    const fresh = token("fresh", 3600);
    answer = () => ({ code: 200, body: { id_token: fresh, refresh_token: "r2" } });
    const path = await kubeconfig({ "id-token": token("old", 5), "refresh-token": "r1" });
    const { credentials } = await loadConnection({ kubeconfig: path, clock });
    const all = await Promise.all(
      Array.from({ length: 10 }, () => credentials?.current() ?? Promise.reject(new Error("none"))),
    );
    expect(all.every((one) => one.authorization === `Bearer ${fresh}`)).toBe(true);
    expect(asked).toEqual([
      "GET /realm/.well-known/openid-configuration",
      "POST /realm/token grant_type=refresh_token&refresh_token=r1",
    ]);
    const written = await readFile(path, "utf8");
    expect(written).toContain("# my clusters");
    expect(written).toContain("# kept");
    expect(written).toContain(`id-token: ${fresh}`);
    expect(written).toContain("refresh-token: r2");
  });

  it("refreshes a token that the server refuses", async () => {
    const fresh = token("fresh", 3600);
    answer = () => ({ code: 200, body: { id_token: fresh } });
    const path = await kubeconfig({ "id-token": token("revoked", 3600), "refresh-token": "r1" });
    const { credentials } = await loadConnection({ kubeconfig: path, clock });
    const refused = (await credentials?.current()) ?? {};
    expect(await credentials?.renew?.(refused)).toEqual({ authorization: `Bearer ${fresh}` });
  });

  it("says what is wrong", async () => {
    const expired = await loadConnection({
      kubeconfig: await kubeconfig({ "id-token": token("old", 5) }),
      clock,
    });
    await expect(expired.credentials?.current()).rejects.toThrow(
      "the id-token has expired and there is no refresh-token; log in again",
    );
    answer = () => ({ code: 400, body: { error: "invalid_grant" } });
    const path = await kubeconfig({ "id-token": "nonsense", "refresh-token": "r1" });
    const refused = await loadConnection({ kubeconfig: path, clock });
    await expect(refused.credentials?.current()).rejects.toThrow(
      /user "me": identity provider http:.*: POST \/realm\/token was answered with 400 .*invalid_grant/,
    );
    answer = () => ({ code: 200, body: {} });
    const empty = await loadConnection({ kubeconfig: path, clock });
    await expect(empty.credentials?.current()).rejects.toThrow("its answer has no id_token");
  });
});
