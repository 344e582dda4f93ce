import { writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { difference } from "./difference.ts";
import { type Variables, fill, pointer } from "./fill.ts";
import type { Answer, HttpClient, OpenWatch } from "./http-client.ts";
import { Normaliser } from "./normaliser.ts";
import { type Step, readScript } from "./script.ts";

export interface RunCaseOptions {
  /** The API group of this case alone. */
  readonly group: string;
  /** True: write the answers into the file instead of comparing. */
  readonly record?: boolean;
  /** True: go on after the first difference. */
  readonly all?: boolean;
}

/** Plays one case. Returns what differed, empty when nothing did. */
export async function runCase(client: HttpClient, file: string, options: RunCaseOptions): Promise<string[]> {
  const script = readScript(file);
  const run = new CaseRun(client, options);
  try {
    for (const [index, step] of script.steps.entries()) {
      if (!(await run.play(step, index))) break;
    }
  } finally {
    await run.cleanUp();
  }
  if (options.record === true) writeFileSync(file, `${JSON.stringify(script, null, 1)}\n`);
  return run.problems;
}

const crdPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const acceptJson = { accept: "application/json" };

/** What one step saw: compared with `expect`. */
interface Seen {
  status?: number;
  body?: unknown;
  warning?: string;
  contentType?: string | undefined;
  ended?: boolean;
  events?: unknown[];
}

class CaseRun {
  readonly problems: string[] = [];
  readonly #client: HttpClient;
  readonly #options: RunCaseOptions;
  readonly #variables: Variables;
  readonly #normaliser: Normaliser;
  readonly #watches = new Map<string, OpenWatch>();
  readonly #crds = new Set<string>();

  constructor(client: HttpClient, options: RunCaseOptions) {
    this.#client = client;
    this.#options = options;
    this.#variables = { group: options.group };
    this.#normaliser = new Normaliser(this.#variables);
  }

  /** Plays one step; false when the case ends here. */
  async play(step: Step, index: number): Promise<boolean> {
    const [verb = "", ...rest] = fill(step.do, this.#variables).split(" ");
    const target = rest.join(" ");
    switch (verb) {
      case "WAIT":
        return this.#waitForCrd(rest[0] ?? "", rest[1] ?? "", index);
      case "GONE":
        return this.#waitUntilGone(target, index);
      case "SLEEP":
        await sleep(Number(target));
        return true;
      case "WATCH":
        this.#watches.set(
          rest[0] ?? "",
          this.#client.watch(rest[1] ?? "", { ...acceptJson, ...step.headers }),
        );
        await sleep(150);
        return true;
      case "EVENTS":
        return this.#compare(step, index, await this.#events(rest[0] ?? "", step));
      default:
        return this.#compare(step, index, await this.#answer(verb, target, step));
    }
  }

  /** Ends the watches and deletes the CRDs that the case made. */
  async cleanUp(): Promise<void> {
    for (const watch of this.#watches.values()) watch.abort();
    for (const name of this.#crds) await this.#client.send("DELETE", `${crdPath}/${name}`, acceptJson);
  }

  /** Until the CRD is Established and the version is served. */
  async #waitForCrd(name: string, version: string, index: number): Promise<boolean> {
    const [plural, ...group] = name.split(".");
    const list = `/apis/${group.join(".")}/${version}/${plural}`;
    const until = Date.now() + 20_000;
    for (;;) {
      const crd = await this.#client.send("GET", `${crdPath}/${name}`, acceptJson);
      const established =
        /"type":"Established","status":"True"|"status":"True"[^}]*"type":"Established"/.test(crd.text);
      if (established && (await this.#client.send("GET", list, acceptJson)).status === 200) return true;
      if (Date.now() > until) {
        this.problems.push(`step ${index}: ${name} never became Established`);
        return false;
      }
      await sleep(50);
    }
  }

  /** Until the deleted CRD is no more; its objects are removed first. */
  async #waitUntilGone(name: string, index: number): Promise<boolean> {
    const until = Date.now() + 90_000;
    while ((await this.#client.send("GET", `${crdPath}/${name}`, acceptJson)).status !== 404) {
      if (Date.now() > until) {
        this.problems.push(`step ${index}: ${name} was never removed`);
        return false;
      }
      await sleep(100);
    }
    return true;
  }

  /** What a watch delivered until it has been quiet for 400 ms. */
  async #events(label: string, step: Step): Promise<Seen> {
    const watch = this.#watches.get(label);
    if (watch === undefined) throw new Error(`no WATCH ${label} before EVENTS ${label}`);
    let before: number;
    do {
      before = watch.text().length;
      await sleep(400);
    } while (watch.text().length !== before);
    if (step.ended && !watch.hasEnded()) await Promise.race([watch.done, sleep(step.ended * 1000)]);
    watch.abort();
    const status = await watch.done;
    this.#normaliser.inList = false;
    const lines = watch.text().split("\n").filter(isEvent);
    return {
      status,
      ...(step.ended ? { ended: watch.hasEnded() } : {}),
      events: lines.map((line) => this.#normaliser.body(line)),
    };
  }

  async #answer(method: string, path: string, step: Step): Promise<Seen> {
    const body = this.#requestBody(step);
    const headers = fill(
      {
        ...acceptJson,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...step.headers,
      },
      this.#variables,
    );
    const answer = await this.#sendUntil(() => this.#client.send(method, path, headers, body), step);
    if (step.exactNumbers) answer.text = numbersAsText(answer.text);
    const json = parsed(answer.text);
    if (method === "POST" && /customresourcedefinitions(\?|$)/.test(path) && answer.status === 201) {
      this.#crds.add(String(pointer(json, "/metadata/name")));
    }
    for (const [name, at] of Object.entries(step.save ?? {})) this.#variables[name] = pointer(json, at);
    return this.#seen(answer, step);
  }

  #requestBody(step: Step): string | undefined {
    if (step.body !== undefined) return JSON.stringify(fill(step.body, this.#variables));
    return step.bodyText === undefined ? undefined : fill(step.bodyText, this.#variables);
  }

  /** Repeats 429 answers, as every client does, and repeats the request until the step's condition holds. */
  async #sendUntil(send: () => Promise<Answer>, step: Step): Promise<Answer> {
    let answer = await send();
    // A list while the watch cache of the real server starts again after a CRD update.
    for (let n = 0; answer.status === 429 && answer.headers["retry-after"] && n < 10; n++) {
      await sleep(1000 * Number(answer.headers["retry-after"]));
      answer = await send();
    }
    if (step.until === undefined) return answer;
    const [at, wanted] = step.until;
    const end = Date.now() + 90_000;
    while ((pointer(parsed(answer.text), at) ?? null) !== wanted && Date.now() < end) {
      await sleep(200);
      answer = await send();
    }
    return answer;
  }

  #seen(answer: Answer, step: Step): Seen {
    const seen: Seen = { status: answer.status, body: this.#normaliser.body(answer.text) };
    const warning = answer.headers["warning"];
    if (warning) seen.warning = String(warning).replaceAll(this.#options.group, "${group}");
    const contentType = answer.headers["content-type"];
    if (step.contentType && contentType !== undefined) seen.contentType = contentType;
    if (step.find !== undefined) {
      const [list, inner, wanted] = step.find;
      const entries = Object.values((pointer(seen.body, list) ?? []) as object) as unknown[];
      seen.body = entries.find((entry) => pointer(entry, inner) === wanted) ?? null;
    }
    if (step.keys !== undefined) {
      seen.body = Object.keys((pointer(seen.body, step.keys) ?? {}) as object).sort();
    }
    if (step.pick !== undefined) {
      const { body } = seen;
      seen.body = Object.fromEntries(step.pick.map((at) => [at, pointer(body, at) ?? null]));
    }
    return seen;
  }

  #compare(step: Step, index: number, seen: Seen): boolean {
    if (step.unordered) sortErrors(seen);
    if (step.ignore) {
      delete step.expect;
      return true;
    }
    if (this.#options.record === true) {
      step.expect = seen;
      return true;
    }
    const found = step.expect ? difference(step.expect, seen) : null;
    if (found === null) return true;
    this.problems.push(`step ${index} (${step.do.slice(0, 100)}): ${found}`);
    return this.#options.all === true;
  }
}

/** Bookmarks may come at any time, except for the one that ends the initial events. */
function isEvent(line: string): boolean {
  if (line === "") return false;
  return !line.startsWith('{"type":"BOOKMARK"') || line.includes("initial-events-end");
}

/** The digits as sent; JSON.parse would round them. */
function numbersAsText(text: string): string {
  return text.replace(/(?<=[:[,])-?\d+(\.\d+)?([eE][-+]?\d+)?(?=[,}\]])/g, '"#$&"');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Several errors or warnings that the real server finds in the order of a Go map: the pieces are compared, not their order. */
function sortErrors(seen: Seen): void {
  if (seen.warning !== undefined) seen.warning = seen.warning.split(", ").sort().join(", ");
  const body = seen.body as Record<string, unknown> | null | undefined;
  if (!body) return;
  for (const key of ["message", "/message"]) {
    const message = body[key];
    if (typeof message === "string") {
      body[key] = message.replace(
        /\[([^]*)\]$/,
        (_match, list: string) => `[${list.split(", ").sort().join(", ")}]`,
      );
    }
  }
}
