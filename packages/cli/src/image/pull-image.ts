/** Reads images out of a registry. */
import type { Readable } from "node:stream";
import { CommandError } from "../errors.ts";
import type { ImageReference } from "./image-reference.ts";
import {
  type Descriptor,
  type ImageIndex,
  type ImageManifest,
  isIndex,
  isManifest,
  mediaTypes,
} from "./manifest.ts";
import { digestOf } from "./oci-layout.ts";
import { type RegistryAccess, RegistryClient } from "./registry-client.ts";

export interface PulledImage {
  readonly manifest: ImageManifest;
  readonly digest: string;
  /** The bytes of one of its blobs; whoever takes them checks them. */
  fetchBlob(blob: Descriptor): AsyncIterable<Buffer>;
}

const accepted = [mediaTypes.index, mediaTypes.manifest, mediaTypes.dockerList, mediaTypes.dockerManifest];

/**
 * @param choose which images of an index are wanted; not called for a reference to a single image
 * @throws CommandError when there is no such image
 */
export async function pullImage(
  reference: ImageReference,
  access: RegistryAccess,
  choose: (manifests: readonly Descriptor[]) => readonly Descriptor[],
): Promise<PulledImage[]> {
  const client = new RegistryClient(reference, access, "pull");
  const read = async (name: string): Promise<{ document: object; mediaType: string; digest: string }> => {
    const { bytes, mediaType } = await client.getDocument(client.path(`manifests/${name}`), accepted);
    const digest = digestOf(bytes);
    if (name.startsWith("sha256:") && name !== digest) {
      throw new CommandError(`${reference.registry} answers with ${digest} when asked for ${name}`);
    }
    const document = JSON.parse(bytes.toString("utf8")) as { mediaType?: string };
    return { document, digest, mediaType: document.mediaType ?? mediaType };
  };
  const fetchBlob = (blob: Descriptor): AsyncIterable<Buffer> => blobOf(client, blob);
  const image = (found: Awaited<ReturnType<typeof read>>): PulledImage => {
    if (!isManifest(found.mediaType)) {
      throw new CommandError(
        `${reference.text} is not an image but ${found.mediaType || "an unknown document"}`,
      );
    }
    return { manifest: found.document as ImageManifest, digest: found.digest, fetchBlob };
  };
  const top = await read(reference.digest ?? reference.tag ?? "latest");
  if (!isIndex(top.mediaType)) return [image(top)];
  const wanted = choose((top.document as ImageIndex).manifests);
  return Promise.all(wanted.map(async ({ digest }) => image(await read(digest))));
}

async function* blobOf(client: RegistryClient, { digest }: Descriptor): AsyncGenerator<Buffer> {
  const answer = await client.send({ method: "GET", target: client.path(`blobs/${digest}`) });
  if (answer.status !== 200) throw await client.refusal(`read the blob ${digest}`, answer);
  yield* answer.body as Readable as AsyncIterable<Buffer>;
}
