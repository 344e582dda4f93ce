/** A base image for two platforms, in a layout of its own. Its layers are real ones, which tools unpack and check. */
import { gzipSync } from "node:zlib";
import type { Descriptor, ImageConfig } from "../src/image/manifest.ts";
import { mediaTypes } from "../src/image/manifest.ts";
import { OciLayout, digestOf } from "../src/image/oci-layout.ts";
import { tarArchive } from "../src/image/tar.ts";

export function twoPlatformBase(folder: string): OciLayout {
  const layout = new OciLayout(folder);
  const manifests = ["amd64", "arm64"].map((architecture): Descriptor => {
    const content = Buffer.from(architecture);
    const files = [{ path: "etc/arch", type: "file", mode: 0o644, content }] as const;
    const archive = Buffer.concat([...tarArchive(files)]);
    const layer = layout.writeBlob("application/vnd.docker.image.rootfs.diff.tar.gzip", gzipSync(archive));
    const config: ImageConfig = {
      os: "linux",
      architecture,
      config: { Entrypoint: ["/nodejs/bin/node"], User: "0", Env: ["A=b"], Labels: { base: "yes" } },
      rootfs: { type: "layers", diff_ids: [digestOf(archive)] },
    };
    const manifest = {
      schemaVersion: 2,
      config: layout.writeJson(mediaTypes.config, config),
      layers: [layer],
    };
    return { ...layout.writeJson(mediaTypes.manifest, manifest), platform: { os: "linux", architecture } };
  });
  layout.setName("base", layout.writeJson(mediaTypes.index, { schemaVersion: 2, manifests }));
  return layout;
}
