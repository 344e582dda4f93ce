/**
 * What every namespace has from the start: a service account and the certificate of the API server.
 * Source: kubernetes pkg/controller/serviceaccount (serviceaccounts_controller.go), pkg/controller/certificates/rootcacertpublisher.
 */
import { type AnyKind, type DeepReadonly, isAlreadyExists, isNotFound } from "@bowline/api";
import { ConfigMap, Namespace, ServiceAccount } from "@bowline/api/core/v1";
import {
  type ControllerDefinition,
  type CustomSource,
  type ReconcileContext,
  defineController,
  watch,
} from "@bowline/runtime";
import { managerName } from "./control-plane.ts";

type Context = ReconcileContext<Namespace>;

const accountName = "default";
const certificateName = "kube-root-ca.crt";

/** Gives every namespace its ServiceAccount `default`, also after it was deleted. */
export function serviceAccountController(): ControllerDefinition {
  return defineController(Namespace, {
    name: "service-account-controller",
    fieldManager: managerName,
    concurrency: 5,
    watches: [
      watch(ServiceAccount, ({ metadata }) => ({ name: metadata.namespace ?? "" }), {
        predicates: [({ object, type }) => type === "deleted" && object.metadata.name === accountName],
      }),
    ],
    async reconcile(namespace, ctx) {
      const key = { name: accountName, namespace: namespace.metadata.name ?? "" };
      if (namespace.status?.phase === "Terminating" || (await ctx.get(ServiceAccount, key)) !== undefined)
        return;
      await ensure(ServiceAccount, { metadata: key }, ctx);
    },
  });
}

/** Gives every namespace the ConfigMap `kube-root-ca.crt`, and keeps it as it should be. */
export class RootCertificatePublisher {
  readonly #certificate: () => string;
  #enqueue: (request: { readonly name: string }) => void = () => {};
  #namespaces = new Set<string>();

  /** @param certificate PEM text; `""` while there is none */
  constructor(certificate: () => string) {
    this.#certificate = certificate;
  }

  /** The certificate is another one now. */
  changed(): void {
    for (const name of this.#namespaces) this.#enqueue({ name });
  }

  controller(): ControllerDefinition {
    return defineController(Namespace, {
      name: "root-ca-certificate-publisher",
      fieldManager: managerName,
      concurrency: 5,
      watches: [
        watch(ConfigMap, ({ metadata }) => ({ name: metadata.namespace ?? "" }), {
          predicates: [({ object }) => object.metadata.name === certificateName],
        }),
      ],
      sources: [this.#source()],
      gone: ({ name }) => void this.#namespaces.delete(name),
      reconcile: (namespace, ctx) => this.#publish(namespace, ctx),
    });
  }

  #source(): CustomSource {
    return {
      name: "certificate",
      start: ({ enqueue, signal }) => {
        this.#enqueue = enqueue;
        return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
      },
    };
  }

  async #publish(namespace: DeepReadonly<Namespace>, ctx: Context): Promise<void> {
    const { name = "" } = namespace.metadata;
    this.#namespaces.add(name);
    if (namespace.status?.phase === "Terminating") return;
    const data = { "ca.crt": this.#certificate() };
    const key = { name: certificateName, namespace: name };
    const found = await ctx.get(ConfigMap, key);
    if (found === undefined) return ensure(ConfigMap, { metadata: { ...key, annotations }, data }, ctx);
    if (found.data?.["ca.crt"] !== data["ca.crt"]) await ctx.patch(ConfigMap, key, { data });
  }
}

const annotations = {
  "kubernetes.io/description":
    "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.",
};

/** Creates an object without an owner; one that is there, or a namespace that has gone, is no error. */
async function ensure(kind: AnyKind, object: object, ctx: Context): Promise<void> {
  try {
    await ctx.create(kind, object as never, { owner: false });
  } catch (error) {
    if (!isAlreadyExists(error) && !isNotFound(error)) throw error;
  }
}
