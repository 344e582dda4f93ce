import { X509Certificate } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { request as httpsRequest } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type DeepReadonly,
  type JsonPatchOperation,
  type KubeObject,
  applyJsonPatch,
  invalid,
} from "@bowline/api";
import { VirtualClock, createClient, seededRandom, settle, systemClock } from "@bowline/client";
import { describe, expect, it } from "vitest";
import {
  checkRoundTrip,
  createCertificateAuthority,
  defineConversion,
  defineWebhook,
  issueCertificate,
  silentLogger,
  webhookConfigurations,
} from "../src/index.ts";
import { Counter, InstrumentRegistry } from "../src/manager/instruments.ts";
import { fileCertificates, selfManagedCertificates } from "../src/webhook/webhook-certificates.ts";
import { WebhookServer } from "../src/webhook/webhook-server.ts";
import { WebhookRouter } from "../src/webhook/webhook-router.ts";
import { Widget, widget } from "./kinds.ts";
import { ScriptedServer } from "./scripted-server.ts";
import { newWorld } from "./world.ts";

const admission = defineWebhook(Widget, {
  default(w) {
    if (w.spec.size !== undefined) return undefined;
    return { ...w, spec: { ...w.spec, size: 1 } };
  },
  validateCreate(w, ctx) {
    if (w.spec.color === "plaid") throw new Error("plaid is out of fashion");
    if ((w.spec.size ?? 0) > 10) {
      const error = {
        type: "Invalid",
        field: "spec.size",
        value: w.spec.size,
        detail: "at most 10",
      } as const;
      throw invalid(Widget, w.metadata.name ?? "", [error as never]);
    }
    if (w.spec.color === "crash") (undefined as never as () => void)();
    if (w.spec.color === "grey") ctx.warn("grey is dull");
    return w.spec.size === 9 ? ["9 is many"] : undefined;
  },
  validateUpdate(w, old) {
    if (w.spec.color !== old.spec.color) throw new Error("the color cannot change");
  },
  validateDelete(w, ctx) {
    if (w.spec.color === "gold" && ctx.user.username !== "admin") throw new Error("gold is kept");
  },
});

const conversion = defineConversion(Widget, {
  hub: "v1",
  spokes: [
    {
      version: "v1beta1",
      toHub: ({ spec }) => ({ spec: { size: (spec as { length: number }).length } }),
      fromHub: ({ spec }) => ({ spec: { length: (spec as { size: number }).size } }),
    },
    {
      version: "v1alpha1",
      toHub: ({ spec }) => ({ spec: { size: Number((spec as { size: string }).size) } }),
      fromHub: ({ spec }) => ({ spec: { size: String((spec as { size: number }).size) } }),
    },
  ],
});

function router() {
  const instruments = new InstrumentRegistry();
  const all = new WebhookRouter([admission, conversion], {
    clock: new VirtualClock(),
    log: silentLogger,
    instruments,
  });
  const post = async (path: string, body: unknown, contentType = "application/json") => {
    const { signal } = new AbortController();
    const text = typeof body === "string" ? body : JSON.stringify(body);
    return all.answer({ path, method: "POST", contentType, body: text, signal });
  };
  const review = async (path: string, request: object) => {
    const body = {
      apiVersion: "admission.k8s.io/v1",
      kind: "AdmissionReview",
      request: { uid: "u", ...request },
    };
    const answer = await post(path, body);
    return JSON.parse(answer.body) as { apiVersion: string; response: Record<string, unknown> };
  };
  return { instruments, all, post, review };
}

const mutate = "/mutate-example-com-v1-widget";
const validate = "/validate-example-com-v1-widget";

describe("Webhooks", () => {
  it("answer a default as the JSON patch from what was sent, leaving unknown fields alone", async () => {
    const { review } = router();
    const object = { ...widget("w"), spec: { fromTheFuture: { x: 1 } }, extra: [1] };
    const { apiVersion, response } = await review(mutate, { operation: "CREATE", object });
    expect(apiVersion).toBe("admission.k8s.io/v1");
    expect(response).toMatchObject({ uid: "u", allowed: true, patchType: "JSONPatch" });
    const patch = JSON.parse(
      Buffer.from(String(response["patch"]), "base64").toString(),
    ) as JsonPatchOperation[];
    expect(patch).toEqual([{ op: "add", path: "/spec/size", value: 1 }]);
    expect(applyJsonPatch(object as never, patch)).toEqual({ ...object, spec: { ...object.spec, size: 1 } });
  });

  it("answer no patch when nothing changes, and default nothing on a delete", async () => {
    const { review } = router();
    const same = await review(mutate, { operation: "CREATE", object: widget("w", { size: 3 }) });
    expect(same.response).toEqual({ uid: "u", allowed: true, status: { code: 200 } });
    const gone = await review(mutate, { operation: "DELETE", object: null, oldObject: widget("w") });
    expect(gone.response).toEqual({ uid: "u", allowed: true, status: { code: 200 } });
  });

  it("refuse with the reason, and pass a Status on as it is", async () => {
    const { review } = router();
    const plain = await review(validate, { operation: "CREATE", object: widget("w", { color: "plaid" }) });
    expect(plain.response).toEqual({
      uid: "u",
      allowed: false,
      status: { code: 403, reason: "Forbidden", message: "plaid is out of fashion" },
    });
    const status = await review(validate, { operation: "CREATE", object: widget("w", { size: 11 }) });
    expect(status.response).toMatchObject({
      allowed: false,
      status: { code: 422, reason: "Invalid", details: { causes: [{ field: "spec.size" }] } },
    });
  });

  it("see the old object on updates and deletes", async () => {
    const { review } = router();
    const [red, blue] = [widget("w", { color: "red" }), widget("w", { color: "blue" })];
    const update = await review(validate, { operation: "UPDATE", object: red, oldObject: blue });
    expect(update.response).toMatchObject({ allowed: false, status: { message: "the color cannot change" } });
    const gold = widget("w", { color: "gold" });
    const request = { operation: "DELETE", object: null, oldObject: gold };
    expect((await review(validate, { ...request, userInfo: { username: "eve" } })).response).toMatchObject({
      allowed: false,
    });
    expect((await review(validate, { ...request, userInfo: { username: "admin" } })).response).toMatchObject({
      allowed: true,
    });
  });

  it("pass warnings on", async () => {
    const { review } = router();
    const answer = await review(validate, {
      operation: "CREATE",
      object: widget("w", { size: 9, color: "grey" }),
    });
    expect(answer.response).toMatchObject({ allowed: true, warnings: ["grey is dull", "9 is many"] });
  });

  it("turn a mistake in the program into a 500, and count it", async () => {
    const { review, instruments } = router();
    const answer = await review(validate, { operation: "CREATE", object: widget("w", { color: "crash" }) });
    expect(answer.response).toMatchObject({ allowed: false, status: { code: 500, reason: "InternalError" } });
    expect(instruments.counter("controller_runtime_webhook_panics_total", "").value).toBe(1);
  });

  it("refuse what is not a review", async () => {
    const { post } = router();
    expect((await post("/nowhere", {})).status).toBe(404);
    expect((await post(mutate, {}, "text/yaml")).status).toBe(415);
    expect((await post(mutate, "{")).status).toBe(400);
    expect((await post(mutate, {})).status).toBe(400);
  });

  it("convert through the hub, keeping the metadata", async () => {
    const { post } = router();
    const object = {
      apiVersion: "example.com/v1beta1",
      kind: "Widget",
      metadata: { name: "w", uid: "1", labels: { a: "b" } },
      spec: { length: 5 },
    };
    const convert = async (desiredAPIVersion: string, objects: object[]) => {
      const body = {
        apiVersion: "apiextensions.k8s.io/v1",
        kind: "ConversionReview",
        request: { uid: "u", desiredAPIVersion, objects },
      };
      const answer = JSON.parse((await post("/convert", body)).body) as {
        response: { result: object; convertedObjects: object[] };
      };
      return answer.response;
    };
    expect(await convert("example.com/v1alpha1", [object])).toEqual({
      uid: "u",
      result: { status: "Success" },
      convertedObjects: [{ ...object, apiVersion: "example.com/v1alpha1", spec: { size: "5" } }],
    });
    expect(await convert("example.com/v2", [object])).toMatchObject({
      result: {
        status: "Failure",
        message: "Widget: no conversion for version v2; there is one for v1, v1beta1, v1alpha1",
      },
    });
  });

  it("leave the spokes alone with what is left of an object without its spec", async () => {
    const { post } = router();
    const part = {
      apiVersion: "example.com/v1beta1",
      kind: "Widget",
      metadata: { name: "w" },
      status: { parts: 1 },
    };
    const request = {
      uid: "u",
      desiredAPIVersion: "example.com/v1alpha1",
      objects: [part, { ...part, spec: null }],
    };
    const body = { apiVersion: "apiextensions.k8s.io/v1", kind: "ConversionReview", request };
    const { response } = JSON.parse((await post("/convert", body)).body) as { response: object };
    const converted = { ...part, apiVersion: "example.com/v1alpha1" };
    expect(response).toMatchObject({ convertedObjects: [converted, { ...converted, spec: null }] });
  });

  it("find in a test what a conversion loses", () => {
    const sample = (spec: object): DeepReadonly<KubeObject> =>
      ({
        apiVersion: "example.com/v1",
        kind: "Widget",
        metadata: { name: "w" },
        spec,
      }) as DeepReadonly<KubeObject>;
    expect(checkRoundTrip(conversion, [sample({ size: 5 })])).toEqual([]);
    const losses = checkRoundTrip(conversion, [sample({ size: 5, color: "red" })]);
    expect(losses.map((loss) => loss.through)).toEqual(["example.com/v1beta1", "example.com/v1alpha1"]);
  });

  it("are declared to the API server as the definitions say", () => {
    const reach = { service: { namespace: "system", name: "webhooks" } };
    const [mutating, validating] = webhookConfigurations([admission], {
      name: "op",
      reach,
      caBundlePem: "PEM",
    });
    expect(mutating).toMatchObject({
      kind: "MutatingWebhookConfiguration",
      metadata: { name: "op-mutating" },
      webhooks: [
        {
          name: "mwidget-v1.example.com",
          clientConfig: { service: { ...reach.service, port: 443, path: mutate }, caBundle: "UEVN" },
          failurePolicy: "Fail",
          sideEffects: "None",
          rules: [
            {
              apiGroups: ["example.com"],
              apiVersions: ["v1"],
              operations: ["CREATE", "UPDATE"],
              resources: ["widgets"],
            },
          ],
        },
      ],
    });
    expect(validating).toMatchObject({
      webhooks: [{ rules: [{ operations: ["CREATE", "UPDATE", "DELETE"] }] }],
    });
  });

  it("are served by a manager over HTTPS with a certificate of its own that the API server is told to trust", async () => {
    const { server, manager } = newWorld();
    server.put("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "widgets.example.com" },
    });
    serveDiscovery(server);
    // certificates are checked against the real time by TLS
    const m = manager([], {
      clock: systemClock,
      webhooks: [admission, conversion],
      webhookServer: { address: "127.0.0.1:0" },
    });
    await m.start();
    const [configuration] = server.all("mutatingwebhookconfigurations") as unknown as [
      { webhooks: [{ clientConfig: { url: string; caBundle: string } }] },
    ];
    const { url, caBundle } = configuration.webhooks[0].clientConfig;
    const ca = Buffer.from(caBundle, "base64").toString();
    const body = {
      apiVersion: "admission.k8s.io/v1",
      kind: "AdmissionReview",
      request: { uid: "u", operation: "CREATE", object: widget("w") },
    };
    const answer = await post(url, ca, JSON.stringify(body));
    expect(JSON.parse(answer)).toMatchObject({
      response: { uid: "u", allowed: true, patchType: "JSONPatch" },
    });
    expect(server.all("customresourcedefinitions")[0]).toMatchObject({
      spec: { conversion: { strategy: "Webhook" } },
    });
    await m.stop();
    // a process that goes away must not leave the cluster waiting for it
    expect(server.all("mutatingwebhookconfigurations")).toEqual([]);
  });
});

describe("The webhook server", () => {
  it("does not run where webhooks are switched off", async () => {
    const { server, manager } = newWorld();
    for (const options of [{ webhooks: false as const }, { webhooks: [admission] }]) {
      process.env["ENABLE_WEBHOOKS"] = "false";
      const m = manager([], { ...options, webhookServer: { address: "127.0.0.1:0" } });
      await m.start();
      expect(m.ports.webhooks).toBeUndefined();
      await m.stop();
      delete process.env["ENABLE_WEBHOOKS"];
    }
    expect(server.requests).toEqual([]);
  });

  it("serves only clients with a certificate of the authority given", async () => {
    const now = systemClock.now();
    const random = (count: number): Uint8Array => seededRandom(7).bytes(count);
    const life = { notBefore: now - 1000, notAfter: now + 86_400_000, random };
    const authority = createCertificateAuthority({ commonName: "ca", ...life });
    const server = issueCertificate(authority, {
      commonName: "s",
      hosts: ["127.0.0.1"],
      usages: ["serverAuth"],
      ...life,
    });
    const client = issueCertificate(authority, { commonName: "c", usages: ["clientAuth"], ...life });
    const { all } = router();
    const ca = authority.certificatePem;
    const webhooks = new WebhookServer({ router: all, address: "127.0.0.1:0", clientCaPem: ca });
    await webhooks.start(server);
    const url = `https://127.0.0.1:${webhooks.port}${mutate}`;
    const request = { uid: "u", operation: "CREATE", object: widget("w") };
    const body = JSON.stringify({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request });
    const pair = { cert: client.certificatePem, key: client.keyPem };
    expect(JSON.parse(await post(url, ca, body, pair))).toMatchObject({ response: { allowed: true } });
    await expect(post(url, ca, body)).rejects.toThrow();
    await webhooks.stop();
  });
});

describe("Webhook certificates", () => {
  const ports = () => {
    const server = new ScriptedServer();
    const clock = new VirtualClock();
    return {
      server,
      clock,
      client: createClient({ transport: server, clock }),
      random: seededRandom(1),
      log: silentLogger,
    };
  };

  it("are shared by replicas through a Secret and renewed after two thirds of their life", async () => {
    const { server, ...base } = ports();
    const options = {
      ...base,
      hosts: ["webhooks.system.svc"],
      secret: { namespace: "default", name: "cert" },
    };
    const [a, b] = [selfManagedCertificates(options), selfManagedCertificates(options)];
    const [first, other] = await Promise.all([a.load(), b.load()]);
    expect(first).toEqual(other);
    const certificate = new X509Certificate(first.server.certificatePem);
    expect(certificate.checkHost("webhooks.system.svc")).toBe("webhooks.system.svc");
    expect(certificate.verify(new X509Certificate(first.caBundlePem).publicKey)).toBe(true);
    let next = first;
    const watching = a.watch(async (renewed) => void (next = renewed));
    await base.clock.advance(59 * 86_400_000);
    expect(next).toBe(first);
    await base.clock.advance(2 * 86_400_000);
    expect(next.server.certificatePem).not.toBe(first.server.certificatePem);
    expect(next.caBundlePem).toBe(first.caBundlePem);
    expect(server.all("secrets")).toHaveLength(1);
    watching.stop();
  }, 60_000);

  it("keep trusting the former authority when a new one takes over", async () => {
    const { server: _, ...base } = ports();
    const source = selfManagedCertificates({ ...base, hosts: ["x"] });
    const first = await source.load();
    await base.clock.advance(2500 * 86_400_000);
    const next = await source.load();
    expect(next.caBundlePem).toContain(first.caBundlePem);
    expect(next.caBundlePem).not.toBe(first.caBundlePem);
  });

  it("from files are taken over when their bytes change, and stay in use when they cannot be read", async () => {
    const directory = await mkdtemp(join(tmpdir(), "certificates-"));
    const { clock, log, random } = ports();
    const write = async (name: string): Promise<void> => {
      const life = {
        notBefore: clock.now(),
        notAfter: clock.now() + 86_400_000,
        random: (n: number) => random.bytes(n),
      };
      const authority = createCertificateAuthority({ commonName: "ca", ...life });
      const pair = issueCertificate(authority, {
        commonName: name,
        hosts: [name],
        usages: ["serverAuth"],
        ...life,
      });
      await writeFile(join(directory, "tls.crt"), pair.certificatePem);
      await writeFile(join(directory, "tls.key"), pair.keyPem);
    };
    await write("one");
    const [reads, readErrors] = [new Counter(), new Counter()];
    const files = { certificate: join(directory, "tls.crt"), key: join(directory, "tls.key") };
    const source = fileCertificates(files, { clock, log, reads, readErrors });
    const subjects = [new X509Certificate((await source.load()).server.certificatePem).subject];
    const watching = source.watch(async (next) => {
      subjects.push(new X509Certificate(next.server.certificatePem).subject);
    });
    const poll = async (count: () => number): Promise<void> => {
      const before = count();
      await clock.advance(10_000);
      for (let i = 0; i < 10_000 && count() === before; i++) await settle();
      await settle();
    };
    await poll(() => reads.value);
    await write("two");
    await poll(() => subjects.length);
    expect(subjects).toEqual(["CN=one", "CN=two"]);
    await rm(files.key);
    await poll(() => readErrors.value);
    expect([subjects.length, readErrors.value]).toEqual([2, 1]);
    watching.stop();
    await rm(directory, { recursive: true });
  });
});

/** Enough discovery for the kinds that registration writes. */
function serveDiscovery(server: ScriptedServer): void {
  const request = server.request.bind(server);
  const answers: Record<string, unknown> = {
    "/apis/admissionregistration.k8s.io/v1": resources("admissionregistration.k8s.io/v1", [
      ["mutatingwebhookconfigurations", "MutatingWebhookConfiguration"],
      ["validatingwebhookconfigurations", "ValidatingWebhookConfiguration"],
    ]),
    "/apis/apiextensions.k8s.io/v1": resources("apiextensions.k8s.io/v1", [
      ["customresourcedefinitions", "CustomResourceDefinition"],
    ]),
    "/apis": {
      kind: "APIGroupList",
      apiVersion: "v1",
      groups: ["admissionregistration.k8s.io", "apiextensions.k8s.io"].map((name) => {
        const version = { groupVersion: `${name}/v1`, version: "v1" };
        return { name, versions: [version], preferredVersion: version };
      }),
    },
    "/api": { kind: "APIVersions", versions: ["v1"] },
    "/api/v1": resources("v1", []),
  };
  server.request = (async (r: Parameters<ScriptedServer["request"]>[0]) => {
    const body = answers[r.path];
    if (body === undefined || r.method !== "GET") return request(r);
    return { status: 200, headers: { "content-type": "application/json" }, warnings: [], body };
  }) as ScriptedServer["request"];
}

function resources(groupVersion: string, list: readonly (readonly [string, string])[]): object {
  const verbs = ["create", "delete", "get", "list", "patch", "update", "watch"];
  return {
    kind: "APIResourceList",
    apiVersion: "v1",
    groupVersion,
    resources: list.map(([name, kind]) => ({
      name,
      singularName: kind.toLowerCase(),
      kind,
      namespaced: false,
      verbs,
    })),
  };
}

function post(
  url: string,
  ca: string,
  body: string,
  pair: { cert?: string; key?: string } = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const outgoing = httpsRequest(
      url,
      { method: "POST", ca, ...pair, headers: { "content-type": "application/json" } },
      (response) => {
        let text = "";
        response.on("data", (chunk) => (text += String(chunk)));
        response.on("end", () => resolve(text));
      },
    );
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}
