import { execFileSync } from "node:child_process";
import { chmodSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Descriptor, ImageConfig, ImageIndex, ImageManifest } from "../src/image/manifest.ts";
import { mediaTypes } from "../src/image/manifest.ts";
import { OciLayout, digestOf } from "../src/image/oci-layout.ts";
import { tarArchive, tarFiles } from "../src/image/tar.ts";
import { CommandLine } from "./command-line.ts";
import { temporaryFolder } from "./dev-process.ts";
import { ImageRegistry } from "./image-registry.ts";
import { twoPlatformBase } from "./two-platform-base.ts";

let shell: CommandLine;
const closing: (() => unknown)[] = [];
const environment = { ...process.env };

beforeEach(() => {
  shell = newProject();
  process.env["DOCKER_CONFIG"] = path.join(shell.folder, "docker");
  process.env["HOME"] = shell.folder;
  delete process.env["XDG_RUNTIME_DIR"];
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  process.env = { ...environment };
  shell.remove();
});

/** A compiled project with one package that it needs and one that it does not. */
function newProject(): CommandLine {
  const line = new CommandLine();
  const manifest = {
    name: "shop",
    version: "1.2.3",
    dependencies: { needed: "1" },
    devDependencies: { dev: "1" },
  };
  line.write("package.json", JSON.stringify(manifest));
  line.write("dist/main.js", "import 'needed';\n");
  line.write("dist/main.test.js", "not wanted\n");
  line.write("node_modules/needed/package.json", `{"name":"needed"}`);
  line.write("node_modules/needed/index.js", "export {};\n");
  line.write("node_modules/dev/package.json", `{"name":"dev"}`);
  const files = [
    { path: "usr/local/bin/node", type: "file", mode: 0o755, content: Buffer.from("node") },
  ] as const;
  writeFileSync(path.join(line.folder, "base.tar"), Buffer.concat([...tarArchive(files)]));
  return line;
}

const layoutOf = (line: CommandLine): OciLayout => new OciLayout(path.join(line.folder, ".bowline/image"));

function built(name: string): { manifest: ImageManifest; config: ImageConfig } {
  const layout = layoutOf(shell);
  const manifest = layout.readJson<ImageManifest>(layout.find(name) as Descriptor);
  return { manifest, config: layout.readJson<ImageConfig>(manifest.config) };
}

async function registry(
  options: ConstructorParameters<typeof ImageRegistry>[0] = {},
): Promise<ImageRegistry> {
  const started = await ImageRegistry.start(options);
  closing.push(() => started.stop());
  return started;
}

const logIn = (host: string, password: string): void => {
  const auth = Buffer.from(`ada:${password}`).toString("base64");
  shell.write("docker/config.json", JSON.stringify({ auths: { [host]: { auth } } }));
};

function twoPlatforms(): OciLayout {
  const { folder, remove } = temporaryFolder();
  closing.push(remove);
  return twoPlatformBase(folder);
}

describe("bowline build", () => {
  it("writes an image of the program and of what it needs, started by Node as nobody", async () => {
    await shell.ok("build", "-t", "registry.example.com/shop:v1", "--base", "base.tar");
    const { manifest, config } = built("registry.example.com/shop:v1");
    expect(config.config).toEqual({
      User: "65532:65532",
      Env: [expect.stringContaining("PATH="), "NODE_ENV=production"],
      Entrypoint: ["/usr/local/bin/node", "dist/main.js"],
      Cmd: null,
      WorkingDir: "/app",
      Labels: { "org.opencontainers.image.title": "shop", "org.opencontainers.image.version": "1.2.3" },
    });
    expect(config.history).toHaveLength(manifest.layers.length);
    const files = manifest.layers.slice(1).map((layer) => {
      shell.write("layer.tar", "");
      const file = path.join(shell.folder, "layer.tar");
      writeFileSync(file, gunzipSync(layoutOf(shell).readBlob(layer)));
      return tarFiles(file).map((each) => each.path);
    });
    expect(files).toEqual([
      ["app/node_modules/needed/index.js", "app/node_modules/needed/package.json"],
      ["app/dist/main.js", "app/package.json"],
    ]);
  });

  it("gives the same digest from the same files, wherever and whenever", async () => {
    const other = newProject();
    closing.push(() => other.remove());
    utimesSync(path.join(other.folder, "dist/main.js"), 1, 1);
    for (const line of [shell, other]) await line.ok("build", "-t", "a/b:v1", "--base", "base.tar");
    const digests = [shell, other].map((line) => layoutOf(line).find("docker.io/a/b:v1")?.digest);
    expect(digests[0]).toMatch(/^sha256:/);
    expect(digests[1]).toBe(digests[0]);
    other.write("dist/main.js", "changed\n");
    await other.ok("build", "-t", "a/b:v1", "--base", "base.tar");
    expect(layoutOf(other).find("docker.io/a/b:v1")?.digest).not.toBe(digests[0]);
  });

  it("keeps what the base says, and its platform; both platforms become one index", async () => {
    const base = twoPlatforms();
    const arm = await shell.ok(
      "build",
      "-t",
      "r.io/shop:arm",
      "--base",
      base.folder,
      "--platform",
      "linux/arm64",
    );
    expect(arm).toContain("for linux/arm64\n");
    const { manifest, config } = built("r.io/shop:arm");
    expect(config.architecture).toBe("arm64");
    expect(config.config).toMatchObject({
      Entrypoint: ["/nodejs/bin/node", "dist/main.js"],
      User: "65532:65532",
      Env: ["A=b", "NODE_ENV=production"],
      Labels: { base: "yes" },
    });
    expect(new Set(manifest.layers.map((layer) => layer.mediaType))).toEqual(new Set([mediaTypes.layerGzip]));
    const both = "linux/amd64,linux/arm64";
    await shell.ok("build", "-t", "r.io/shop:both", "--base", base.folder, "--platform", both);
    const index = layoutOf(shell).readJson<ImageIndex>(layoutOf(shell).find("r.io/shop:both") as Descriptor);
    expect(index.manifests.map((each) => each.platform?.architecture)).toEqual(["amd64", "arm64"]);
  });

  it.each([
    ["none", undefined, 1],
    ["too little", [{ comment: "x", empty_layer: true }], 1],
    ["all", [{ comment: "x", empty_layer: true }, { comment: "y" }], 2],
  ])("has one entry of history for each layer, when the base has %s", async (_, history, ofBase) => {
    const base = twoPlatforms();
    const index = base.readJson<ImageIndex>(base.find("base") as Descriptor);
    const manifest = base.readJson<ImageManifest>(index.manifests[0] as Descriptor);
    const config = { ...base.readJson<ImageConfig>(manifest.config), ...(history && { history }) };
    const changed = { ...manifest, config: base.writeJson(mediaTypes.config, config) };
    base.setName("base", base.writeJson(mediaTypes.manifest, changed));
    await shell.ok("build", "-t", "r.io/shop:v1", "--base", base.folder);
    const image = built("r.io/shop:v1").config;
    expect(image.history).toHaveLength(ofBase + 2);
    expect(image.history?.filter((entry) => !entry.empty_layer)).toHaveLength(image.rootfs.diff_ids.length);
  });

  it("takes an archive of a layout, zipped or not", async () => {
    const base = twoPlatforms();
    for (const [name, flag] of [
      ["base.tar", "-cf"],
      ["base.tgz", "-czf"],
    ] as const) {
      execFileSync("tar", [flag, path.join(shell.folder, name), "-C", base.folder, "."]);
      await shell.ok("build", "-t", "r.io/shop:v1", "--base", name, "--platform", "linux/amd64");
      expect(built("r.io/shop:v1").config.architecture).toBe("amd64");
    }
  });

  it("takes an archive of saved images, as Docker had them", async () => {
    const layer = Buffer.concat([
      ...tarArchive([{ path: "usr/bin/node", type: "file", mode: 0o755, content: Buffer.from("node") }]),
    ]);
    const config = {
      os: "linux",
      architecture: "arm64",
      config: { Entrypoint: ["/usr/bin/node"] },
      rootfs: { type: "layers", diff_ids: [digestOf(layer)] },
    };
    const files = {
      "layer.tar": layer,
      "config.json": Buffer.from(JSON.stringify(config)),
      "manifest.json": Buffer.from(JSON.stringify([{ Config: "config.json", Layers: ["layer.tar"] }])),
    };
    const save = (names: readonly (keyof typeof files)[]): void =>
      writeFileSync(
        path.join(shell.folder, "saved.tar"),
        Buffer.concat([
          ...tarArchive(
            names.map((each) => ({ path: each, type: "file", mode: 0o644, content: files[each] }) as const),
          ),
        ]),
      );
    save(["layer.tar", "config.json", "manifest.json"]);
    await shell.ok("build", "-t", "r.io/shop:v1", "--base", "saved.tar");
    const image = built("r.io/shop:v1");
    expect(image.config).toMatchObject({
      architecture: "arm64",
      config: { Entrypoint: ["/usr/bin/node", "dist/main.js"] },
    });
    expect(image.manifest.layers[0]).toEqual({
      mediaType: mediaTypes.layer,
      digest: digestOf(layer),
      size: layer.length,
    });
    save(["config.json", "manifest.json"]);
    const broken = await shell.run("build", "-t", "r.io/shop:v1", "--base", "saved.tar");
    expect(broken.stderr).toContain("has no file layer.tar, which its manifest.json names");
  });

  it.each([
    [["-t", "Shop:v1", "--base", "base.tar"], 2, "the name must be in lower case"],
    [["--base", "base.tar"], 2, "name the image: bowline build -t"],
    [["a", "-t", "b", "--base", "base.tar"], 2, "one image at a time"],
    [["a", "--base", "./none.tar"], 1, "the base image ./none.tar does not exist"],
    [["a", "--base", "dist"], 1, "dist is not an OCI image layout"],
    [["a", "--base", "package.json"], 1, "package.json is not a tar archive"],
    [
      ["a", "--base", "base.tar", "--platform", "windows/amd64"],
      2,
      "linux/amd64 and linux/arm64 are possible",
    ],
    [["a", "--builder", "bowline"], 2, "no Dockerfile that says on which base image to build"],
    [["a", "--builder", "docker", "--base", "base.tar"], 2, "--base is for --builder bowline"],
    [["a", "--base", "127.0.0.1:1/base:v1"], 1, "the registry 127.0.0.1:1 cannot be reached"],
  ])("refuses %j with code %i", async (args, code, message) => {
    const answer = await shell.run("build", ...args);
    expect(answer.stderr).toContain(message);
    expect(answer.code).toBe(code);
  });

  it("says what is missing in the project", async () => {
    rmSync(path.join(shell.folder, "node_modules/needed"), { recursive: true });
    expect((await shell.run("build", "a", "--base", "base.tar")).stderr).toContain(
      "needs the package needed",
    );
    rmSync(path.join(shell.folder, "dist"), { recursive: true });
    expect((await shell.run("build", "a", "--base", "base.tar")).stderr).toContain("has no dist/main.js");
  });

  it("warns of a native module", async () => {
    shell.write("node_modules/needed/a.node", "");
    const { stderr } = await shell.run("build", "a", "--base", "base.tar");
    expect(stderr).toContain("a.node works on this machine's platform only");
  });
});

describe("bowline push", () => {
  it("sends blobs once, and the manifest last", async () => {
    const target = await registry();
    const name = `${target.host}/team/shop:v1`;
    await shell.ok("build", "-t", name, "--base", "base.tar");
    expect((await shell.ok("push", name)).match(/^pushed {4}sha256:/gm)).toHaveLength(4);
    expect(target.manifests.get("team/shop/v1")?.mediaType).toBe(mediaTypes.manifest);
    expect(target.requests.at(-1)).toBe("PUT /v2/team/shop/manifests/v1");
    const before = target.requests.length;
    expect((await shell.ok("push", name)).match(/^exists/gm)).toHaveLength(4);
    expect(target.requests.slice(before).filter((line) => line.includes("uploads"))).toEqual([]);
  });

  it("cuts large blobs into pieces", async () => {
    const target = await registry();
    const content = Buffer.alloc(17 * 1024 * 1024);
    const entry = { path: "usr/bin/node", type: "file", mode: 0o755, content } as const;
    writeFileSync(path.join(shell.folder, "base.tar"), Buffer.concat([...tarArchive([entry])]));
    const name = `${target.host}/shop:v1`;
    await shell.ok("build", "-t", name, "--base", "base.tar");
    expect(await shell.ok("push", name)).toMatch(/^pushing .* 16777216 of \d+ bytes$/m);
    expect(target.manifests.has("shop/v1")).toBe(true);
  });

  it("builds on a base of the registry, and borrows its layers", async () => {
    const target = await registry();
    const base = twoPlatforms();
    for (const entry of base.entries()) await copyTo(target, base, entry, "base");
    const name = `${target.host}/shop:v1`;
    await shell.ok("build", "-t", name, "--base", `${target.host}/base:v1`, "--platform", "linux/arm64");
    expect(built(name).manifest.annotations).toMatchObject({
      "org.opencontainers.image.base.name": `${target.host}/base:v1`,
      "org.opencontainers.image.base.digest": expect.stringMatching(/^sha256:/),
    });
    target.blobs.delete(built(name).manifest.config.digest);
    // as a registry does in which the layer is not yet known to belong to this repository
    const find = target.blobs.get.bind(target.blobs);
    const mountable = built(name).manifest.layers[0]?.digest;
    let isFirst = true;
    target.blobs.get = (digest) => {
      if (digest !== mountable || !isFirst) return find(digest);
      isFirst = false;
      return undefined;
    };
    expect(await shell.ok("push", name)).toMatch(new RegExp(`^mounted {3}${mountable?.slice(0, 19)}`, "m"));
    const missing = await shell.run("build", "a", "--base", `${target.host}/base:v2`);
    expect(missing.stderr).toMatch(/does not let bowline read .*HTTP 404\): MANIFEST_UNKNOWN/);
  });

  it.each(["basic", "bearer"] as const)("logs in where the registry wants it: %s", async (login) => {
    const target = await registry({ login });
    const name = `${target.host}/shop:v1`;
    await shell.ok("build", "-t", name, "--base", "base.tar");
    expect((await shell.run("push", name)).stderr).toMatch(/^error: unauthorized: .* run docker login/);
    logIn(target.host, "wrong");
    expect((await shell.run("push", name)).stderr).toMatch(/^error: unauthorized: .* run docker login/);
    logIn(target.host, "secret");
    await shell.ok("push", name);
    expect(target.manifests.has("shop/v1")).toBe(true);
  });

  it("asks the helper that keeps the password", async () => {
    const target = await registry({ login: "basic" });
    const helper = path.join(shell.folder, "bin/docker-credential-box");
    shell.write(
      "bin/docker-credential-box",
      `#!/bin/sh\ncat >/dev/null\necho '{"Username":"ada","Secret":"secret"}'\n`,
    );
    chmodSync(helper, 0o755);
    shell.write("docker/config.json", JSON.stringify({ credHelpers: { [target.host]: "box" } }));
    const name = `${target.host}/shop:v1`;
    await shell.ok("build", "-t", name, "--base", "base.tar");
    expect((await shell.run("push", name)).stderr).toContain("docker-credential-box keeps the credentials");
    process.env["PATH"] = `${path.dirname(helper)}:${process.env["PATH"]}`;
    await shell.ok("push", name);
  });

  it("says that it was not built, and that no registry is there", async () => {
    process.env["PATH"] = "";
    const missing = await shell.run("push", "127.0.0.1:1/shop:v1");
    expect(missing.stderr).toContain("there is no image 127.0.0.1:1/shop:v1 here: run bowline build");
    await shell.ok("build", "-t", "127.0.0.1:1/shop:v1", "--base", "base.tar");
    const down = await shell.run("push", "127.0.0.1:1/shop:v1");
    expect(down.stderr).toMatch(/^error: the registry 127\.0\.0\.1:1 cannot be reached/);
    expect(down.code).toBe(1);
  });

  it("takes docker, podman or buildah when one of them works, and then pushes with it", async () => {
    const log = path.join(shell.folder, "log");
    const tool = (name: string, script: string): void => {
      shell.write(`bin/${name}`, `#!/bin/sh\n${script}\n`);
      chmodSync(path.join(shell.folder, "bin", name), 0o755);
    };
    tool("docker", "exit 1");
    tool("podman", `echo "$@" >>${log}; test "$1 $2" != "manifest exists"`);
    process.env["PATH"] = path.join(shell.folder, "bin");
    expect(await shell.ok("build", "-t", "r.io/shop:v1")).toContain("podman build -t r.io/shop:v1 .");
    await shell.ok("push", "r.io/shop:v1");
    expect(shell.read("log")).toContain("\npush r.io/shop:v1\n");
    tool("podman", "echo no space >&2; exit 3");
    const failed = await shell.run("build", "-t", "r.io/shop:v1", "--builder", "podman");
    expect(failed.stderr).toBe("no space\nerror: podman build ended with code 3\n");
  });

  it.each([
    ["docker", "build --platform linux/amd64,linux/arm64 -t 127.0.0.1:1/shop:v1 ."],
    [
      "podman",
      "build --tls-verify=false --platform linux/amd64,linux/arm64 --manifest 127.0.0.1:1/shop:v1 .",
      "manifest push --all --tls-verify=false 127.0.0.1:1/shop:v1 docker://127.0.0.1:1/shop:v1",
    ],
    [
      "buildah",
      "build --tls-verify=false --platform linux/amd64,linux/arm64 --manifest 127.0.0.1:1/shop:v1 .",
      "manifest push --all --tls-verify=false 127.0.0.1:1/shop:v1 docker://127.0.0.1:1/shop:v1",
    ],
  ])(
    "has %s build for two platforms, and push both",
    async (name, build, push = "push 127.0.0.1:1/shop:v1") => {
      shell.write(`bin/${name}`, "#!/bin/sh\n");
      chmodSync(path.join(shell.folder, "bin", name), 0o755);
      process.env["PATH"] = path.join(shell.folder, "bin");
      shell.write("Dockerfile", "FROM 127.0.0.1:1/node:22\nCOPY dist dist\n");
      const both = ["--platform", "linux/amd64,linux/arm64"];
      expect(await shell.ok("build", "-t", "127.0.0.1:1/shop:v1", ...both)).toContain(`${name} ${build}\n`);
      expect(await shell.ok("push", "127.0.0.1:1/shop:v1")).toBe(`${name} ${push}\n`);
    },
  );
});

/** Puts an image with all that belongs to it into a registry, without a push. */
async function copyTo(
  target: ImageRegistry,
  source: OciLayout,
  entry: Descriptor,
  repository: string,
): Promise<void> {
  for (const each of source.readJson<ImageIndex>(entry).manifests) {
    const manifest = source.readJson<ImageManifest>(each);
    for (const blob of [manifest.config, ...manifest.layers])
      target.blobs.set(blob.digest, source.readBlob(blob));
    target.manifests.set(`${repository}/${each.digest}`, {
      mediaType: each.mediaType,
      bytes: source.readBlob(each),
    });
  }
  target.manifests.set(`${repository}/v1`, { mediaType: entry.mediaType, bytes: source.readBlob(entry) });
}
