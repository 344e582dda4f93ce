/** An empty folder in which a tutorial can be done without any network. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { tarArchive } from "../../packages/cli/src/image/tar.ts";
import { ImageRegistry } from "../../packages/cli/test/image-registry.ts";
import { realClient } from "../real-clients.ts";

export const root: string = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");

/**
 * What stands in for the network, so that everything else is as it is for a reader:
 * - `npm install` links the packages of this repository instead of downloading them; `npx @bowline/cli` is this repository's.
 * - kubectl and Helm are the real ones.
 * - The image is built on a base of one file and pushed to a registry on this machine.
 * - The manager listens on free ports, as others may have taken the usual ones.
 */
export class Workplace {
  /** Removed at the end. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly #registry: ImageRegistry;

  private constructor(folder: string, registry: ImageRegistry) {
    this.folder = folder;
    this.#registry = registry;
    this.environment = {
      HOME: path.join(folder, "home"),
      LC_ALL: "C.UTF-8",
      NO_COLOR: "1",
      PATH: [
        path.join(folder, "bin"),
        path.dirname(process.execPath),
        "/usr/local/bin",
        "/usr/bin",
        "/bin",
      ].join(path.delimiter),
      npm_config_offline: "true",
      npm_config_update_notifier: "false",
      ARGS: "--health-probe-bind-address=0 --webhook-bind-address=127.0.0.1:0",
      BUILD_ARGS: `--builder bowline --base ${path.join(folder, "base.tar")}`,
      TEST_REGISTRY: registry.host,
      TEST_EXAMPLES: path.join(root, "examples"),
    };
  }

  static async create(): Promise<Workplace> {
    const folder = mkdtempSync(path.join(os.tmpdir(), "bowline-tutorial-"));
    const place = new Workplace(folder, await ImageRegistry.start());
    for (const name of ["bin", "home", "work"]) mkdirSync(path.join(folder, name));
    for (const name of ["kubectl", "helm"] as const)
      symlinkSync(realClient(name), path.join(folder, "bin", name));
    place.#program("npx", npx);
    place.#program("npm", npm);
    const content = Buffer.from("no program is run from this image");
    const node = { path: "usr/local/bin/node", type: "file", mode: 0o755, content } as const;
    writeFileSync(path.join(folder, "base.tar"), Buffer.concat([...tarArchive([node])]));
    return place;
  }

  /** Where the reader begins. */
  get work(): string {
    return path.join(this.folder, "work");
  }

  /** `application-operator:v1` for every image that was pushed. */
  get pushed(): readonly string[] {
    return [...this.#registry.manifests.keys()];
  }

  async remove(): Promise<void> {
    await this.#registry.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  #program(name: string, text: string): void {
    const file = path.join(this.folder, "bin", name);
    writeFileSync(file, text);
    chmodSync(file, 0o755);
  }
}

const bin = path.dirname(process.execPath);

const npx = `#!/bin/sh
if [ "$1" = @bowline/cli ]; then
  shift
  exec node ${root}/packages/cli/dist/bin.js "$@"
fi
exec ${bin}/npx "$@"
`;

const npm = `#!/bin/sh
if [ "$1" = install ]; then
  shift
  for wanted in "$@"; do ${bin}/npm pkg set "dependencies.\${wanted%@*}=\${wanted##*@}"; done
  [ -e node_modules ] || ln -s ${root}/node_modules node_modules
  exit 0
fi
exec ${bin}/npm "$@"
`;
