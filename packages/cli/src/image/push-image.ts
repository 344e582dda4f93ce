/** Sends an image of a layout to a registry. */
import { CommandError } from "../errors.ts";
import { parseImageReference, type ImageReference } from "./image-reference.ts";
import { type Descriptor, type ImageIndex, type ImageManifest, isIndex } from "./manifest.ts";
import type { OciLayout } from "./oci-layout.ts";
import { type RegistryAccess, type RegistryAnswer, RegistryClient } from "./registry-client.ts";

/** Larger blobs go in pieces of this size, so that a broken connection costs only one of them. */
const chunkBytes = 16 * 1024 * 1024;
/** How often one blob is begun. */
const uploadsMax = 3;
const baseName = "org.opencontainers.image.base.name";

/**
 * Blobs first, then the manifests that name them, the one with the tag last: a reader never sees half an image.
 * @throws CommandError as the registry refuses it
 */
export async function pushImage(
  reference: ImageReference,
  image: Descriptor,
  layout: OciLayout,
  access: RegistryAccess,
): Promise<void> {
  const client = new RegistryClient(reference, access, "pull,push");
  const manifests = isIndex(image.mediaType) ? layout.readJson<ImageIndex>(image).manifests : [image];
  for (const each of manifests) {
    const manifest = layout.readJson<ImageManifest>(each);
    const from = mountSource(reference, manifest);
    for (const blob of [...manifest.layers, manifest.config]) {
      const outcome = await pushBlob(client, blob, { layout, from, access });
      access.output.write(`${outcome.padEnd(9)} ${blob.digest.slice(0, 19)} ${blob.size} bytes\n`);
    }
    if (each !== image) await pushManifest(client, each, each.digest, layout);
  }
  await pushManifest(client, image, reference.tag ?? image.digest, layout);
}

/** A base of the same registry lends its layers. */
function mountSource(target: ImageReference, { annotations }: ImageManifest): string | undefined {
  const name = annotations?.[baseName];
  if (name === undefined) return undefined;
  const base = parseImageReference(name);
  return base.registry === target.registry && base.repository !== target.repository
    ? base.repository
    : undefined;
}

async function pushBlob(
  client: RegistryClient,
  blob: Descriptor,
  { layout, from, access }: { layout: OciLayout; from: string | undefined; access: RegistryAccess },
): Promise<"exists" | "mounted" | "pushed"> {
  const head = await client.send({ method: "HEAD", target: client.path(`blobs/${blob.digest}`) });
  head.body.resume();
  if (head.status === 200) return "exists";
  if (!layout.has(blob)) {
    throw new CommandError(
      `the image layout ${layout.folder} has no blob ${blob.digest}: build the image again`,
    );
  }
  const mount = from === undefined ? "" : `?mount=${blob.digest}&from=${encodeURIComponent(from)}`;
  for (let attempt = 1; ; attempt++) {
    const started = await client.send({
      method: "POST",
      target: client.path(`blobs/uploads/${mount}`),
      headers: { "content-length": "0" },
    });
    if (started.status === 201) {
      started.body.resume();
      return "mounted";
    }
    if (started.status !== 202) throw await client.refusal("start an upload", started);
    started.body.resume();
    const uploaded = await uploadChunks(client, blob, layout, locationOf(started), access);
    // after a broken connection the registry may have got more than it is known to have: it is begun again
    if (uploaded instanceof URL) {
      await finishUpload(client, blob, uploaded);
      return "pushed";
    }
    const isOutOfStep = [404, 416].includes(uploaded.status);
    if (!isOutOfStep || attempt === uploadsMax) throw await client.refusal(`upload ${blob.digest}`, uploaded);
    uploaded.body.resume();
  }
}

async function finishUpload(client: RegistryClient, blob: Descriptor, location: URL): Promise<void> {
  location.searchParams.set("digest", blob.digest);
  const headers = { "content-length": "0" };
  const finished = await client.send({ method: "PUT", target: location.href, headers });
  if (finished.status !== 201) throw await client.refusal(`finish the upload of ${blob.digest}`, finished);
  finished.body.resume();
}

/** @returns where the upload is to be finished, or what the registry answered instead */
async function uploadChunks(
  client: RegistryClient,
  blob: Descriptor,
  layout: OciLayout,
  start: URL,
  access: RegistryAccess,
): Promise<URL | RegistryAnswer> {
  let location = start;
  for (let offset = 0; offset < blob.size; offset += chunkBytes) {
    const end = Math.min(offset + chunkBytes, blob.size);
    const answer = await client.send({
      method: "PATCH",
      target: location.href,
      headers: {
        "content-type": "application/octet-stream",
        "content-length": String(end - offset),
        "content-range": `${offset}-${end - 1}`,
      },
      body: () => layout.openBlob(blob, { start: offset, end }),
    });
    if (answer.status !== 202) return answer;
    answer.body.resume();
    location = locationOf(answer);
    if (blob.size > chunkBytes) {
      access.output.write(`pushing   ${blob.digest.slice(0, 19)} ${end} of ${blob.size} bytes\n`);
    }
  }
  return location;
}

function locationOf({ headers: { location }, url }: RegistryAnswer): URL {
  if (location === undefined) throw new CommandError(`${url.host} does not say where an upload goes on`);
  return new URL(location, url);
}

async function pushManifest(
  client: RegistryClient,
  manifest: Descriptor,
  name: string,
  layout: OciLayout,
): Promise<void> {
  const bytes = layout.readBlob(manifest);
  const answer = await client.send({
    method: "PUT",
    target: client.path(`manifests/${name}`),
    headers: { "content-type": manifest.mediaType, "content-length": String(bytes.length) },
    body: () => bytes,
  });
  if (answer.status !== 201) throw await client.refusal(`write the manifest ${name}`, answer);
  answer.body.resume();
}
