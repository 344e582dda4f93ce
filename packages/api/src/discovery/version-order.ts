/**
 * The order of API versions: stable before beta before alpha, newest first, then names of any other form alphabetically.
 * Source: apimachinery pkg/version (helpers.go).
 */

interface ParsedVersion {
  /** 2 stable, 1 beta, 0 alpha. */
  readonly stability: number;
  readonly major: number;
  readonly minor: number;
}

/** Below 0 when `a` comes first: `v10`, `v2`, `v1`, `v1beta2`, `v1alpha1`, `alpha`, `zebra`. Versions like v1 and v01 are equal. */
export function compareApiVersions(a: string, b: string): number {
  const [left, right] = [parse(a), parse(b)];
  if (left === undefined || right === undefined) {
    if (left !== undefined) return -1;
    if (right !== undefined) return 1;
    return a < b ? -1 : a > b ? 1 : 0;
  }
  return right.stability - left.stability || right.major - left.major || right.minor - left.minor;
}

function parse(version: string): ParsedVersion | undefined {
  const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (match === null) return undefined;
  const stability = match[2] === undefined ? 2 : match[2] === "beta" ? 1 : 0;
  return { stability, major: Number(match[1]), minor: Number(match[3] ?? 0) };
}
