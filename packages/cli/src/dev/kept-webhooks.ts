/** The webhooks of a deployed operator, set aside while another process serves them, and put back. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { DeepReadonly, JsonObject, KubeObject } from "@bowline/api";
import { CustomResourceDefinition } from "@bowline/api/apiextensions/v1";
import type { Client } from "@bowline/client";
import { type OperatorDefinition, webhookConfigurations } from "@bowline/runtime";
import { admissionsOf, conversionsOf } from "../manifests/model.ts";

type Found = DeepReadonly<KubeObject> & {
  readonly webhooks?: readonly { readonly clientConfig: { readonly url?: string } }[];
};

/** As it was; null: there was none. */
interface Kept {
  /** By kind and name: `MutatingWebhookConfiguration/shop-mutating`. */
  readonly configurations: Record<string, KubeObject | null>;
  /** `spec.conversion` by the definition's name. */
  readonly conversions: Record<string, JsonObject | null>;
}

export interface KeptWebhooksOptions {
  readonly client: Client;
  /** Holds what was there until it is put back, so that a killed process loses nothing: the next one in the same cluster puts it back. */
  readonly file: string;
}

export class KeptWebhooks {
  readonly #options: KeptWebhooksOptions;
  readonly #kept: Kept;
  /** What this process has set aside itself. */
  readonly #looked = new Set<string>();

  constructor(options: KeptWebhooksOptions) {
    this.#options = options;
    this.#kept = readKept(options) ?? { configurations: {}, conversions: {} };
  }

  /** Sets aside what the webhooks of this operator take the place of. What was set aside before is not looked at again. */
  async setAside(operator: OperatorDefinition): Promise<void> {
    const { client } = this.#options;
    const { configurations, conversions } = this.#kept;
    const reach = { url: "https://localhost" };
    const manifests = webhookConfigurations(admissionsOf(operator), {
      ...{ name: operator.name, reach, caBundlePem: "" },
    });
    for (const { apiVersion, kind, metadata } of manifests) {
      const id = `${kind}/${metadata.name}`;
      if (this.#looked.has(id)) continue;
      this.#looked.add(id);
      const found = (await client.find({ apiVersion, kind } as never, metadata as never)) as
        | Found
        | undefined;
      // with a URL it is what a killed process has left: what was there before that is in the file
      const isLeft = id in configurations && found?.webhooks?.[0]?.clientConfig.url !== undefined;
      if (!isLeft && (found !== undefined || !(id in configurations)))
        configurations[id] = found === undefined ? null : withoutServerFields(found);
      this.#write();
      // not written over: what another program manages in it, such as its certificate authority, must not come back meanwhile
      if (found !== undefined) await client.delete({ apiVersion, kind } as never, metadata as never);
    }
    for (const { kind } of conversionsOf(operator)) {
      const name = `${kind.plural}.${kind.group}`;
      if (name in conversions) continue;
      const definition = await client.find(CustomResourceDefinition, { name });
      conversions[name] = (definition?.spec.conversion as JsonObject | undefined) ?? null;
      this.#write();
    }
  }

  /** Call when the webhooks of this process are gone. */
  async putBack(): Promise<void> {
    const { client, file } = this.#options;
    for (const [id, before] of Object.entries(this.#kept.configurations)) {
      const [kind = "", name = ""] = id.split("/");
      const about = { apiVersion: "admissionregistration.k8s.io/v1", kind } as never;
      const now = await client.find(about, { name } as never);
      if (now !== undefined) await client.delete(about, { name } as never);
      if (before !== null) await client.create(about, before as never);
    }
    for (const [name, before] of Object.entries(this.#kept.conversions)) {
      if ((await client.find(CustomResourceDefinition, { name })) === undefined) continue;
      const conversion = before ?? { strategy: "None" };
      const json = [{ op: "add" as const, path: "/spec/conversion", value: conversion }];
      await client.patch(CustomResourceDefinition, { name }, { json } as never);
    }
    rmSync(file, { force: true });
  }

  #write(): void {
    const { file } = this.#options;
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, `${JSON.stringify(this.#kept, undefined, 2)}\n`, { mode: 0o600 });
  }
}

/** What a process that was killed has left. */
function readKept({ file }: KeptWebhooksOptions): Kept | undefined {
  if (!existsSync(file)) return undefined;
  return JSON.parse(readFileSync(file, "utf8")) as Kept;
}

/** As it can be created again. */
function withoutServerFields(object: DeepReadonly<KubeObject>): KubeObject {
  const { name = "", labels, annotations, ownerReferences, finalizers } = object.metadata;
  const metadata = { name, labels, annotations, ownerReferences, finalizers };
  return JSON.parse(JSON.stringify({ ...object, metadata })) as KubeObject;
}
