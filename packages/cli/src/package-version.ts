import { readFileSync } from "node:fs";

let version: string | undefined;

/** The version of this package, which all packages of a release share. */
export function packageVersion(): string {
  version ??= (
    JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { version: string }
  ).version;
  return version;
}
