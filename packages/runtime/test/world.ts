import { VirtualClock, createClient, seededRandom } from "@bowline/client";
import {
  type CacheOptions,
  type ControllerDefinition,
  type Logger,
  type Manager,
  type ManagerOptions,
  createManager,
} from "../src/index.ts";
import { InformerCache } from "../src/cache/cache.ts";
import { ScriptedServer } from "./scripted-server.ts";

/** One line of a log, kept for assertions. */
export interface LogLine {
  readonly level: "debug" | "info" | "warn" | "error";
  readonly message: string;
  readonly fields: Record<string, unknown>;
}

/** A logger that keeps its lines. */
export function recordingLogger(lines: LogLine[], bound: object = {}): Logger {
  const at =
    (level: LogLine["level"]) =>
    (fields: object, message: string): void =>
      void lines.push({ level, message, fields: { ...bound, ...fields } });
  return {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    child: (fields) => recordingLogger(lines, { ...bound, ...fields }),
  };
}

/** A scripted server, a virtual clock and what is built on them. */
export interface World {
  readonly server: ScriptedServer;
  readonly clock: VirtualClock;
  readonly lines: LogLine[];
  readonly logger: Logger;
  readonly manager: (
    controllers: readonly ControllerDefinition[],
    options?: Partial<ManagerOptions>,
  ) => Manager;
  readonly cache: (options?: CacheOptions) => InformerCache;
}

export function newWorld(seed = 1): World {
  const server = new ScriptedServer();
  const clock = new VirtualClock();
  const random = seededRandom(seed);
  const lines: LogLine[] = [];
  const logger = recordingLogger(lines);
  return {
    server,
    clock,
    lines,
    logger,
    manager: (controllers, options = {}) =>
      createManager({ transport: server, controllers, clock, random, logger, hostName: "host", ...options }),
    cache: (options = {}) => {
      const client = createClient({ transport: server, clock, random });
      return new InformerCache({ client, clock, random, log: logger }, options);
    },
  };
}
