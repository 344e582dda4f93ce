import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ConfigError } from "../errors.ts";
import { VirtualClock } from "../ports/virtual-clock.ts";
import { type LoadConnectionOptions, connectionFromKubeconfig, loadConnection } from "./load-connection.ts";

const pem = (text: string): string => `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----\n`;
const base64 = (text: string): string => Buffer.from(text).toString("base64");

let folder: string;
beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), "bowline-config-"))));
afterEach(() => rm(folder, { recursive: true, force: true }));

async function file(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await mkdir(join(path, ".."), { recursive: true });
  await writeFile(path, text);
  return path;
}

const load = (options: LoadConnectionOptions): ReturnType<typeof loadConnection> =>
  loadConnection({ environment: {}, homeFolder: folder, clock: new VirtualClock(), ...options });

async function failure(options: LoadConnectionOptions): Promise<string> {
  const error = await load(options).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ConfigError);
  return (error as Error).message.replaceAll(folder, "DIR");
}

/** A kubeconfig with one of each; the texts are the inner lines of its cluster, user and context. */
function kubeconfig(
  parts: { name?: string; cluster?: string; user?: string; context?: string; current?: string } = {},
): string {
  const name = parts.name ?? "one";
  return `apiVersion: v1
kind: Config
current-context: ${parts.current ?? name}
contexts:
- name: ${name}
  context: {cluster: ${name}, user: ${name}${parts.context ?? ""}}
clusters:
- name: ${name}
  cluster: {server: "https://${name}.example.com:6443"${parts.cluster ?? ""}}
users:
- name: ${name}
  user: {${parts.user ?? ""}}
`;
}

describe("loadConnection", () => {
  it("prefers the path given, then KUBECONFIG, then the pod's account, then the home folder", async () => {
    const flag = await file("flag", kubeconfig({ name: "flag" }));
    const listed = await file("listed", kubeconfig({ name: "listed" }));
    await file(".kube/config", kubeconfig({ name: "home" }));
    await file("account/token", "pod-token\n");
    await file("account/namespace", "team-a\n");
    const pod = { KUBERNETES_SERVICE_HOST: "10.0.0.1", KUBERNETES_SERVICE_PORT: "443" };
    const all = {
      environment: { ...pod, KUBECONFIG: listed },
      serviceAccountFolder: join(folder, "account"),
    };
    expect((await load({ ...all, kubeconfig: flag })).server).toBe("https://flag.example.com:6443");
    expect((await load(all)).server).toBe("https://listed.example.com:6443");
    const inPod = await load({ ...all, environment: pod });
    expect(inPod).toMatchObject({ server: "https://10.0.0.1:443", namespace: "team-a" });
    expect(await inPod.credentials?.current()).toEqual({ authorization: "Bearer pod-token" });
    expect((await load({})).server).toBe("https://home.example.com:6443");
    expect((await load({ ...all, environment: pod, context: "home" })).server).toBe(
      "https://home.example.com:6443",
    );
  });

  it("puts an IPv6 service address in brackets", async () => {
    await file("account/token", "t");
    const environment = { KUBERNETES_SERVICE_HOST: "fd00::1", KUBERNETES_SERVICE_PORT: "443" };
    const connection = await load({ environment, serviceAccountFolder: join(folder, "account") });
    expect(connection.server).toBe("https://[fd00::1]:443");
  });

  it("merges the files of KUBECONFIG: the first that has an entry wins, missing ones are skipped", async () => {
    const first = await file("a", kubeconfig({ name: "one", context: ", namespace: from-a", current: '""' }));
    const second = await file("b", `${kubeconfig({ name: "two" })}`);
    const third = await file("c", kubeconfig({ name: "one", context: ", namespace: from-c" }));
    const KUBECONFIG = [first, join(folder, "missing"), second, third].join(":");
    expect((await load({ environment: { KUBECONFIG } })).server).toBe("https://two.example.com:6443");
    expect((await load({ environment: { KUBECONFIG }, context: "one" })).namespace).toBe("from-a");
  });

  it("takes relative paths from the folder of the file they stand in", async () => {
    await file("sub/ca.crt", pem("ca"));
    await file("sub/token", "secret\n");
    const path = await file(
      "sub/config",
      kubeconfig({ cluster: ", certificate-authority: ca.crt", user: "tokenFile: ./token" }),
    );
    const connection = await load({ kubeconfig: path });
    expect(typeof connection.ca === "function" ? await connection.ca() : connection.ca).toBe(pem("ca"));
    expect(await connection.credentials?.current()).toEqual({ authorization: "Bearer secret" });
  });

  it("reads everything that a context says", async () => {
    const cluster = `, certificate-authority-data: ${base64(pem("ca"))}, tls-server-name: api, proxy-url: "http://p:1", disable-compression: true`;
    const user = `client-certificate-data: ${base64(pem("cert"))}, client-key-data: ${base64(pem("key"))}, token: t, as: jane, as-uid: u1, as-groups: [a, b], as-user-extra: {scopes: [x, y]}`;
    const path = await file("config", kubeconfig({ cluster, user, context: ", namespace: team-a" }));
    const connection = await load({ kubeconfig: path });
    expect(connection).toMatchObject({
      ca: pem("ca"),
      tlsServerName: "api",
      proxyUrl: "http://p:1",
      compression: false,
      namespace: "team-a",
      impersonate: { user: "jane", uid: "u1", groups: ["a", "b"], extra: { scopes: ["x", "y"] } },
      origin: `kubeconfig ${path}, context one`,
    });
    expect(await connection.credentials?.current()).toEqual({
      authorization: "Bearer t",
      certificate: { cert: pem("cert"), key: pem("key") },
    });
  });

  it("reads a kubeconfig that is in no file", async () => {
    const text = kubeconfig({ user: "token: t", context: ", namespace: a" });
    const connection = await connectionFromKubeconfig(text, {
      environment: {},
      impersonate: { user: "joe" },
    });
    expect(connection).toMatchObject({
      server: "https://one.example.com:6443",
      namespace: "a",
      impersonate: { user: "joe" },
    });
    await expect(connectionFromKubeconfig("{}")).rejects.toThrow("current-context is not set");
  });

  it("lets options go before what the context says", async () => {
    const path = await file("config", kubeconfig({ user: "token: t, as: jane", context: ", namespace: a" }));
    const connection = await load({ kubeconfig: path, namespace: "b", impersonate: { user: "joe" } });
    expect(connection).toMatchObject({ namespace: "b", impersonate: { user: "joe" } });
  });

  it.each([
    ["a password", 'username: me, password: "s:e"', `Basic ${base64("me:s:e")}`],
    ["an empty password", "username: me", `Basic ${base64("me:")}`],
    ["a token", "token: abc", "Bearer abc"],
    ["no credentials", "", undefined],
  ])("sends %s", async (_what, user, authorization) => {
    const connection = await load({ kubeconfig: await file("config", kubeconfig({ user })) });
    expect((await connection.credentials?.current())?.authorization).toBe(authorization);
  });

  it("follows token and certificate files as they are replaced", async () => {
    const clock = new VirtualClock();
    await file("token", "one");
    await file("cert", pem("one"));
    await file("key", pem("k"));
    const path = await file(
      "config",
      kubeconfig({ user: "tokenFile: token, client-certificate: cert, client-key: key" }),
    );
    const { credentials } = await load({ kubeconfig: path, clock });
    const first = await credentials?.current();
    expect(await credentials?.current()).toBe(first);
    await file("token", "two");
    await file("cert", pem("two"));
    expect(await credentials?.current()).toBe(first);
    await clock.advance(10_000);
    expect(await credentials?.current()).toEqual({
      authorization: "Bearer two",
      certificate: { cert: pem("two"), key: pem("k") },
    });
    await file("token", "three");
    expect(await credentials?.renew?.((await credentials?.current()) ?? {})).toMatchObject({
      authorization: "Bearer three",
    });
    await rm(join(folder, "token"));
    await clock.advance(10_000);
    expect(await credentials?.current()).toMatchObject({ authorization: "Bearer three" });
  });
});

describe("a kubeconfig that cannot be used", () => {
  it.each<[what: string, text: string, message: string]>([
    ["YAML", "a: [1, 2\nb: 3", "DIR/config: line 2, column 1: "],
    ["no map", "- just\n- a list", "DIR/config: expected a kubeconfig, found a list"],
    [
      "another kind",
      "kind: Pod",
      'DIR/config: line 1: kind: expected Config, found "Pod"; is this a kubeconfig?',
    ],
    ["empty", "", "DIR/config: current-context is not set; set it, or choose a context (it has: none)"],
    [
      "no current context",
      "contexts:\n- name: a\n  context: {}\n- name: b\n  context: {}",
      'DIR/config: current-context is not set; set it, or choose a context (it has: "a", "b")',
    ],
    [
      "unknown context",
      kubeconfig({ current: "nope" }),
      'DIR/config: there is no context "nope"; it has: "one"',
    ],
    [
      "unknown cluster",
      "current-context: a\ncontexts:\n- name: a\n  context: {cluster: gone, user: u}",
      'DIR/config: there is no cluster "gone"; it has: none',
    ],
    [
      "unknown user",
      "current-context: a\ncontexts:\n- name: a\n  context: {cluster: c, user: gone}\nclusters:\n- name: c\n  cluster: {server: 'https://x'}",
      'DIR/config: there is no user "gone"; it has: none',
    ],
    [
      "context without cluster",
      "current-context: a\ncontexts:\n- name: a\n  context: {user: u}",
      'DIR/config: context "a" names no cluster',
    ],
    ["entry without a name", "contexts:\n- context: {}", "DIR/config: line 2: contexts[0].name: is missing"],
    [
      "list for map",
      "clusters:\n- name: a\n  cluster: [1]",
      "DIR/config: line 3: clusters[0].cluster: expected a map, found a list",
    ],
    ["map for list", "contexts: {a: b}", "DIR/config: line 1: contexts: expected a list, found a map"],
    [
      "number for text",
      kubeconfig({ context: ", namespace: 12" }),
      "DIR/config: line 6: contexts[0].context.namespace: expected text, found number 12; put it in quotes",
    ],
    [
      "text for flag",
      kubeconfig({ cluster: ", insecure-skip-tls-verify: maybe" }),
      "DIR/config: line 9: clusters[0].cluster.insecure-skip-tls-verify: expected true or false, found text",
    ],
    [
      "no server",
      "current-context: a\ncontexts:\n- name: a\n  context: {cluster: c}\nclusters:\n- name: c\n  cluster: {}",
      'DIR/config: cluster "c": server is missing',
    ],
    [
      "CA and insecure",
      kubeconfig({ cluster: `, insecure-skip-tls-verify: true, certificate-authority: ca.crt` }),
      'DIR/config: cluster "one": certificate-authority and insecure-skip-tls-verify exclude each other; remove one',
    ],
    [
      "CA that is no PEM",
      kubeconfig({ cluster: `, certificate-authority-data: ${base64("nonsense")}` }),
      'DIR/config: cluster "one": certificate-authority-data: expected base64 of PEM (-----BEGIN ...); the text that it stands for is something else',
    ],
    [
      "certificate without key",
      kubeconfig({ user: "client-certificate: a.crt" }),
      'DIR/config: user "one": client-key is missing: both are needed',
    ],
    [
      "token and password",
      kubeconfig({ user: "token: t, username: u" }),
      'DIR/config: user "one": token and username exclude each other; remove one',
    ],
    [
      "groups without user",
      kubeconfig({ user: "as-groups: [a]" }),
      'DIR/config: user "one": as-uid, as-groups and as-user-extra need as',
    ],
    [
      "a removed provider",
      kubeconfig({ user: "auth-provider: {name: gcp}" }),
      'DIR/config: user "one": auth-provider "gcp" is not supported: such providers were removed from Kubernetes; use the provider\'s exec plug-in',
    ],
    [
      "OIDC without issuer",
      kubeconfig({ user: "auth-provider: {name: oidc, config: {client-id: x}}" }),
      'DIR/config: user "one": auth-provider oidc: idp-issuer-url is missing',
    ],
    [
      "plug-in without command",
      kubeconfig({ user: "exec: {apiVersion: client.authentication.k8s.io/v1}" }),
      'DIR/config: user "one": exec.command is missing',
    ],
    [
      "plug-in of an old version",
      kubeconfig({ user: "exec: {apiVersion: client.authentication.k8s.io/v1alpha1, command: x}" }),
      'DIR/config: user "one": exec.apiVersion: expected client.authentication.k8s.io/v1 or client.authentication.k8s.io/v1beta1, found "client.authentication.k8s.io/v1alpha1"; upgrade the plug-in',
    ],
  ])("says why: %s", async (_what, text, message) => {
    expect(await failure({ kubeconfig: await file("config", text) })).toContain(message);
  });

  it("says which files were looked for", async () => {
    expect(await failure({ kubeconfig: join(folder, "none") })).toBe("kubeconfig DIR/none does not exist");
    const KUBECONFIG = `${folder}/x:${folder}/y`;
    expect(await failure({ environment: { KUBECONFIG } })).toBe(
      "KUBECONFIG names DIR/x, DIR/y, and none of it exists",
    );
    expect(await failure({})).toBe(
      "no cluster to connect to: no kubeconfig was given, KUBECONFIG is not set, this is not a pod, and DIR/.kube/config does not exist",
    );
    await mkdir(join(folder, "folder"));
    expect(await failure({ kubeconfig: join(folder, "folder") })).toMatch(
      /^kubeconfig DIR\/folder cannot be read: EISDIR/,
    );
  });

  it("says that a pod has no token", async () => {
    const environment = { KUBERNETES_SERVICE_HOST: "10.0.0.1", KUBERNETES_SERVICE_PORT: "443" };
    const message = await failure({ environment, serviceAccountFolder: join(folder, "none") });
    expect(message).toMatch(/service account token cannot be read: .*automountServiceAccountToken: false\?$/);
  });
});
