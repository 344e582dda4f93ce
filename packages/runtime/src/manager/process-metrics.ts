import { readdirSync } from "node:fs";
import type { InstrumentRegistry } from "./instruments.ts";

/** What dashboards ask of every process, by the names that Prometheus clients agree on. Read when somebody scrapes. */
export function observeProcess(instruments: InstrumentRegistry): void {
  const single = (value: () => number | undefined) => () => {
    const found = value();
    return found === undefined ? [] : [{ labels: {}, value: found }];
  };
  instruments.collected(
    "process_cpu_seconds_total",
    "Total user and system CPU time spent in seconds.",
    single(() => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1e6;
    }),
    "counter",
  );
  instruments.collected(
    "process_resident_memory_bytes",
    "Resident memory size in bytes.",
    single(() => process.memoryUsage.rss()),
  );
  instruments.collected(
    "process_start_time_seconds",
    "Start time of the process since unix epoch in seconds.",
    single(() => performance.timeOrigin / 1000),
  );
  instruments.collected("process_open_fds", "Number of open file descriptors.", single(openFiles));
  instruments.collected(
    "nodejs_heap_size_used_bytes",
    "Process heap size used from Node.js in bytes.",
    single(() => process.memoryUsage().heapUsed),
  );
}

/** Undefined where the system does not tell. */
function openFiles(): number | undefined {
  try {
    return readdirSync("/proc/self/fd").length;
  } catch {
    return undefined;
  }
}
