import { createHmac } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Status } from "@bowline/api";
import { type Transport, VirtualClock, connectionFromKubeconfig, createHttpTransport } from "@bowline/client";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Cluster, type Listening, createCluster } from "../src/cluster.ts";

interface Answer {
  readonly code: number;
  readonly body: Record<string, unknown> & Status;
}

describe("Authentication", () => {
  const clock = new VirtualClock();
  let cluster: Cluster;
  let server: Listening;
  let admin: Transport;

  beforeEach(async () => {
    cluster = await createCluster({
      controllers: false,
      clock,
      tokens: new Map([["fixed-token", { name: "ci", uid: "7", groups: ["builders"] }]]),
    });
    server = await cluster.listen({ plainHttp: true });
    admin = cluster.transport();
    await admin.request({
      method: "POST",
      path: "/api/v1/namespaces/default/serviceaccounts",
      body: { metadata: { name: "robot" } },
    });
  });
  afterEach(() => cluster.close());

  async function call(path: string, headers: Record<string, string> = {}, body?: object): Promise<Answer> {
    const response = await fetch(`${server.url}${path}`, {
      headers: { ...(body && { "content-type": "application/json" }), ...headers },
      ...(body && { method: "POST", body: JSON.stringify(body) }),
    });
    return { code: response.status, body: (await response.json()) as Answer["body"] };
  }
  const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });

  async function whoAmI(headers: Record<string, string>): Promise<unknown> {
    const { body } = await call("/apis/authentication.k8s.io/v1/selfsubjectreviews", headers, {
      apiVersion: "authentication.k8s.io/v1",
      kind: "SelfSubjectReview",
    });
    return (body as { status: unknown }).status;
  }

  async function token(spec: object = {}): Promise<string> {
    const path = "/api/v1/namespaces/default/serviceaccounts/robot/token";
    const { body } = await admin.request<{ status: { token: string } }>({
      method: "POST",
      path,
      body: { spec },
    });
    return body.status.token;
  }

  it("refuses wrong credentials with 401 before it asks for permissions", async () => {
    const expected = {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: "Unauthorized",
      reason: "Unauthorized",
      code: 401,
    };
    for (const path of ["/api/v1/pods", "/version", "/nothing"]) {
      expect(await call(path, bearer("wrong"))).toEqual({ code: 401, body: expected });
    }
    expect((await call("/api/v1/pods")).body.message).toBe(
      'pods is forbidden: User "system:anonymous" cannot list resource "pods" in API group "" at the cluster scope',
    );
  });

  it("takes fixed tokens", async () => {
    expect(await whoAmI(bearer("fixed-token"))).toEqual({
      userInfo: { username: "ci", uid: "7", groups: ["builders", "system:authenticated"] },
    });
  });

  it("takes tokens of service accounts, with what they are bound to", async () => {
    const { body: account } = await admin.request<{ metadata: { uid: string } }>({
      method: "GET",
      path: "/api/v1/namespaces/default/serviceaccounts/robot",
    });
    expect(await whoAmI(bearer(await token()))).toEqual({
      userInfo: {
        username: "system:serviceaccount:default:robot",
        uid: account.metadata.uid,
        groups: ["system:serviceaccounts", "system:serviceaccounts:default", "system:authenticated"],
        extra: {
          "authentication.kubernetes.io/credential-id": [expect.stringMatching(/^JTI=[-0-9a-f]{36}$/)],
        },
      },
    });
  });

  it("ends a token at its time", async () => {
    const short = await token({ expirationSeconds: 600 });
    await clock.advance(599_000);
    expect((await call("/version", bearer(short))).code).toBe(200);
    await clock.advance(1000);
    expect((await call("/version", bearer(short))).code).toBe(401);
  });

  it("ends a token with its account and with the object that it is bound to", async () => {
    await admin.request({
      method: "POST",
      path: "/api/v1/namespaces/default/secrets",
      body: { metadata: { name: "key" } },
    });
    const bound = await token({ boundObjectRef: { apiVersion: "v1", kind: "Secret", name: "key" } });
    const plain = await token();
    expect((await call("/version", bearer(bound))).code).toBe(200);
    await admin.request({ method: "DELETE", path: "/api/v1/namespaces/default/secrets/key" });
    expect((await call("/version", bearer(bound))).code).toBe(401);
    expect((await call("/version", bearer(plain))).code).toBe(200);
    await admin.request({ method: "DELETE", path: "/api/v1/namespaces/default/serviceaccounts/robot" });
    expect((await call("/version", bearer(plain))).code).toBe(401);
  });

  it("fills secrets that hold a token, which is good until the secret is gone", async () => {
    const path = "/api/v1/namespaces/default/secrets";
    const annotations = { "kubernetes.io/service-account.name": "robot" };
    const secret = { metadata: { name: "t", annotations }, type: "kubernetes.io/service-account-token" };
    const { body } = await admin.request<{ data: { token: string; namespace: string } }>({
      method: "POST",
      path,
      body: secret,
    });
    const held = Buffer.from(body.data.token, "base64").toString();
    expect(Buffer.from(body.data.namespace, "base64").toString()).toBe("default");
    expect(await whoAmI(bearer(held))).toMatchObject({
      userInfo: { username: "system:serviceaccount:default:robot" },
    });
    await admin.request({ method: "DELETE", path: `${path}/t` });
    expect((await call("/version", bearer(held))).code).toBe(401);
  });

  it("refuses tokens that others signed, or that were changed", async () => {
    const good = await token();
    const [head = "", body = "", signature = ""] = good.split(".");
    const claims = JSON.parse(Buffer.from(body, "base64url").toString()) as Record<string, unknown>;
    const changed = Buffer.from(JSON.stringify({ ...claims, sub: "system:admin" })).toString("base64url");
    const none = Buffer.from('{"alg":"none"}').toString("base64url");
    const symmetric = Buffer.from('{"alg":"HS256"}').toString("base64url");
    const mac = createHmac("sha256", "key").update(`${symmetric}.${body}`).digest("base64url");
    for (const bad of [
      `${head}.${changed}.${signature}`,
      `${none}.${body}.`,
      `${symmetric}.${body}.${mac}`,
      `${head}.${body}`,
      `${good}x`,
    ]) {
      expect((await call("/version", bearer(bad))).code, bad).toBe(401);
    }
  });

  it("accepts only tokens made for the server itself", async () => {
    const foreign = await token({ audiences: ["vault"] });
    expect((await call("/version", bearer(foreign))).code).toBe(401);
    const review = async (audiences: string[]): Promise<unknown> => {
      const { body } = await admin.request<{ status: unknown }>({
        method: "POST",
        path: "/apis/authentication.k8s.io/v1/tokenreviews",
        body: { spec: { token: foreign, audiences } },
      });
      return body.status;
    };
    expect(await review(["vault", "other"])).toMatchObject({
      authenticated: true,
      audiences: ["vault"],
      user: { username: "system:serviceaccount:default:robot" },
    });
    expect(await review(["other"])).toEqual({
      user: {},
      error:
        '[invalid bearer token, token audiences ["vault"] is invalid for the target audiences ["other"]]',
    });
  });

  it.each([
    [
      { expirationSeconds: 599 },
      'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes',
    ],
    [
      { boundObjectRef: { apiVersion: "v1", kind: "ConfigMap", name: "x" } },
      "cannot bind token for serviceaccount to object of type /v1, Kind=ConfigMap",
    ],
    [{ boundObjectRef: { apiVersion: "v1", kind: "Pod", name: "x" } }, 'pods "x" not found'],
  ])("refuses a token request %j", async (spec, message) => {
    await expect(token(spec)).rejects.toThrow(message);
  });

  it("publishes how its tokens can be verified", async () => {
    const discovery = await call("/.well-known/openid-configuration", bearer(server.token));
    expect(discovery.body).toEqual({
      issuer: "https://kubernetes.default.svc.cluster.local",
      jwks_uri: "https://kubernetes.default.svc.cluster.local/openid/v1/jwks",
      response_types_supported: ["id_token"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["ES256"],
    });
    const { createLocalJWKSet, jwtVerify } = await import("jose");
    const keys = (await call("/openid/v1/jwks", bearer(server.token))).body as never;
    const { payload } = await jwtVerify(await token(), createLocalJWKSet(keys), {
      currentDate: new Date(clock.now()),
    });
    expect(payload).toMatchObject({
      iss: "https://kubernetes.default.svc.cluster.local",
      aud: ["https://kubernetes.default.svc.cluster.local"],
      sub: "system:serviceaccount:default:robot",
      "kubernetes.io": { namespace: "default", serviceaccount: { name: "robot" } },
    });
  });

  describe("impersonation", () => {
    it("acts as another user with groups, uid and extra", async () => {
      expect(
        await whoAmI({
          ...bearer(server.token),
          "impersonate-user": "jane",
          "impersonate-group": "devs, ops",
          "impersonate-uid": "42",
          "impersonate-extra-scopes": "view",
          "impersonate-extra-acme.com%2fproject": "x",
        }),
      ).toEqual({
        userInfo: {
          username: "jane",
          uid: "42",
          groups: ["devs", "ops", "system:authenticated"],
          extra: { scopes: ["view"], "acme.com/project": ["x"] },
        },
      });
    });

    it("judges the request as the other user", async () => {
      const jane = { ...bearer(server.token), "impersonate-user": "jane" };
      expect((await call("/api/v1/pods", jane)).body.message).toBe(
        'pods is forbidden: User "jane" cannot list resource "pods" in API group "" at the cluster scope',
      );
    });

    it("gives a service account its groups", async () => {
      const headers = { ...bearer(server.token), "impersonate-user": "system:serviceaccount:a:b" };
      expect(await whoAmI(headers)).toEqual({
        userInfo: {
          username: "system:serviceaccount:a:b",
          groups: ["system:serviceaccounts", "system:serviceaccounts:a", "system:authenticated"],
        },
      });
    });

    it.each([
      [
        { "impersonate-user": "jane" },
        'users "jane" is forbidden: User "ci" cannot impersonate resource "users" in API group "" at the cluster scope',
      ],
      [
        { "impersonate-user": "system:serviceaccount:a:b" },
        'serviceaccounts "b" is forbidden: User "ci" cannot impersonate resource "serviceaccounts" in API group "" in the namespace "a"',
      ],
    ])("needs the permission: %j", async (headers, message) => {
      const { code, body } = await call("/version", { ...bearer("fixed-token"), ...headers });
      expect([code, body.message]).toEqual([403, message]);
    });

    it("works in process too", async () => {
      const request = {
        method: "GET",
        path: "/api/v1/pods",
        headers: { "impersonate-user": "jane", "impersonate-group": ["a", "b"] },
      } as const;
      await expect(admin.request(request)).rejects.toThrow('User "jane" cannot list resource "pods"');
    });
  });
});

describe("Client certificates", () => {
  const whoAmI = async (kubeconfig: string): Promise<unknown> => {
    const transport = createHttpTransport(await connectionFromKubeconfig(kubeconfig));
    try {
      const path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
      const { body } = await transport.request<{ status: unknown }>({ method: "POST", path, body: {} });
      return body.status;
    } finally {
      await transport.close();
    }
  };

  it("make the user, and are refused when another authority signed them", async () => {
    const cluster = await createCluster({ controllers: false });
    const other = await createCluster({ controllers: false });
    const server = await cluster.listen();
    const foreign = await other.listen();
    const jane = { name: "jane", groups: ["devs", "ops"] };
    expect(await whoAmI(server.kubeconfigFor(jane))).toEqual({
      userInfo: { username: "jane", groups: ["devs", "ops", "system:authenticated"] },
    });
    const key = /client-certificate-data: .*\n\s+client-key-data: .*/;
    const stranger = key.exec(foreign.kubeconfigFor(jane))?.[0] ?? "";
    await expect(whoAmI(server.kubeconfig.replace(key, stranger))).rejects.toThrow("Unauthorized");
    await Promise.all([cluster.close(), other.close()]);
  });
});

describe("A cluster that keeps its data", () => {
  it("takes tokens from before a restart", async () => {
    const data = await mkdtemp(path.join(tmpdir(), "bowline-tokens-"));
    const start = async (): Promise<Cluster> => createCluster({ controllers: false, data });
    const accounts = "/api/v1/namespaces/default/serviceaccounts";
    const first = await start();
    const admin = first.transport();
    await admin.request({ method: "POST", path: accounts, body: { metadata: { name: "robot" } } });
    const { body } = await admin.request<{ status: { token: string } }>({
      method: "POST",
      path: `${accounts}/robot/token`,
      body: {},
    });
    await first.close();
    const second = await start();
    const review = await second.transport().request<{ status: object }>({
      method: "POST",
      path: "/apis/authentication.k8s.io/v1/tokenreviews",
      body: { spec: { token: body.status.token } },
    });
    expect(review.body.status).toMatchObject({ authenticated: true });
    await second.close();
    await rm(data, { recursive: true, force: true });
  });
});

describe("Audit log", () => {
  it("has one line for each request, with who, what and how it ended", async () => {
    const lines: string[] = [];
    const cluster = await createCluster({
      controllers: false,
      clock: new VirtualClock(),
      audit: (line) => lines.push(line),
    });
    const bob = cluster.transport({ user: { name: "bob", groups: [] }, userAgent: "tool/1" });
    await bob
      .request({ method: "GET", path: "/api/v1/namespaces/a/pods/p", query: { pretty: "1" } })
      .catch(() => {});
    await cluster.transport().request({
      method: "GET",
      path: "/apis/apps/v1/deployments",
      headers: { "impersonate-user": "jane", "impersonate-group": "system:masters" },
    });
    const [first, second] = lines.map((line) => JSON.parse(line) as object);
    expect(lines).toHaveLength(2);
    expect(first).toEqual({
      kind: "Event",
      apiVersion: "audit.k8s.io/v1",
      level: "Metadata",
      auditID: expect.stringMatching(/^[-0-9a-f]{36}$/),
      stage: "ResponseComplete",
      requestURI: "/api/v1/namespaces/a/pods/p?pretty=1",
      verb: "get",
      user: { username: "bob", groups: ["system:authenticated"] },
      userAgent: "tool/1",
      objectRef: { resource: "pods", namespace: "a", name: "p", apiVersion: "v1" },
      responseStatus: { metadata: {}, code: 403 },
      requestReceivedTimestamp: expect.any(String),
      stageTimestamp: expect.any(String),
      annotations: { "authorization.k8s.io/decision": "forbid", "authorization.k8s.io/reason": "" },
    });
    expect(second).toMatchObject({
      user: { username: "kubernetes-admin" },
      impersonatedUser: { username: "jane" },
      responseStatus: { code: 200 },
    });
    await cluster.close();
  });
});
