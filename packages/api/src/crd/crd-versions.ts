import type { CrdSpec } from "./custom-resource-definition.ts";

interface Ranked {
  /** 3 for `v1`, 2 for `v1beta1`, 1 for `v1alpha1`, 0 for other names. */
  readonly stability: number;
  readonly major: number;
  readonly minor: number;
}

const versionPattern = /^v(\d+)(?:(alpha|beta)(\d+))?$/;

function rank(version: string): Ranked {
  const match = versionPattern.exec(version);
  if (match === null) return { stability: 0, major: 0, minor: 0 };
  const [, major, stability, minor] = match;
  const stabilityRank = stability === undefined ? 3 : stability === "beta" ? 2 : 1;
  return { stability: stabilityRank, major: Number(major), minor: Number(minor ?? 0) };
}

/**
 * Orders versions as Kubernetes prefers them: v10, v2, v1, then betas, then alphas, then other names alphabetically.
 * Negative when `a` comes first. Source: apimachinery pkg/version/helpers.go.
 */
export function compareVersions(a: string, b: string): number {
  if (a === b) return 0;
  const x = rank(a);
  const y = rank(b);
  if (x.stability === 0 && y.stability === 0) return a < b ? -1 : 1;
  return y.stability - x.stability || y.major - x.major || y.minor - x.minor;
}

/** The text of the Warning header for a deprecated version; undefined when it is not deprecated. */
export function deprecationWarning(spec: CrdSpec, version: string): string | undefined {
  const deprecated = spec.versions.find((v) => v.name === version);
  if (deprecated?.deprecated !== true) return undefined;
  if (deprecated.deprecationWarning !== undefined) return deprecated.deprecationWarning;
  const text = `${spec.group}/${version} ${spec.names.kind} is deprecated`;
  const better = spec.versions
    .filter((v) => v.served && v.deprecated !== true && compareVersions(v.name, version) < 0)
    .map((v) => v.name)
    .sort(compareVersions);
  return better[0] === undefined ? text : `${text}; use ${spec.group}/${better[0]} ${spec.names.kind}`;
}
