// Ports
export { rfc3339, rfc3339Micro, sleep } from "./ports/clock.ts";
export type { Clock, Timer } from "./ports/clock.ts";
export { systemClock } from "./ports/system-clock.ts";
export { VirtualClock, settle } from "./ports/virtual-clock.ts";
export type { Random } from "./ports/random.ts";
export { systemRandom } from "./ports/system-random.ts";
export { seededRandom } from "./ports/seeded-random.ts";
export type {
  ApiRequest,
  ApiResponse,
  ByteStream,
  Transport,
  WatchEvent,
  WatchStream,
} from "./ports/transport.ts";

// Errors
export { ConnectionError, isConnectionError } from "./errors.ts";
