const decimal = /^(0|[1-9][0-9]*)$/;

/**
 * Compares two resource versions of one kind: negative when `a` is older, 0 when equal, undefined when that cannot be
 * known. Versions are opaque to users; since Kubernetes 1.35 the API promises that they are decimal and ordered within a
 * resource (KEP-5504, apimachinery pkg/util/resourceversion), and only the cache relies on it: to know whether a watch
 * has come past a write.
 */
export function compareResourceVersions(a: string, b: string): number | undefined {
  if (a === b) return 0;
  if (!decimal.test(a) || !decimal.test(b)) return undefined;
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : 1;
}

/** Whether a store that has seen everything up to `seen` has seen `wanted`. False when it cannot be known. */
export function hasReached(seen: string, wanted: string): boolean {
  const order = compareResourceVersions(seen, wanted);
  return order !== undefined && order >= 0;
}
