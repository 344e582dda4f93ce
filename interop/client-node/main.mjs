/** @kubernetes/client-node against the embedded server. Prints what `Session.runReporter` reads. */
import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import { inspect } from "node:util";

const k8s = await import(pathToFileURL(process.env.CLIENT_NODE).href);
const config = new k8s.KubeConfig();
config.loadFromDefault();
const core = config.makeApiClient(k8s.CoreV1Api);
const apps = config.makeApiClient(k8s.AppsV1Api);
const extensions = config.makeApiClient(k8s.ApiextensionsV1Api);
const custom = config.makeApiClient(k8s.CustomObjectsApi);
const objects = k8s.KubernetesObjectApi.makeApiClient(config);
const namespace = "node-client";
const withPatch = (type) => k8s.setHeaderOptions("Content-Type", type);

async function claim(text, check) {
  try {
    await check();
    console.log(`ok ${text}`);
  } catch (error) {
    console.log(`not ok ${text}\n${inspect(error, { depth: 4 }).replace(/^/gm, "  ")}`);
  }
}

async function eventually(check) {
  for (let last; ; ) {
    const end = (eventually.end ??= Date.now() + 60_000);
    try {
      const result = await check();
      eventually.end = undefined;
      return result;
    } catch (error) {
      last = error;
    }
    if (Date.now() > end) {
      eventually.end = undefined;
      throw last;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

await claim("reads the version", async () => {
  const version = await config.makeApiClient(k8s.VersionApi).getCode();
  assert.equal(`${version.major}.${version.minor}`, "1.35");
});
await claim("creates a namespace and reads dates as dates", async () => {
  const made = await core.createNamespace({ body: { metadata: { name: namespace } } });
  assert.equal(made.status.phase, "Active");
  assert.ok(made.metadata.creationTimestamp instanceof Date);
});
await claim("creates, reads, replaces and lists config maps", async () => {
  const body = { metadata: { name: "one", labels: { set: "a" } }, data: { a: "1" } };
  const made = await core.createNamespacedConfigMap({ namespace, body });
  await core.replaceNamespacedConfigMap({ namespace, name: "one", body: { ...made, data: { a: "2" } } });
  assert.deepEqual((await core.readNamespacedConfigMap({ namespace, name: "one" })).data, { a: "2" });
  const list = await core.listNamespacedConfigMap({
    namespace,
    labelSelector: "set=a",
    fieldSelector: "metadata.name=one",
  });
  assert.equal(list.items.length, 1);
});
await claim("gets an ApiException with the status of a conflict", async () => {
  const stale = await core.readNamespacedConfigMap({ namespace, name: "one" });
  await core.replaceNamespacedConfigMap({ namespace, name: "one", body: { ...stale, data: { a: "3" } } });
  const error = await core
    .replaceNamespacedConfigMap({ namespace, name: "one", body: stale })
    .catch((e) => e);
  assert.equal(error.code, 409);
  assert.equal(JSON.parse(error.body).reason, "Conflict");
});
await claim("gets a 404 with the status of a missing object", async () => {
  const error = await core.readNamespacedConfigMap({ namespace, name: "none" }).catch((e) => e);
  assert.equal(error.code, 404);
  assert.equal(JSON.parse(error.body).message, 'configmaps "none" not found');
});
await claim("pages through a list", async () => {
  for (let i = 0; i < 7; i++)
    await core.createNamespacedConfigMap({
      namespace,
      body: { metadata: { name: `page-${i}`, labels: { set: "pages" } } },
    });
  const names = [];
  for (let token; token !== ""; ) {
    const page = await core.listNamespacedConfigMap({
      namespace,
      labelSelector: "set=pages",
      limit: 3,
      _continue: token,
    });
    names.push(...page.items.map((item) => item.metadata.name));
    token = page.metadata._continue ?? "";
  }
  assert.deepEqual(names, ["page-0", "page-1", "page-2", "page-3", "page-4", "page-5", "page-6"]);
});
await claim("sends the four kinds of patch", async () => {
  const read = async (body, type) =>
    (
      await core.patchNamespacedConfigMap(
        {
          namespace,
          name: "one",
          body,
          fieldManager: "node",
          force: type === k8s.PatchStrategy.ServerSideApply || undefined,
        },
        withPatch(type),
      )
    ).data;
  assert.deepEqual(await read([{ op: "add", path: "/data/b", value: "1" }], k8s.PatchStrategy.JsonPatch), {
    a: "3",
    b: "1",
  });
  assert.deepEqual(await read({ data: { a: null } }, k8s.PatchStrategy.MergePatch), { b: "1" });
  assert.deepEqual(await read({ data: { c: "1" } }, k8s.PatchStrategy.StrategicMergePatch), {
    b: "1",
    c: "1",
  });
  const applied = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "one" }, data: { d: "1" } };
  assert.deepEqual(await read(applied, k8s.PatchStrategy.ServerSideApply), { b: "1", c: "1", d: "1" });
});
await claim("runs a deployment up to available", async () => {
  const labels = { app: "web" };
  const spec = {
    replicas: 2,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "nginx" }] } },
  };
  await apps.createNamespacedDeployment({ namespace, body: { metadata: { name: "web" }, spec } });
  await eventually(async () =>
    assert.equal(
      (await apps.readNamespacedDeploymentStatus({ namespace, name: "web" })).status.availableReplicas,
      2,
    ),
  );
});
await claim("scales through the scale subresource", async () => {
  const scale = await apps.readNamespacedDeploymentScale({ namespace, name: "web" });
  await apps.replaceNamespacedDeploymentScale({
    namespace,
    name: "web",
    body: { ...scale, spec: { replicas: 3 } },
  });
  await eventually(async () =>
    assert.equal((await apps.readNamespacedDeployment({ namespace, name: "web" })).status.readyReplicas, 3),
  );
});
await claim("watches changes from a revision on", async () => {
  const { metadata } = await core.listNamespacedConfigMap({ namespace });
  const seen = [];
  await new Promise((resolve, reject) => {
    const hear = (type, object) => {
      seen.push(`${type} ${object.metadata.name}`);
      if (type === "DELETED") resolve();
    };
    const done = (error) => (error === null || error?.name === "AbortError" ? resolve() : reject(error));
    new k8s.Watch(config)
      .watch(
        `/api/v1/namespaces/${namespace}/configmaps`,
        { resourceVersion: metadata.resourceVersion },
        hear,
        done,
      )
      .then(async (controller) => {
        await core.createNamespacedConfigMap({ namespace, body: { metadata: { name: "seen" } } });
        await core.deleteNamespacedConfigMap({ namespace, name: "seen" });
        setTimeout(() => controller.abort(), 60_000).unref();
      })
      .catch(reject);
  });
  assert.deepEqual(seen, ["ADDED seen", "DELETED seen"]);
});
await claim("keeps an informer in step", async () => {
  const list = () => core.listNamespacedConfigMap({ namespace });
  const informer = k8s.makeInformer(config, `/api/v1/namespaces/${namespace}/configmaps`, list);
  const heard = [];
  for (const verb of ["add", "update", "delete"])
    informer.on(verb, (object) => heard.push(`${verb} ${object.metadata.name}`));
  const connected = new Promise((resolve) => informer.on("connect", resolve));
  await informer.start();
  await connected;
  await core.createNamespacedConfigMap({ namespace, body: { metadata: { name: "informed" } } });
  await core.deleteNamespacedConfigMap({ namespace, name: "informed" });
  await eventually(async () => assert.ok(heard.includes("delete informed")));
  assert.ok(heard.includes("add page-0") && heard.includes("add informed"));
  await informer.stop();
});
await claim("defines a resource and uses it", async () => {
  const schema = {
    openAPIV3Schema: {
      type: "object",
      properties: { spec: { type: "object", properties: { size: { type: "integer", minimum: 1 } } } },
    },
  };
  const spec = {
    group: "node.example.com",
    scope: "Namespaced",
    names: { kind: "Thing", plural: "things" },
    versions: [{ name: "v1", served: true, storage: true, schema, subresources: { status: {} } }],
  };
  await extensions.createCustomResourceDefinition({
    body: { metadata: { name: "things.node.example.com" }, spec },
  });
  const where = { group: "node.example.com", version: "v1", namespace, plural: "things" };
  const body = {
    apiVersion: "node.example.com/v1",
    kind: "Thing",
    metadata: { name: "a" },
    spec: { size: 1 },
  };
  await eventually(() => custom.createNamespacedCustomObject({ ...where, body }));
  assert.equal((await custom.getNamespacedCustomObject({ ...where, name: "a" })).spec.size, 1);
  const bad = await custom
    .createNamespacedCustomObject({ ...where, body: { ...body, metadata: { name: "b" }, spec: { size: 0 } } })
    .catch((e) => e);
  assert.equal(bad.code, 422);
});
await claim("treats objects of any kind alike", async () => {
  const thing = {
    apiVersion: "node.example.com/v1",
    kind: "Thing",
    metadata: { name: "c", namespace },
    spec: { size: 2 },
  };
  await objects.create(thing);
  const patched = await objects.patch(
    { ...thing, spec: { size: 3 } },
    undefined,
    undefined,
    "node",
    undefined,
    k8s.PatchStrategy.MergePatch,
  );
  assert.equal(patched.spec.size, 3);
  assert.equal((await objects.list("node.example.com/v1", "Thing", namespace)).items.length, 2);
  await objects.delete(thing);
  assert.equal((await objects.read(thing).catch((e) => e)).code, 404);
});
await claim("reviews its own access", async () => {
  const review = await config.makeApiClient(k8s.AuthorizationV1Api).createSelfSubjectAccessReview({
    body: { spec: { resourceAttributes: { verb: "delete", resource: "nodes" } } },
  });
  assert.equal(review.status.allowed, true);
});
await claim("reads logs and runs a command in a pod", async () => {
  const { items } = await core.listNamespacedPod({ namespace, labelSelector: "app=web" });
  const name = items[0].metadata.name;
  await core.readNamespacedPodLog({ namespace, name });
  const { PassThrough } = await import("node:stream");
  const stdout = new PassThrough();
  const text = stdout.setEncoding("utf8").toArray();
  const status = await new Promise((resolve, reject) => {
    new k8s.Exec(config)
      .exec(namespace, name, "web", ["echo", "hello"], stdout, null, null, false, resolve)
      .catch(reject);
  });
  stdout.end();
  assert.equal(status.status, "Success");
  assert.equal((await text).join(""), "hello\n");
});
await claim("deletes a collection and the namespace", async () => {
  await core.deleteCollectionNamespacedConfigMap({ namespace, labelSelector: "set=pages" });
  assert.equal(
    (await core.listNamespacedConfigMap({ namespace, labelSelector: "set=pages" })).items.length,
    0,
  );
  await core.deleteNamespace({ name: namespace });
  await eventually(async () =>
    assert.equal((await core.readNamespace({ name: namespace }).catch((e) => e)).code, 404),
  );
});
console.log("done");
process.exit(0);
