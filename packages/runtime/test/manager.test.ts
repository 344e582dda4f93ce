import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { seededRandom, settle } from "@bowline/client";
import { describe, expect, it } from "vitest";
import { type Manager, defineController, isMisuseError, isTermOverError } from "../src/index.ts";
import { createCertificateAuthority, issueCertificate } from "../src/webhook/certificate.ts";
import { Part, Widget, widget, widgets } from "./kinds.ts";
import { ScriptedServer } from "./scripted-server.ts";
import { newWorld } from "./world.ts";

async function text(url: string): Promise<{ status: number; body: string }> {
  const http = await import("node:http");
  return new Promise((resolve, reject) => {
    http
      .get(url, (response) => {
        let body = "";
        response.on("data", (chunk) => (body += String(chunk)));
        response.on("end", () => resolve({ status: response.statusCode ?? 0, body }));
      })
      .on("error", reject);
  });
}

async function secureStatus(port: number, token: string | undefined): Promise<number> {
  const https = await import("node:https");
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return new Promise((resolve, reject) => {
    https
      .get({ host: "127.0.0.1", port, path: "/metrics", headers, rejectUnauthorized: false }, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      })
      .on("error", reject);
  });
}

/** The name in the certificate that a port presents. */
async function presentedName(port: number): Promise<string | undefined> {
  const tls = await import("node:tls");
  return new Promise((resolve, reject) => {
    const socket = tls.connect({ host: "127.0.0.1", port, rejectUnauthorized: false }, () => {
      resolve(String(socket.getPeerCertificate().subject.CN));
      socket.destroy();
    });
    socket.on("error", reject);
  });
}

/** Writes `tls.crt` and `tls.key` for a name. */
async function writeCertificate(directory: string, commonName: string): Promise<void> {
  const random = seededRandom(commonName.length);
  const life = {
    notBefore: 0,
    notAfter: 86_400_000,
    random: (count: number): Uint8Array => random.bytes(count),
  };
  const authority = createCertificateAuthority({ commonName: "ca", ...life });
  const pair = issueCertificate(authority, {
    commonName,
    hosts: [commonName],
    usages: ["serverAuth"],
    ...life,
  });
  await writeFile(join(directory, "tls.crt"), pair.certificatePem);
  await writeFile(join(directory, "tls.key"), pair.keyPem);
}

describe("Manager", () => {
  it("starts workers only when caches have their first list", async () => {
    const { server, clock, manager } = newWorld();
    server.put(widgets, widget("a"));
    let runs = 0;
    let open: () => void = () => {};
    server.intercept = (request) =>
      request.target.resource === "parts" ? new Promise((resolve) => (open = resolve)) : undefined;
    const m = manager([defineController(Widget, { owns: [Part], reconcile: () => void runs++ })]);
    const started = m.start();
    await clock.advance(5000);
    expect(runs).toBe(0);
    open();
    await started;
    await clock.advance(10);
    expect(runs).toBe(1);
    await m.stop();
  });

  it("waits at stop for reconciles that run, and takes no new ones", async () => {
    const { server, clock, manager } = newWorld();
    server.put(widgets, widget("a"));
    let isDone = false;
    const m = manager([
      defineController(Widget, {
        async reconcile(_, ctx) {
          await new Promise<void>((resolve) => ctx.clock.setTimer(5000, resolve));
          expect(ctx.signal.aborted).toBe(false);
          await ctx.patchStatus({ parts: 1 });
          isDone = true;
        },
      }),
    ]);
    await m.start();
    await clock.advance(1000);
    let isStopped = false;
    const stopped = m.stop().then(() => (isStopped = true));
    server.put(widgets, widget("b"));
    await clock.advance(3000);
    expect(isStopped).toBe(false);
    await clock.advance(2000);
    await stopped;
    expect(isDone).toBe(true);
    expect(server.all("widgets").filter((w) => "status" in w)).toHaveLength(1);
    expect(server.watches.size).toBe(0);
    expect(clock.pendingCount).toBe(0);
  });

  it("ends reconciles that outlast the grace period, and lets them write nothing more", async () => {
    const { server, clock, manager } = newWorld();
    server.put(widgets, widget("a"));
    let error: unknown;
    const m = manager(
      [
        defineController(Widget, {
          async reconcile(_, ctx) {
            await new Promise<void>((resolve) => ctx.clock.setTimer(60_000, resolve));
            error = await ctx.patchStatus({ parts: 1 }).catch((e: unknown) => e);
          },
        }),
      ],
      { gracefulShutdownMs: 10_000 },
    );
    await m.start();
    await clock.advance(10);
    const stopped = m.stop();
    await clock.advance(10_000);
    await stopped;
    await clock.advance(60_000);
    expect(isTermOverError(error)).toBe(true);
    expect(server.count("patch")).toBe(0);
  });

  it("refuses two controllers of one name, and a second start", async () => {
    const { manager } = newWorld();
    const make = (): Manager =>
      manager([defineController(Widget, { reconcile() {} }), defineController(Widget, { reconcile() {} })]);
    expect(make).toThrow("a controller named widget is there already");
    const m = manager([]);
    await m.start();
    expect(await m.start().catch(isMisuseError)).toBe(true);
    await m.stop();
    await m.stop();
  });

  it("starts again what fails, and never lets it end the process", async () => {
    const { clock, manager, lines } = newWorld();
    let starts = 0;
    const m = manager([], {
      runnables: [
        {
          name: "fragile",
          async run(signal) {
            if (++starts < 3) throw new Error("broken");
            await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
          },
        },
      ],
    });
    await m.start();
    await clock.advance(10_000);
    expect(starts).toBe(3);
    expect(lines.filter((line) => line.message.includes("a runnable failed"))).toHaveLength(2);
    await m.stop();
  });

  it("runs until a signal comes, and then stops", async () => {
    for (const signal of ["SIGINT", "SIGTERM", "abort"] as const) {
      const { server, clock, manager } = newWorld();
      server.put(widgets, widget("a"));
      let runs = 0;
      const m = manager([defineController(Widget, { reconcile: () => void runs++ })]);
      const stop = new AbortController();
      const before = process.listenerCount("SIGTERM");
      const over = m.run(stop.signal);
      await clock.advance(100);
      expect(runs).toBe(1);
      if (signal === "abort") stop.abort();
      else process.emit(signal, signal);
      await over;
      expect(server.watches.size).toBe(0);
      expect(process.listenerCount("SIGTERM")).toBe(before);
    }
  });

  it("adds controllers while it runs", async () => {
    const { server, clock, manager } = newWorld();
    server.put(widgets, widget("a"));
    const m = manager([]);
    await m.start();
    let runs = 0;
    m.add(defineController(Widget, { reconcile: () => void runs++ }));
    await clock.advance(100);
    expect(runs).toBe(1);
    await m.stop();
  });

  it("removes controllers while it runs, with the watches that nobody else needs", async () => {
    const { server, clock, manager } = newWorld();
    server.put(widgets, widget("a"));
    const runs: string[] = [];
    const controller = (name: string, options: object = {}) =>
      defineController(Widget, { name, reconcile: () => void runs.push(name), ...options });
    const m = manager([controller("one", { owns: [Part] }), controller("two")]);
    await m.start();
    await clock.advance(100);
    const watched = () => Array.from(server.watches, (watch) => watch.target.resource).toSorted();
    expect(watched()).toEqual(["parts", "widgets"]);
    await m.remove("one");
    expect(watched()).toEqual(["widgets"]);
    server.put(widgets, widget("b"));
    await clock.advance(100);
    expect(runs.filter((name) => name === "one")).toHaveLength(1);
    await m.remove("two");
    await m.remove("two");
    expect(watched()).toEqual([]);
    m.add(controller("one"));
    await clock.advance(100);
    expect(runs.filter((name) => name === "one")).toHaveLength(3);
    const scraped = await m.metrics.metrics();
    expect(scraped.match(/^workqueue_depth\{name="one"/gm)).toHaveLength(1);
    await m.stop();
  });

  it("reconciles objects of several clusters, each with its own client and cache", async () => {
    const { server, clock, manager } = newWorld();
    const east = new ScriptedServer();
    server.put(widgets, widget("home"));
    east.put(widgets, widget("away"));
    const seen: string[] = [];
    const m = manager(
      [
        defineController(Widget, {
          async reconcile(w, ctx) {
            seen.push(`${ctx.request.cluster}/${w.metadata.name}`);
            await ctx.patchStatus({ parts: 1 });
          },
        }),
      ],
      { clusters: { east: { transport: east } } },
    );
    await m.start();
    await clock.advance(100);
    expect(new Set(seen)).toEqual(new Set(["/home", "east/away"]));
    expect(east.all("widgets")).toMatchObject([{ metadata: { name: "away" }, status: { parts: 1 } }]);
    expect(server.all("widgets")).toMatchObject([{ metadata: { name: "home" }, status: { parts: 1 } }]);
    await m.stop();
  });

  it("takes clusters in and lets go of them while it runs, and waits for none that cannot be reached", async () => {
    const { server, clock, manager } = newWorld();
    const [east, dead] = [new ScriptedServer(), new ScriptedServer()];
    dead.intercept = () => {
      throw new Error("no route");
    };
    server.put(widgets, widget("home"));
    east.put(widgets, widget("away"));
    const seen: string[] = [];
    const controller = defineController(Widget, {
      reconcile: (w, ctx) => void seen.push(`${ctx.request.cluster}/${w.metadata.name}`),
    });
    const m = manager([controller], { clusters: { dead: { transport: dead } } });
    await m.start();
    await clock.advance(100);
    m.engage("east", { transport: east });
    expect(() => m.engage("east", { transport: east })).toThrow("already");
    await clock.advance(100);
    expect(seen).toEqual(["/home", "east/away"]);
    await m.disengage("east");
    expect(east.watches.size).toBe(0);
    east.put(widgets, widget("later"));
    await clock.advance(1000);
    expect(seen).toEqual(["/home", "east/away"]);
    await m.stop();
  });

  it("serves secure metrics only to those whom the API server allows", async () => {
    const { server, manager } = newWorld();
    const reviews: string[] = [];
    const request = server.request.bind(server);
    server.request = (async (r: Parameters<ScriptedServer["request"]>[0]) => {
      const body = r.body as { spec: { token?: string; user?: string } };
      const answer = (status: object) => ({
        status: 201,
        headers: {},
        warnings: [],
        body: { ...body, status },
      });
      if (r.path.endsWith("/tokenreviews")) {
        reviews.push(String(body.spec.token));
        return answer(
          body.spec.token === "bad"
            ? { authenticated: false }
            : { authenticated: true, user: { username: body.spec.token } },
        );
      }
      if (r.path.endsWith("/subjectaccessreviews"))
        return answer({ allowed: body.spec.user === "prometheus" });
      return request(r);
    }) as ScriptedServer["request"];
    const m = manager([], { metricsAddress: "127.0.0.1:0", secureMetrics: true });
    await m.start();
    const get = (token?: string) => secureStatus(m.ports.metrics ?? 0, token);
    expect(await get()).toBe(401);
    expect(await get("bad")).toBe(401);
    expect(await get("eve")).toBe(403);
    expect(await get("prometheus")).toBe(200);
    expect(await get("prometheus")).toBe(200);
    expect(reviews).toEqual(["bad", "eve", "prometheus"]);
    await m.stop();
  });

  it("takes over a new certificate of its secure metrics without a restart", async () => {
    const { clock, manager } = newWorld();
    const directory = await mkdtemp(join(tmpdir(), "metrics-certificate-"));
    await writeCertificate(directory, "one");
    const secureMetrics = {
      certificateFile: join(directory, "tls.crt"),
      keyFile: join(directory, "tls.key"),
    };
    const m = manager([], { metricsAddress: "127.0.0.1:0", secureMetrics });
    await m.start();
    const port = m.ports.metrics ?? 0;
    expect(await presentedName(port)).toBe("one");
    await writeCertificate(directory, "second");
    await clock.advance(10_000);
    await expect.poll(() => presentedName(port)).toBe("second");
    await m.stop();
    expect(clock.pendingCount).toBe(0);
    await rm(directory, { recursive: true });
  });

  it("logs each warning of the API server once", async () => {
    const { server, clock, manager, lines } = newWorld();
    const request = server.request.bind(server);
    server.request = (async (r: Parameters<ScriptedServer["request"]>[0]) => {
      const answer = await request(r);
      return r.method === "PATCH" ? { ...answer, warnings: ["spec.size is deprecated"] } : answer;
    }) as ScriptedServer["request"];
    for (const name of ["a", "b", "c"]) server.put(widgets, widget(name));
    const m = manager([
      defineController(Widget, { reconcile: async (_, ctx) => void (await ctx.patchStatus({ parts: 1 })) }),
    ]);
    await m.start();
    await clock.advance(100);
    expect(server.count("patch")).toBe(3);
    const warnings = lines.filter((line) => line.message === "the API server warns");
    expect(warnings.map((line) => line.fields["warning"])).toEqual(["spec.size is deprecated"]);
    await m.stop();
  });

  it("warns once, with the figure, when every Secret, ConfigMap, Pod or Event of a cluster is cached", async () => {
    const { server, clock, manager, lines } = newWorld();
    const { ConfigMap, configMaps } = await import("./kinds.ts");
    server.put(configMaps, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "m" },
      data: { a: "b" },
    });
    const m = manager([defineController(ConfigMap, { reconcile() {} })]);
    await m.start();
    await clock.advance(100);
    const warnings = lines.filter((line) => line.message.startsWith("caching every ConfigMap"));
    expect(warnings).toHaveLength(1);
    expect(warnings[0]?.fields).toMatchObject({ objects: 1 });
    await m.stop();
  });

  it("answers health, readiness, metrics and debugging over HTTP", async () => {
    const { server, manager } = newWorld();
    server.put(widgets, widget("a"));
    const m = manager([defineController(Widget, { reconcile() {} })], {
      healthAddress: "127.0.0.1:0",
      metricsAddress: "127.0.0.1:0",
    });
    m.addHealthCheck("disk", () => {});
    m.addReadyCheck("upstream", () => Promise.reject(new Error("secret detail")));
    await m.start();
    await settle();
    const health = `http://127.0.0.1:${m.ports.health}`;
    expect(await text(`${health}/healthz`)).toEqual({ status: 200, body: "ok" });
    expect(await text(`${health}/healthz/disk`)).toEqual({ status: 200, body: "ok" });
    expect(await text(`${health}/healthz?verbose`)).toMatchObject({
      body: expect.stringContaining("[+]disk ok\nhealthz check passed"),
    });
    const unready = await text(`${health}/readyz`);
    expect(unready.status).toBe(500);
    expect(unready.body).toContain("[-]upstream failed: reason withheld");
    expect(unready.body).not.toContain("secret");
    expect((await text(`${health}/readyz?exclude=upstream`)).status).toBe(200);
    expect((await text(`${health}/other`)).status).toBe(404);
    const metrics = await text(`http://127.0.0.1:${m.ports.metrics}/metrics`);
    expect(metrics.body).toContain(
      'controller_runtime_reconcile_total{controller="widget",result="success"} 1',
    );
    const debug = JSON.parse((await text(`http://127.0.0.1:${m.ports.metrics}/debug`)).body) as object;
    expect(debug).toMatchObject({ phase: "running", controllers: [{ name: "widget", depth: 0 }] });
    await m.stop();
  });
});

describe("Metrics", () => {
  it("have every series of a controller from the first scrape", async () => {
    const { manager } = newWorld();
    const m = manager([defineController(Widget, { concurrency: 3, reconcile() {} })]);
    const scraped = await m.metrics.metrics();
    for (const series of [
      'controller_runtime_reconcile_total{controller="widget",result="success"} 0',
      'controller_runtime_reconcile_total{controller="widget",result="error"} 0',
      'controller_runtime_reconcile_total{controller="widget",result="requeue"} 0',
      'controller_runtime_reconcile_total{controller="widget",result="requeue_after"} 0',
      'controller_runtime_reconcile_errors_total{controller="widget"} 0',
      'controller_runtime_terminal_reconcile_errors_total{controller="widget"} 0',
      'controller_runtime_reconcile_panics_total{controller="widget"} 0',
      'controller_runtime_reconcile_timeouts_total{controller="widget"} 0',
      'controller_runtime_max_concurrent_reconciles{controller="widget"} 3',
      'controller_runtime_active_workers{controller="widget"} 0',
      'controller_runtime_reconcile_time_seconds_bucket{controller="widget",le="0.005"} 0',
      'controller_runtime_reconcile_time_seconds_bucket{controller="widget",le="60"} 0',
      'controller_runtime_reconcile_time_seconds_bucket{controller="widget",le="+Inf"} 0',
      'controller_runtime_reconcile_time_seconds_count{controller="widget"} 0',
      'workqueue_depth{name="widget",controller="widget",priority="0"} 0',
      'workqueue_adds_total{name="widget",controller="widget"} 0',
      'workqueue_retries_total{name="widget",controller="widget"} 0',
      'workqueue_queue_duration_seconds_count{name="widget",controller="widget"} 0',
      'workqueue_work_duration_seconds_count{name="widget",controller="widget"} 0',
      'workqueue_unfinished_work_seconds{name="widget",controller="widget"} 0',
      'workqueue_longest_running_processor_seconds{name="widget",controller="widget"} 0',
      'leader_election_master_status{name=""} 0',
    ]) {
      expect(scraped).toContain(series);
    }
  });

  it("count requests by code, and spans cover reconciles and requests", async () => {
    const { server, clock, manager } = newWorld();
    server.put(widgets, widget("a"));
    const spans: string[] = [];
    const tracer = {
      startActiveSpan: (name: string, _: object, run: (span: object) => unknown) => {
        spans.push(name);
        return run({ end: () => spans.push(`end ${name}`), recordException() {}, setStatus() {} });
      },
    };
    const m = manager(
      [defineController(Widget, { reconcile: async (_, ctx) => void (await ctx.patchStatus({ parts: 1 })) })],
      { tracer: tracer as never },
    );
    await m.start();
    await clock.advance(10);
    const scraped = await m.metrics.metrics();
    expect(scraped).toContain('rest_client_requests_total{code="200",method="PATCH",host="default"} 1');
    expect(spans).toContain("end reconcile widget");
    expect(spans).toContain(`PATCH ${widgets}/a/status`);
    await m.stop();
  });

  it("count what happened, and take users' own metrics in", async () => {
    const { server, clock, manager } = newWorld();
    for (const name of ["a", "b"]) server.put(widgets, widget(name));
    const m = manager([
      defineController(Widget, {
        reconcile(w) {
          if (w.metadata.name === "a") throw new TypeError("undefined is not a function");
        },
      }),
    ]);
    const { Counter } = await import("prom-client");
    new Counter({ name: "my_total", help: "mine", registers: [m.metrics] }).inc(2);
    await m.start();
    await clock.advance(11);
    const scraped = await m.metrics.metrics();
    expect(scraped).toContain('controller_runtime_reconcile_total{controller="widget",result="success"} 1');
    expect(scraped).toContain('controller_runtime_reconcile_panics_total{controller="widget"} 2');
    expect(scraped).toContain('workqueue_retries_total{name="widget",controller="widget"} 2');
    expect(scraped).toContain(
      'bowline_cache_objects{cluster="",kind="Widget",api_version="example.com/v1"} 2',
    );
    expect(scraped).toContain("my_total 2");
    await m.stop();
  });
});
