import { createRequire } from "node:module";
import type * as pinoModule from "pino";

/** What the runtime needs of a logger; a pino logger is one. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  /** A logger that adds these fields to every line. */
  child(fields: object): Logger;
}

/** Says nothing. */
export const silentLogger: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  child: () => silentLogger,
};

/** JSON lines on standard output. pino is loaded here, so that a program with a logger of its own does not pay for it. */
export function pinoLogger(options: { readonly level?: string; readonly name?: string } = {}): Logger {
  const { pino } = createRequire(import.meta.url)("pino") as typeof pinoModule;
  const level = options.level ?? process.env["LOG_LEVEL"] ?? "info";
  return pino(options.name === undefined ? { level } : { level, name: options.name });
}
