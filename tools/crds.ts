/**
 * Creates every CRD of a folder on a server and checks what the server makes of it:
 *
 *     npm run crds -- [--dir DIR] [--openapi FILE] [--definitions FILE] [--server URL --token T --ca FILE]
 *
 * For each CRD: it is accepted and becomes Established, `kubectl explain --recursive` shows it, and where records of the real
 * server are given (by default those of conformance/crds), each group and version must be published alike. The embedded server
 * is started unless one is named. The last line is `N passed, N failed`; exit status 1 when something failed.
 */
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { performance } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type Cluster, createCluster } from "@bowline/cluster";
import { difference } from "../conformance/difference.ts";
import { HttpClient, type ServerAddress } from "../conformance/http-client.ts";
import {
  type CrdFile,
  type RecordedDocument,
  readCrds,
  readRecord,
  recordOf,
  recordedSchemas,
} from "./published-openapi.ts";
import { realClient } from "./real-clients.ts";

const defaultDirectory = resolve(dirname(fileURLToPath(import.meta.url)), "../conformance/crds");
const usage =
  "usage: npm run crds -- [--dir DIR] [--openapi FILE] [--definitions FILE] [--server URL --token T --ca FILE]\n";
const crdPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const json = { accept: "application/json", "content-type": "application/json" };

/** One thing that was checked; `problem` is null when it is right. */
interface Check {
  readonly what: string;
  readonly problem: string | null;
}

interface Options {
  readonly directory: string;
  readonly documents: Record<string, RecordedDocument>;
  readonly definitions: Record<string, unknown> | undefined;
  readonly address: ServerAddress | undefined;
}

export async function main(args: readonly string[]): Promise<number> {
  const options = parse(args);
  if (options === undefined) {
    process.stderr.write(usage);
    return 2;
  }
  const started = performance.now();
  const { address, cluster } = await serverOf(options);
  const client = new HttpClient(address);
  const checks: Check[] = [];
  try {
    const crds = readCrds(options.directory);
    checks.push(...(await createAll(client, crds)));
    checks.push(...(await compareAll(client, options)));
    checks.push(...(await explainAll(address, crds)));
  } finally {
    client.close();
    await cluster?.close();
  }
  const failed = checks.filter((check) => check.problem !== null);
  for (const { what, problem } of failed) process.stdout.write(`FAIL ${what}\n  ${problem}\n`);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  process.stdout.write(`in ${seconds} s\n${checks.length - failed.length} passed, ${failed.length} failed\n`);
  return failed.length === 0 && checks.length > 0 ? 0 : 1;
}

function parse(args: readonly string[]): Options | undefined {
  const values = new Map<string, string>();
  for (let i = 0; i < args.length; i += 2) {
    const [name, value] = [args[i], args[i + 1]];
    if (
      name === undefined ||
      value === undefined ||
      !/^--(dir|openapi|definitions|server|token|ca)$/.test(name)
    )
      return undefined;
    values.set(name.slice(2), value);
  }
  const directory = resolve(values.get("dir") ?? defaultDirectory);
  const openapi = values.get("openapi") ?? join(directory, "openapi-v3.json");
  const definitions = values.get("definitions") ?? join(dirname(openapi), "openapi-v2-definitions.json");
  const [url, ca] = [values.get("server"), values.get("ca")];
  return {
    directory,
    documents: readRecord(openapi) ?? {},
    definitions: readRecord(definitions),
    address:
      url === undefined
        ? undefined
        : { url, token: values.get("token"), ca: ca === undefined ? undefined : readFileSync(ca) },
  };
}

async function serverOf(options: Options): Promise<{ address: ServerAddress; cluster?: Cluster }> {
  if (options.address !== undefined) return { address: options.address };
  const cluster = await createCluster();
  const { url, token, certificateAuthority } = await cluster.listen();
  return { address: { url, token, ca: certificateAuthority }, cluster };
}

async function createAll(client: HttpClient, crds: readonly CrdFile[]): Promise<Check[]> {
  const checks: Check[] = [];
  for (const { file, text, crd } of crds) {
    const created = await client.send("POST", crdPath, json, text);
    const problem = created.status === 201 ? await established(client, crd.metadata.name) : created.text;
    checks.push({ what: `create ${file}`, problem });
  }
  return checks;
}

const establishedTimeoutMs = 10_000;

/** Why the CRD does not become Established; null when it does. */
async function established(client: HttpClient, name: string): Promise<string | null> {
  for (const start = performance.now(); performance.now() - start < establishedTimeoutMs; await pause()) {
    const { text } = await client.send("GET", `${crdPath}/${name}`, json);
    const { status } = JSON.parse(text) as { status?: { conditions?: { type: string; status: string }[] } };
    if (status?.conditions?.some((c) => c.type === "Established" && c.status === "True") === true)
      return null;
  }
  return `not Established after ${establishedTimeoutMs} ms`;
}

function pause(): Promise<void> {
  return new Promise((done) => setTimeout(done, 10));
}

async function compareAll(client: HttpClient, { documents, definitions }: Options): Promise<Check[]> {
  const checks: Check[] = [];
  for (const [key, wanted] of Object.entries(documents)) {
    const { text } = await client.send("GET", `/openapi/v3/${key}`, json);
    const problem = text === "" ? "nothing is published" : difference(wanted, recordOf(JSON.parse(text)));
    checks.push({ what: `OpenAPI v3 of ${key}`, problem });
  }
  if (definitions !== undefined) {
    const { text } = await client.send("GET", "/openapi/v2", json);
    const published = recordedSchemas(
      (JSON.parse(text) as { definitions: Record<string, unknown> }).definitions,
      "io.k8s.",
    );
    checks.push({ what: "OpenAPI v2 definitions", problem: difference(definitions, published) });
  }
  return checks;
}

/** How many kubectl processes run at a time. */
const kubectlCount = 2;

async function explainAll(address: ServerAddress, crds: readonly CrdFile[]): Promise<Check[]> {
  const directory = mkdtempSync(join(tmpdir(), "crds-"));
  const authority = join(directory, "ca.pem");
  if (address.ca !== undefined) writeFileSync(authority, address.ca);
  const global = [
    `--server=${address.url}`,
    `--cache-dir=${join(directory, "cache")}`,
    ...(address.token === undefined ? [] : [`--token=${address.token}`]),
    ...(address.ca === undefined ? ["--insecure-skip-tls-verify"] : [`--certificate-authority=${authority}`]),
  ];
  const pending = [...crds];
  const checks: Check[] = [];
  const work = async (): Promise<void> => {
    for (let next = pending.shift(); next !== undefined; next = pending.shift())
      checks.push(await explain(next, global));
  };
  try {
    await Promise.all(Array.from({ length: kubectlCount }, work));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
  return checks;
}

async function explain({ crd }: CrdFile, global: readonly string[]): Promise<Check> {
  const { group, names } = crd.spec;
  const what = `kubectl explain ${names.plural}.${group} --recursive`;
  const args = [...global, "explain", `${names.plural}.${group}`, "--recursive"];
  try {
    // An empty kubeconfig keeps the caller's own out of the way.
    const env = { ...process.env, KUBECONFIG: "/dev/null" };
    const { stdout } = await promisify(execFile)(realClient("kubectl"), args, { env, maxBuffer: 1 << 26 });
    const expected = [`GROUP:      ${group}`, `KIND:       ${names.kind}`, "  metadata\t<ObjectMeta>"];
    const missing = expected.filter((text) => !stdout.includes(text));
    return { what, problem: missing.length === 0 ? null : `not in what it prints: ${missing.join(" | ")}` };
  } catch (error) {
    return { what, problem: error instanceof Error ? error.message : String(error) };
  }
}
