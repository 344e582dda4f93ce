/** Randomness as a port: simulation replaces it by a seeded one. */
export interface Random {
  /** A number in [0, 1). */
  next(): number;
  /** An RFC 4122 version 4 UUID. */
  uuid(): string;
  /** `count` random bytes, good enough for keys when it is the system's. */
  bytes(count: number): Uint8Array;
}
