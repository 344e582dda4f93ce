/** A check passes when it resolves; what it throws is only logged, never told to who asks. */
export type HealthCheck = () => void | Promise<void>;

/** An answer of the health endpoints. */
export interface HealthAnswer {
  readonly status: 200 | 404 | 500;
  readonly body: string;
}

/**
 * Named checks behind `/healthz` and `/readyz`: all of them, or one as `/healthz/<name>`; `?verbose` lists them, and
 * `?exclude=<name>` leaves one out. Source of the format: k8s.io/apiserver pkg/server/healthz.
 */
export class HealthChecks {
  readonly #path: string;
  readonly #checks = new Map<string, HealthCheck>([["ping", () => {}]]);
  readonly #onFailure: (name: string, error: unknown) => void;

  /** @param path without a slash at its end: `/healthz` */
  constructor(path: string, onFailure: (name: string, error: unknown) => void) {
    this.#path = path;
    this.#onFailure = onFailure;
  }

  add(name: string, check: HealthCheck): void {
    this.#checks.set(name, check);
  }

  /** Undefined when the path is not one of these. */
  async answer(path: string, query: URLSearchParams): Promise<HealthAnswer | undefined> {
    if (path !== this.#path && !path.startsWith(`${this.#path}/`)) return undefined;
    const one = path.slice(this.#path.length + 1);
    if (one !== "") {
      const check = this.#checks.get(one);
      if (check === undefined) return { status: 404, body: "404 page not found\n" };
      const failed = await this.#run(one, check);
      return failed
        ? { status: 500, body: "internal server error: reason withheld\n" }
        : { status: 200, body: "ok" };
    }
    return this.#answerAll(query);
  }

  async #answerAll(query: URLSearchParams): Promise<HealthAnswer> {
    const excluded = new Set(query.getAll("exclude"));
    const lines: string[] = [];
    let isFailed = false;
    for (const [name, check] of this.#checks) {
      if (excluded.has(name)) {
        lines.push(`[+]${name} excluded: ok`);
        continue;
      }
      const failed = await this.#run(name, check);
      isFailed ||= failed;
      lines.push(failed ? `[-]${name} failed: reason withheld` : `[+]${name} ok`);
    }
    const what = this.#path.slice(1);
    if (isFailed) return { status: 500, body: `${lines.join("\n")}\n${what} check failed\n` };
    return { status: 200, body: query.has("verbose") ? `${lines.join("\n")}\n${what} check passed\n` : "ok" };
  }

  async #run(name: string, check: HealthCheck): Promise<boolean> {
    try {
      await check();
      return false;
    } catch (error) {
      this.#onFailure(name, error);
      return true;
    }
  }
}
