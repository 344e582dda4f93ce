import "reflect-metadata";
import { X509Certificate, webcrypto } from "node:crypto";
import https from "node:https";
import { CertificateSigningRequest } from "@bowline/api/certificates/v1";
import type { Transport } from "@bowline/client";
import * as x509 from "@peculiar/x509";
import { beforeAll, describe, expect, it } from "vitest";
import { type World, newWorld } from "./controllers/world.ts";
import { refusal } from "./server/collection.ts";

const path = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
const client = "kubernetes.io/kube-apiserver-client";
const usages = ["client auth", "digital signature"];

interface Asked {
  readonly request: string;
  readonly keyPem: string;
}

/** A signing request for a subject, base64 as the API has it, and its key. */
async function signingRequest(subject: string, hosts: readonly string[] = []): Promise<Asked> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const names = hosts.map((value) => ({ type: "dns" as const, value }));
  const extensions = hosts.length === 0 ? [] : [new x509.SubjectAlternativeNameExtension(names)];
  const request = await x509.Pkcs10CertificateRequestGenerator.create(
    { name: subject, keys, signingAlgorithm: algorithm, extensions },
    webcrypto as never,
  );
  const key = Buffer.from(await webcrypto.subtle.exportKey("pkcs8", keys.privateKey)).toString("base64");
  return {
    request: Buffer.from(request.toString("pem")).toString("base64"),
    keyPem: `-----BEGIN PRIVATE KEY-----\n${key}\n-----END PRIVATE KEY-----\n`,
  };
}

async function create(by: Transport, name: string, spec: object): Promise<CertificateSigningRequest> {
  const body = { metadata: { name }, spec };
  return (await by.request<CertificateSigningRequest>({ method: "POST", path, body })).body;
}

async function approve(by: Transport, name: string, type = "Approved"): Promise<unknown> {
  const { body } = await by.request<CertificateSigningRequest>({ method: "GET", path: `${path}/${name}` });
  const condition = { type, status: "True", reason: "KubectlApprove", message: "by hand" };
  return by.request({
    method: "PUT",
    path: `${path}/${name}/approval`,
    body: { ...body, status: { ...body.status, conditions: [condition] } } as never,
  });
}

describe("Certificate signing requests", () => {
  let jane: Asked;
  beforeAll(async () => {
    jane = await signingRequest("CN=jane,O=devs");
  });

  const signed = (world: World, name: string): Promise<X509Certificate> =>
    world.wait(`${name} is signed`, async () => {
      const { status } = await world.client.get(CertificateSigningRequest, { name });
      return status?.certificate === undefined
        ? false
        : new X509Certificate(Buffer.from(status.certificate, "base64"));
    });

  it("name the one who asks, whatever their body says", async () => {
    const world = await newWorld({ nodes: 0 });
    const by = world.cluster.transport({ user: { name: "ann", groups: ["system:masters", "x"] } });
    const { spec, status } = await create(by, "jane", {
      request: jane.request,
      signerName: client,
      usages,
      username: "root",
    });
    expect(spec).toMatchObject({ username: "ann", groups: ["system:masters", "x", "system:authenticated"] });
    expect(status).toEqual({});
  });

  it("are signed once they are approved, for the subject, the uses and the time that was asked for", async () => {
    const world = await newWorld({ nodes: 0 });
    const admin = world.cluster.transport();
    await create(admin, "jane", {
      request: jane.request,
      signerName: client,
      usages,
      expirationSeconds: 3600,
    });
    await world.pass(5_000);
    const { status } = await world.client.get(CertificateSigningRequest, { name: "jane" });
    expect(status?.certificate).toBeUndefined();
    await approve(admin, "jane");
    const certificate = await signed(world, "jane");
    expect(certificate.subject.split("\n").sort()).toEqual(["CN=jane", "O=devs"]);
    expect(certificate.keyUsage).toEqual(["1.3.6.1.5.5.7.3.2"]);
    expect(certificate.ca).toBe(false);
    const now = world.clock.now();
    expect(Math.abs(Date.parse(certificate.validTo) - (now + 3_600_000))).toBeLessThan(10_000);
    expect(Math.abs(Date.parse(certificate.validFrom) - (now - 300_000))).toBeLessThan(10_000);
  });

  it.each([
    ["with key uses", usages],
    ["without any", ["client auth"]],
  ])("give certificates that the server knows the user by, %s", async (_what, usages) => {
    const world = await newWorld({ nodes: 0 });
    const admin = world.cluster.transport();
    const ours = await signingRequest("CN=jane,O=devs");
    await create(admin, "jane", { request: ours.request, signerName: client, usages });
    await approve(admin, "jane");
    const certificate = await signed(world, "jane");
    const { port, certificateAuthority = "" } = await world.cluster.listen();
    const answer = await new Promise<string>((resolve, reject) => {
      const request = https.request(
        {
          port,
          host: "127.0.0.1",
          path: "/api/v1/pods",
          ca: certificateAuthority,
          cert: certificate.toString(),
          key: ours.keyPem,
          agent: false,
        },
        (response) => {
          let text = "";
          response.on("data", (chunk: Buffer) => (text += chunk.toString()));
          response.on("end", () => resolve(text));
        },
      );
      request.on("error", reject);
      request.end();
    });
    // the server's clock is the virtual one: what counts is who it saw
    expect(answer).toContain('User \\"jane\\" cannot list resource');
  });

  it.each([
    ["client", client, "CN=x", [], ["server auth"], "invalid usage for client certificate: server auth"],
    [
      "client",
      client,
      "CN=x",
      [],
      ["digital signature"],
      "missing required usage for client certificate: client auth",
    ],
    [
      "kubelet client",
      `${client}-kubelet`,
      "CN=system:node:a",
      [],
      usages,
      "subject organization is not system:nodes",
    ],
    [
      "kubelet client",
      `${client}-kubelet`,
      "CN=a,O=system:nodes",
      [],
      usages,
      "subject common name does not begin with system:node:",
    ],
    [
      "kubelet client",
      `${client}-kubelet`,
      "CN=system:node:a,O=system:nodes",
      ["a"],
      usages,
      "DNS subjectAltNames are not allowed",
    ],
    [
      "kubelet client",
      `${client}-kubelet`,
      "CN=system:node:a,O=system:nodes",
      [],
      ["client auth"],
      "usages did not match [client auth digital signature key encipherment]",
    ],
    [
      "kubelet serving",
      "kubernetes.io/kubelet-serving",
      "CN=system:node:a,O=system:nodes",
      [],
      ["server auth", "digital signature"],
      "DNS or IP subjectAltName is required",
    ],
  ])(
    "for %s certificates that break the signer's rules fail: %s %s %j %j",
    async (_kind, signerName, subject, hosts, given, message) => {
      const world = await newWorld({ nodes: 0 });
      const admin = world.cluster.transport();
      const { request } = await signingRequest(subject, hosts);
      await create(admin, "bad", { request, signerName, usages: given });
      await approve(admin, "bad");
      const failed = await world.wait("it failed", async () => {
        const { status } = await world.client.get(CertificateSigningRequest, { name: "bad" });
        return status?.conditions?.find(({ type }) => type === "Failed");
      });
      expect(failed).toMatchObject({ status: "True", reason: "SignerValidationFailure", message });
    },
  );

  it("of kubelets are approved and signed by themselves, with the names that they ask for", async () => {
    const world = await newWorld({ nodes: 0 });
    const node = world.cluster.transport({
      user: { name: "system:node:a", groups: ["system:nodes", "system:masters"] },
    });
    const ours = await signingRequest("CN=system:node:a,O=system:nodes");
    await create(node, "client", { request: ours.request, signerName: `${client}-kubelet`, usages });
    expect((await signed(world, "client")).subject).toContain("CN=system:node:a");
    const serving = await signingRequest("CN=system:node:a,O=system:nodes", ["a.example.com"]);
    await create(node, "serving", {
      request: serving.request,
      signerName: "kubernetes.io/kubelet-serving",
      usages: ["server auth", "digital signature"],
    });
    await approve(world.cluster.transport(), "serving");
    expect((await signed(world, "serving")).subjectAltName).toBe("DNS:a.example.com");
  });

  it("of other signers are left to those", async () => {
    const world = await newWorld({ nodes: 0 });
    const admin = world.cluster.transport();
    await create(admin, "theirs", { request: jane.request, signerName: "example.com/signer", usages });
    await approve(admin, "theirs");
    await world.pass(5_000);
    const { status } = await world.client.get(CertificateSigningRequest, { name: "theirs" });
    expect(status).toEqual({ conditions: [expect.objectContaining({ type: "Approved" })] });
  });

  it("are cleared an hour after the decision, a day after nobody decided", async () => {
    const world = await newWorld({ nodes: 0 });
    const admin = world.cluster.transport();
    for (const name of ["denied", "pending"])
      await create(admin, name, { request: jane.request, signerName: client, usages });
    await approve(admin, "denied", "Denied");
    await world.pass(3_700_000);
    expect(await world.names(CertificateSigningRequest)).toEqual(["pending"]);
    await world.pass(86_400_000);
    expect(await world.names(CertificateSigningRequest)).toEqual([]);
  });

  describe("are guarded by admission", () => {
    const user = { name: "ann", groups: ["devs"] };
    async function allow(world: World, rules: object[]): Promise<Transport> {
      const admin = world.cluster.transport();
      const rbac = "/apis/rbac.authorization.k8s.io/v1";
      const everything = { apiGroups: ["certificates.k8s.io"], resources: ["certificatesigningrequests*"] };
      const endpoints = ["", "/approval", "/status"].map((e) => `certificatesigningrequests${e}`);
      const role = {
        metadata: { name: "csr" },
        rules: [{ ...everything, resources: endpoints, verbs: ["*"] }, ...rules],
      };
      await admin.request({ method: "POST", path: `${rbac}/clusterroles`, body: role as never });
      await admin.request({
        method: "POST",
        path: `${rbac}/clusterrolebindings`,
        body: {
          metadata: { name: "csr" },
          roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "csr" },
          subjects: [{ kind: "User", name: "ann", apiGroup: "rbac.authorization.k8s.io" }],
        },
      });
      return world.cluster.transport({ user });
    }
    const signers = { apiGroups: ["certificates.k8s.io"], resources: ["signers"] };

    it("which lets only those approve who may approve for the signer", async () => {
      const world = await newWorld({ controllers: false });
      const ann = await allow(world, []);
      await create(ann, "jane", { request: jane.request, signerName: client, usages });
      expect((await refusal(approve(ann, "jane"))).message).toBe(
        'certificatesigningrequests.certificates.k8s.io "jane" is forbidden: user not permitted to approve requests with signerName "kubernetes.io/kube-apiserver-client"',
      );
    });

    it.each([[client], ["kubernetes.io/*"]])("to whom %s may be named", async (name) => {
      const world = await newWorld({ controllers: false });
      const ann = await allow(world, [{ ...signers, verbs: ["approve"], resourceNames: [name] }]);
      await create(ann, "jane", { request: jane.request, signerName: client, usages });
      await approve(ann, "jane");
      const issued = await refusal(
        ann.request({
          method: "PATCH",
          path: `${path}/jane/status`,
          headers: { "content-type": "application/merge-patch+json" },
          body: { status: { certificate: Buffer.from("x").toString("base64") } },
        }),
      );
      expect(issued).toMatchObject({ code: 403 });
      expect(issued.message).toContain("user not permitted to sign requests with signerName");
    });

    it("which gives nobody a certificate of the group system:masters", async () => {
      const world = await newWorld({ controllers: false });
      const { request } = await signingRequest("CN=root,O=system:masters");
      const refused = await refusal(
        create(world.cluster.transport(), "root", { request, signerName: client, usages }),
      );
      expect(refused.message).toBe(
        'certificatesigningrequests.certificates.k8s.io "root" is forbidden: use of kubernetes.io/kube-apiserver-client signer with system:masters group is not allowed',
      );
    });
  });
});
