import { randomBytes } from "node:crypto";
import type { Clock } from "@bowline/client";
import { createCertificateAuthority, issueCertificate } from "@bowline/runtime";
import { afterEach, describe, expect, it } from "vitest";
import { parseImageReference } from "../src/image/image-reference.ts";
import { type ImageConfig, mediaTypes } from "../src/image/manifest.ts";
import { OciLayout } from "../src/image/oci-layout.ts";
import { pushImage } from "../src/image/push-image.ts";
import type { RegistryAccess } from "../src/image/registry-client.ts";
import { temporaryFolder } from "./dev-process.ts";
import { ImageRegistry, type RegistryOptions } from "./image-registry.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** Every wait is over at once, and noted. */
class InstantClock implements Clock {
  readonly waits: number[] = [];
  now = (): number => 0;
  monotonic = (): number => 0;
  setTimer(delayMs: number, callback: () => void): { cancel(): void } {
    this.waits.push(delayMs);
    queueMicrotask(callback);
    return { cancel: () => undefined };
  }
}

async function world(options: RegistryOptions = {}): Promise<{
  registry: ImageRegistry;
  clock: InstantClock;
  push(access?: Partial<RegistryAccess>): Promise<void>;
}> {
  const registry = await ImageRegistry.start(options);
  const { folder, remove } = temporaryFolder();
  closing.push(() => registry.stop(), remove);
  const layout = new OciLayout(folder);
  const config: ImageConfig = {
    os: "linux",
    architecture: "amd64",
    rootfs: { type: "layers", diff_ids: [] },
  };
  const image = layout.writeJson(mediaTypes.manifest, {
    schemaVersion: 2,
    config: layout.writeJson(mediaTypes.config, config),
    layers: [layout.writeBlob(mediaTypes.layer, Buffer.from("layer"))],
  });
  const clock = new InstantClock();
  const output = { write: () => undefined, error: () => undefined, isTerminal: false, columns: 80 };
  const push = (more: Partial<RegistryAccess> = {}): Promise<void> =>
    pushImage(parseImageReference(`${registry.host}/shop:v1`), image, layout, {
      ...{ credentials: async () => undefined, insecure: false, output, clock },
      ...more,
    });
  return { registry, clock, push };
}

describe("RegistryClient", () => {
  it("waits longer and longer for a busy registry, and goes on", async () => {
    const { registry, clock, push } = await world({ busy: 2 });
    await push();
    expect(clock.waits).toEqual([250, 500]);
    expect(registry.manifests.has("shop/v1")).toBe(true);
  });

  it("gives up on one that stays busy", async () => {
    const { registry, clock, push } = await world({ busy: 100 });
    await expect(push()).rejects.toThrow("does not let bowline start an upload (HTTP 503)");
    expect(clock.waits).toEqual([250, 500, 1000]);
    expect(registry.manifests.size).toBe(0);
  });

  it("speaks TLS to a registry on this machine that does, whoever has signed its certificate", async () => {
    const now = Date.now();
    const valid = {
      notBefore: now - 60_000,
      notAfter: now + 3_600_000,
      random: (bytes: number) => randomBytes(bytes),
    };
    const authority = createCertificateAuthority({ commonName: "test", ...valid });
    const { certificatePem, keyPem } = issueCertificate(authority, {
      ...{ commonName: "registry", hosts: ["127.0.0.1"], usages: ["serverAuth"], ...valid },
    });
    const { registry, push } = await world({ certificate: { cert: certificatePem, key: keyPem } });
    await push();
    expect(registry.manifests.has("shop/v1")).toBe(true);
  });

  it("begins an upload again when the connection breaks in the middle of it", async () => {
    const { registry, push } = await world({ breaks: 1 });
    await push();
    expect(registry.manifests.has("shop/v1")).toBe(true);
    const lines = registry.requests
      .filter((line) => /^(?:POST|PATCH)/.test(line))
      .map((line) => line.slice(0, 5));
    expect(lines).toEqual(["POST ", "PATCH", "PATCH", "POST ", "PATCH", "POST ", "PATCH"]);
  });

  it("stops when it is told to", async () => {
    const { registry, push } = await world();
    const stop = new AbortController();
    registry.onRequest = (line) => {
      if (line.startsWith("PATCH")) stop.abort(new Error("enough"));
    };
    await expect(push({ signal: stop.signal })).rejects.toThrow();
    expect(registry.manifests.size).toBe(0);
  });

  it("sends a token that is kept, without asking for another", async () => {
    const { registry, push } = await world({ login: "bearer" });
    const credentials = async () =>
      ({ kind: "registry-token", token: "for repository:shop:pull,push" }) as const;
    await push({ credentials });
    expect(registry.requests.filter((line) => line.includes("token"))).toEqual([]);
  });
});
