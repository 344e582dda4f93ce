import { randomBytes, randomUUID } from "node:crypto";
import type { Random } from "./random.ts";

/** The platform's randomness: the one file that may name it. */
export const systemRandom: Random = {
  next: () => Math.random(),
  uuid: () => randomUUID(),
  bytes: (count) => randomBytes(count),
};
