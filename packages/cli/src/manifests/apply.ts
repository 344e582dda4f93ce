/** Brings manifests into a cluster, and out of it again. */
import { isCrdConditionTrue, isNotFound } from "@bowline/api";
import { CustomResourceDefinition } from "@bowline/api/apiextensions/v1";
import { type Client, isNoKindMatch } from "@bowline/client";
import { waitFor } from "@bowline/testing";
import type { Output } from "../output/output.ts";
import type { Manifest } from "./model.ts";

/** Applies in the order given; waits until CustomResourceDefinitions are served. @throws StatusError as the server sends it */
export async function applyManifests(
  client: Client,
  manifests: readonly Manifest[],
  output: Output,
): Promise<void> {
  for (const manifest of manifests) {
    const before = await findManifest(client, manifest);
    const after = await client.apply(manifest, manifest as never, { force: true });
    const outcome =
      before === undefined
        ? "created"
        : before.metadata.resourceVersion === after.metadata.resourceVersion
          ? "unchanged"
          : "configured";
    output.write(`${titleOf(manifest)} ${outcome}\n`);
    if (manifest.kind === "CustomResourceDefinition") await established(client, manifest.metadata.name ?? "");
  }
}

async function findManifest(client: Client, manifest: Manifest): Promise<Manifest | undefined> {
  return (await client.find(manifest, manifest.metadata as never)) as unknown as Manifest | undefined;
}

async function established(client: Client, name: string): Promise<void> {
  await waitFor(client, CustomResourceDefinition, name, {
    until: (crd) => crd !== undefined && isCrdConditionTrue(crd as never, "Established"),
    what: "be Established",
  });
}

/** Deletes in the reverse order; what is gone already is no error. */
export async function deleteManifests(
  client: Client,
  manifests: readonly Manifest[],
  output: Output,
): Promise<void> {
  for (const manifest of manifests.toReversed()) {
    try {
      await client.delete(manifest, manifest.metadata as never);
      output.write(`${titleOf(manifest)} deleted\n`);
    } catch (error) {
      if (!isNotFound(error) && !isNoKindMatch(error)) throw error;
      output.write(`${titleOf(manifest)} was not there\n`);
    }
  }
}

/** Takes the conversion webhook out of definitions that stay: nobody answers it any more. */
export async function stopConversions(
  client: Client,
  manifests: readonly Manifest[],
  output: Output,
): Promise<void> {
  for (const manifest of manifests) {
    const name = manifest.metadata.name ?? "";
    const crd = await client.find(CustomResourceDefinition, { name });
    if (crd?.spec.conversion?.strategy !== "Webhook") continue;
    const merge = { spec: { conversion: { strategy: "None", webhook: null } } };
    await client.patch(CustomResourceDefinition, { name }, { merge } as never);
    output.write(`${titleOf(manifest)} converts no more\n`);
  }
}

/** `deployment shop-system/shop-controller-manager`. */
export function titleOf({ kind, metadata: { namespace, name } }: Manifest): string {
  return `${kind.toLowerCase()} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
}
