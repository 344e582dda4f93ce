/** Names of ReplicaSets from their template. */
import { encodeJson } from "@bowline/api";

const alphabet = "bcdfghjklmnpqrstvwxz2456789";

/**
 * A short text that is the same for the same value: FNV-1a over its JSON with sorted fields, in an alphabet that spells no
 * words. Kubernetes hashes a dump of its Go struct, so its texts differ from these; nothing may depend on them.
 * @param collisions counts how often a name of this hash was taken by something else
 */
export function templateHash(value: unknown, collisions = 0): string {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(
    `${encodeJson(sorted(value))}${collisions === 0 ? "" : collisions}`,
  )) {
    hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  }
  return [...String(hash)].map((digit) => alphabet[digit.charCodeAt(0) % alphabet.length]).join("");
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, child]) => [key, sorted(child)]),
  );
}
