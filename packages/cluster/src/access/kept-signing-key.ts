import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { writeKeptFile } from "../store/kept-file.ts";
import { newSigningKey } from "./json-web-token.ts";

/**
 * The key that signs tokens of service accounts, for a cluster that keeps its data: the same after a restart, so that tokens
 * stay good. It is in a file of the data folder that only its owner can read.
 * @param folder undefined: nothing is kept
 */
export function keptSigningKey(folder: string | undefined): (() => string) | undefined {
  if (folder === undefined) return undefined;
  const file = path.join(folder, "service-account-key.pem");
  return () => {
    if (existsSync(file)) return readFileSync(file, "utf8");
    const pem = newSigningKey();
    writeKeptFile(file, pem);
    return pem;
  };
}
