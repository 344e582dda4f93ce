import { createRequire } from "node:module";
import type * as promClient from "prom-client";
import type { Registry } from "prom-client";
import type { WorkQueue, WorkQueueObserver } from "../queue/work-queue.ts";
import {
  type Counter,
  type Family,
  type Gauge,
  Histogram,
  type InstrumentRegistry,
  exponentialBounds,
} from "./instruments.ts";

/** The figures of one controller. Names are controller-runtime's, so that existing dashboards and alerts work. */
export interface ControllerMetrics {
  readonly success: Counter;
  readonly error: Counter;
  readonly requeue: Counter;
  readonly requeueAfter: Counter;
  readonly errors: Counter;
  readonly terminalErrors: Counter;
  readonly panics: Counter;
  readonly timeouts: Counter;
  readonly time: Histogram;
  readonly activeWorkers: Gauge;
  readonly hotLoops: Counter;
  readonly queue: WorkQueueObserver;
}

/** Seconds. Source: controller-runtime pkg/internal/controller/metrics (metrics.go). */
const reconcileBounds = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5,
  1.75, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];
/** Seconds, from 10 ns. Source: controller-runtime pkg/metrics (workqueue.go). */
const queueBounds = exponentialBounds(1e-8, 10, 10);

/** Every series is there from the start, with 0: rates and alerts then work from the first scrape. */
export function controllerMetrics(
  registry: InstrumentRegistry,
  controller: string,
  concurrency: number,
): ControllerMetrics {
  const labels = { controller };
  const total = (result: string): Counter =>
    registry.counter("controller_runtime_reconcile_total", "Total number of reconciliations per controller", {
      controller,
      result,
    });
  const counter = (name: string, help: string): Counter =>
    registry.counter(`controller_runtime_${name}`, help, labels);
  registry
    .gauge(
      "controller_runtime_max_concurrent_reconciles",
      "Maximum number of concurrent reconciles per controller",
      labels,
    )
    .set(concurrency);
  return {
    success: total("success"),
    error: total("error"),
    requeue: total("requeue"),
    requeueAfter: total("requeue_after"),
    errors: counter("reconcile_errors_total", "Total number of reconciliation errors per controller"),
    terminalErrors: counter(
      "terminal_reconcile_errors_total",
      "Total number of terminal reconciliation errors per controller",
    ),
    panics: counter("reconcile_panics_total", "Total number of reconciliation panics per controller"),
    timeouts: counter("reconcile_timeouts_total", "Total number of reconciliation timeouts per controller"),
    time: registry.histogram(
      "controller_runtime_reconcile_time_seconds",
      "Length of time per reconciliation per controller",
      reconcileBounds,
      labels,
    ),
    activeWorkers: registry.gauge(
      "controller_runtime_active_workers",
      "Number of currently used workers per controller",
      labels,
    ),
    hotLoops: registry.counter(
      "bowline_hot_loops_total",
      "Times that a key was found to be reconciled over and over without a change",
      labels,
    ),
    queue: queueObserver(registry, controller),
  };
}

function queueObserver(registry: InstrumentRegistry, name: string): WorkQueueObserver {
  const labels = { name, controller: name };
  const adds = registry.counter("workqueue_adds_total", "Total number of adds handled by workqueue", labels);
  const retries = registry.counter(
    "workqueue_retries_total",
    "Total number of retries handled by workqueue",
    labels,
  );
  const waited = registry.histogram(
    "workqueue_queue_duration_seconds",
    "How long in seconds an item stays in workqueue before being requested",
    queueBounds,
    labels,
  );
  const worked = registry.histogram(
    "workqueue_work_duration_seconds",
    "How long in seconds processing an item from workqueue takes.",
    queueBounds,
    labels,
  );
  return {
    added: () => adds.inc(),
    retried: () => retries.inc(),
    waited: (seconds) => waited.observe(seconds),
    worked: (seconds) => worked.observe(seconds),
  };
}

/** How often certificate files were read, and how often that failed. */
export function certificateReads(registry: InstrumentRegistry): {
  readonly reads: Counter;
  readonly readErrors: Counter;
} {
  return {
    reads: registry.counter("certwatcher_read_certificate_total", "Total number of certificate reads"),
    readErrors: registry.counter(
      "certwatcher_read_certificate_errors_total",
      "Total number of certificate read errors",
    ),
  };
}

/** The figures that a queue is asked for when scraped. */
export function observeQueue(
  registry: InstrumentRegistry,
  name: string,
  queue: Pick<WorkQueue, "depths" | "processing">,
): void {
  const labels = { name, controller: name };
  registry.collected("workqueue_depth", "Current depth of workqueue by workqueue and priority", () => {
    const depths = queue.depths();
    const all: readonly [number, number][] = depths.length === 0 ? [[0, 0]] : depths;
    return all.map(([priority, value]) => ({ labels: { ...labels, priority: String(priority) }, value }));
  });
  const seconds = (): number[] => queue.processing().map((held) => held.seconds);
  registry.gauge(
    "workqueue_unfinished_work_seconds",
    "How many seconds of work has been done that is in progress and hasn't been observed by work_duration.",
    labels,
    () => seconds().reduce((sum, s) => sum + s, 0),
  );
  registry.gauge(
    "workqueue_longest_running_processor_seconds",
    "How many seconds has the longest running processor for workqueue been running.",
    labels,
    () => Math.max(0, ...seconds()),
  );
}

interface PromValue {
  readonly labels: Record<string, string | number>;
  readonly value: number;
  readonly metricName?: string;
}

/** What prom-client asks of a metric when it is scraped. */
interface PromMetric {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly aggregator: string;
  get(): { name: string; help: string; type: string; aggregator: string; values: PromValue[] };
}

/**
 * A prom-client registry over the instruments; users' own prom-client metrics can be registered in it too. prom-client is
 * loaded here, when it is first needed.
 */
export function promRegistry(registry: InstrumentRegistry): Registry {
  const { Registry: PromRegistry } = createRequire(import.meta.url)("prom-client") as typeof promClient;
  const prom = new PromRegistry();
  const known = new Set<string>();
  const register = (): void => {
    for (const family of registry.families) {
      if (known.has(family.name)) continue;
      known.add(family.name);
      prom.registerMetric(promMetric(registry, family.name) as never);
    }
  };
  const scrape = prom.metrics.bind(prom);
  prom.metrics = () => {
    register();
    return scrape();
  };
  register();
  return prom;
}

function promMetric(registry: InstrumentRegistry, name: string): PromMetric {
  const current = (): Family => [...registry.families].find((family) => family.name === name) as Family;
  const { help, type } = current();
  const aggregator = "sum";
  return {
    name,
    help,
    type,
    aggregator,
    get: () => ({ name, help, type, aggregator, values: valuesOf(current()) }),
  };
}

function valuesOf(family: Family): PromValue[] {
  const collected = family.collect?.().map(({ labels, value }) => ({ labels: { ...labels }, value })) ?? [];
  const series = [...family.series.values()].flatMap(({ labels, instrument }): PromValue[] =>
    instrument instanceof Histogram
      ? histogramValues(family.name, labels, instrument)
      : [{ labels: { ...labels }, value: instrument.value }],
  );
  return [...series, ...collected];
}

function histogramValues(
  name: string,
  labels: Readonly<Record<string, string>>,
  histogram: Histogram,
): PromValue[] {
  let total = 0;
  const buckets = [...histogram.bounds, "+Inf"].map((le, index) => {
    total += histogram.counts[index] ?? 0;
    return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: total };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels: { ...labels }, value: histogram.sum },
    { metricName: `${name}_count`, labels: { ...labels }, value: histogram.count },
  ];
}
