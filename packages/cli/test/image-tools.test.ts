/** Images with the real podman, buildah, skopeo and docker-registry (Debian packages of these names), where they work. */
import { execFile, execFileSync, spawn } from "node:child_process";
import net from "node:net";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ImageConfig, ImageIndex, ImageManifest } from "../src/image/manifest.ts";
import { OciLayout } from "../src/image/oci-layout.ts";
import { CommandLine } from "./command-line.ts";
import { twoPlatformBase } from "./two-platform-base.ts";

const run = promisify(execFile);
const limitMs = 240_000;
const both = "linux/amd64,linux/arm64";

/** Containers need rights that a test often has not; storage in plain folders needs none. */
const shell = new CommandLine();
shell.write(
  "storage.conf",
  `[storage]\ndriver = "vfs"\ngraphroot = "${shell.folder}/storage"\nrunroot = "${shell.folder}/run"\n`,
);
const before = { ...process.env };
Object.assign(process.env, {
  CONTAINERS_STORAGE_CONF: path.join(shell.folder, "storage.conf"),
  STORAGE_DRIVER: "vfs",
  BUILDAH_ISOLATION: "chroot",
  HOME: shell.folder,
});

function works(program: string, ...args: string[]): boolean {
  try {
    execFileSync(program, args, { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

const canLook = works("docker-registry", "--version") && works("skopeo", "--version");
const builders = (["podman", "buildah"] as const).map((name) => ({
  name,
  canBuild: canLook && works(name, "info"),
}));

let host = "";
let stop: () => unknown = () => undefined;
beforeAll(async () => {
  if (!canLook) return;
  ({ host, stop } = await startRegistry());
  const base = twoPlatformBase(path.join(shell.folder, "base"));
  shell.write("package.json", JSON.stringify({ name: "shop", version: "1.2.3" }));
  shell.write("dist/main.js", "console.log('at work');\n");
  await shell.ok("build", "-t", `${host}/base:v1`, "--base", base.folder, "--platform", both);
  await shell.ok("push", `${host}/base:v1`);
}, limitMs);
afterAll(async () => {
  await stop();
  process.env = before;
  shell.remove();
}, limitMs);

describe("the image that bowline has built", () => {
  const image = (): string => `${host}/base:v1`;

  it.skipIf(!canLook)(
    "is what skopeo reads, in the layout as in the registry (skipped without skopeo and docker-registry)",
    async () => {
      const inLayout = await inspect(`oci:${shell.folder}/.bowline/image:${image()}`);
      const inRegistry = await inspect(`docker://${image()}`);
      expect(inRegistry).toMatchObject({ mediaType: "application/vnd.oci.image.index.v1+json" });
      expect(inRegistry).toEqual(inLayout);
    },
    limitMs,
  );

  it.skipIf(!canLook)(
    "is a base again after skopeo has saved it as Docker does (skipped without skopeo and docker-registry)",
    async () => {
      await skopeo(
        "copy",
        "--src-tls-verify=false",
        `docker://${image()}`,
        "docker-archive:saved.tar:base:v1",
      );
      await shell.ok("build", "-t", "r.io/again:v1", "--base", "saved.tar");
      const layout = new OciLayout(path.join(shell.folder, ".bowline/image"));
      const manifest = layout.readJson<ImageManifest>(layout.find("r.io/again:v1") ?? { digest: "" });
      const config = layout.readJson<ImageConfig>(manifest.config);
      expect(config.config?.Entrypoint).toEqual(["/nodejs/bin/node", "dist/main.js"]);
      expect(config.rootfs.diff_ids).toHaveLength(3);
    },
    limitMs,
  );
});

describe("docker-registry", () => {
  it.skipIf(!canLook)(
    "takes blobs once, and lends them to other images (skipped without skopeo and docker-registry)",
    async () => {
      const [one, two] = [`${host}/team/one:v1`, `${host}/team/two:v1`];
      await shell.ok("build", "-t", one, "--base", `${host}/base:v1`, "--platform", both);
      expect(await shell.ok("push", one)).toContain("mounted");
      expect((await shell.ok("push", one)).match(/^exists/gm)?.length).toBeGreaterThan(5);
      await shell.ok("build", "-t", two, "--base", one, "--platform", "linux/arm64");
      expect(await shell.ok("push", two)).toContain("mounted");
    },
    limitMs,
  );
});

describe.each(builders)("$name", ({ name, canBuild }) => {
  it.skipIf(!canBuild)(
    "builds and pushes by the Dockerfile (skipped where it, skopeo or docker-registry is missing)",
    async () => {
      const image = `${host}/by-${name}:v1`;
      shell.write("Dockerfile", `FROM ${host}/base:v1\nCOPY dist/main.js dist/other.js\nUSER 1000\n`);
      expect(await shell.ok("build", "-t", image, "--builder", name)).toContain(
        `${name} build --tls-verify=false`,
      );
      await shell.ok("push", image);
      const manifest = (await inspect(`docker://${image}`)) as ImageManifest;
      const { config } = (await inspect(`docker://${image}`, "--config")) as ImageConfig;
      expect(config).toMatchObject({ User: "1000", Entrypoint: ["/nodejs/bin/node", "dist/main.js"] });
      expect(await namesIn(image, manifest.layers.at(-1)?.digest)).toContain("app/dist/other.js");
    },
    limitMs,
  );

  it.skipIf(!canBuild)(
    "builds for two platforms, twice, and pushes both (skipped where it, skopeo or docker-registry is missing)",
    async () => {
      const image = `${host}/both-by-${name}:v1`;
      shell.write("Dockerfile", `FROM ${host}/base:v1\nCOPY dist/main.js dist/other.js\n`);
      // over an image of one platform, and over a list
      await shell.ok("build", "-t", image, "--builder", name);
      for (let i = 0; i < 2; i++) await shell.ok("build", "-t", image, "--builder", name, "--platform", both);
      await shell.ok("push", image);
      const { manifests } = (await inspect(`docker://${image}`)) as ImageIndex;
      expect(manifests.map((each) => each.platform?.architecture).sort()).toEqual(["amd64", "arm64"]);
    },
    limitMs,
  );
});

async function skopeo(...args: string[]): Promise<string> {
  return (await run("skopeo", args, { cwd: shell.folder })).stdout;
}

/** The manifest as it is stored, or with `--config` the configuration. */
async function inspect(image: string, what = "--raw"): Promise<ImageManifest | ImageIndex | ImageConfig> {
  const plain = image.startsWith("docker:") ? ["--tls-verify=false"] : [];
  return JSON.parse(await skopeo("inspect", what, ...plain, image)) as ImageManifest;
}

async function namesIn(image: string, digest = ""): Promise<string> {
  const repository = image.slice(host.length + 1).replace(/:v1$/, "");
  const answer = await fetch(`http://${host}/v2/${repository}/blobs/${digest}`);
  return gunzipSync(Buffer.from(await answer.arrayBuffer())).toString("latin1");
}

async function startRegistry(): Promise<{ host: string; stop: () => Promise<void> }> {
  const port = await freePort();
  shell.write(
    "registry.yml",
    `version: 0.1\nstorage: {filesystem: {rootdirectory: ${shell.folder}/data}}\nhttp: {addr: "127.0.0.1:${port}"}\n`,
  );
  const child = spawn("docker-registry", ["serve", path.join(shell.folder, "registry.yml")], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  await new Promise<void>((resolve, reject) => {
    child.stderr.on("data", (chunk: Buffer) => {
      if (chunk.toString().includes("listening on")) resolve();
    });
    void ended.then(() => reject(new Error("docker-registry did not start")));
  });
  return {
    host: `127.0.0.1:${port}`,
    stop: () => {
      child.kill();
      return ended;
    },
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = net.createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as net.AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
