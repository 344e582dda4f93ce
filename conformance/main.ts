/**
 * Replays recorded request scripts against an API server and compares the answers: `npm run conformance`. README.md describes
 * the format of cases and what is normalised. The last line is `N passed, N failed`; exit status 1 when a case failed, 2 on
 * wrong usage.
 */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { type EmbeddedServer, startEmbeddedServer } from "./embedded-server.ts";
import { type Exceptions, exceptionsProblem, readExceptions } from "./exceptions.ts";
import { HttpClient, type ServerAddress } from "./http-client.ts";
import { type Options, UsageError, parseOptions, usage } from "./options.ts";
import { type CaseResult, runCases } from "./run-cases.ts";
import { findCases } from "./script.ts";

// Compiled, this file is in conformance/dist.
const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.basename(here) === "dist" ? path.dirname(here) : here;
const corpus = path.join(root, "cases");

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  let options: Options;
  try {
    options = parseOptions(args, corpus);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`${error.message === "" ? "" : `${error.message}\n`}${usage}\n`);
    return 2;
  }
  const exceptions = options.exceptions ? readExceptions(path.join(root, "exceptions.json")) : {};
  const problem = exceptionsProblem(
    exceptions,
    findCases([corpus], corpus).map((each) => each.name),
  );
  if (problem !== undefined) {
    process.stderr.write(`${problem}\n`);
    return 2;
  }
  const results = await replay(options, exceptions);
  if (options.json !== undefined) writeFileSync(options.json, JSON.stringify(results, null, 1));
  return summarise(results);
}

async function replay(options: Options, exceptions: Exceptions): Promise<CaseResult[]> {
  const embedded: EmbeddedServer | undefined =
    options.server === undefined ? await startEmbeddedServer() : undefined;
  const client = new HttpClient(embedded?.address ?? addressOf(options, options.server ?? ""));
  const { only } = options;
  const cases = findCases(options.places, corpus).filter(
    (each) => only === undefined || each.name.includes(only) || each.file.includes(only),
  );
  try {
    return await runCases(client, cases, {
      concurrency: options.concurrency,
      record: options.record,
      all: options.verbose,
      exceptions,
      onResult: printResult,
    });
  } finally {
    client.close();
    await embedded?.close();
  }
}

function addressOf(options: Options, url: string): ServerAddress {
  const read = (file: string | undefined): Buffer | undefined =>
    file === undefined ? undefined : readFileSync(file);
  return {
    url,
    token: options.token,
    ca: read(options.ca),
    cert: read(options.cert),
    key: read(options.key),
  };
}

function printResult(result: CaseResult): void {
  if (result.ok) {
    if (result.exception !== undefined) print(`PASS ${result.case}, although it is listed as an exception`);
    return;
  }
  const label = result.exception === undefined ? "FAIL" : `EXCEPTED (${result.exception})`;
  print(`${label} ${result.case}\n  ${result.problems.join("\n  ")}`);
}

function summarise(results: readonly CaseResult[]): number {
  const passed = results.filter((result) => result.ok).length;
  const excepted = results.filter((result) => !result.ok && result.exception !== undefined).length;
  const failed = results.length - passed - excepted;
  if (excepted > 0) print(`${excepted} excepted, named with their reasons in exceptions.json`);
  print(`${passed} passed, ${failed} failed`);
  return failed > 0 ? 1 : 0;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
