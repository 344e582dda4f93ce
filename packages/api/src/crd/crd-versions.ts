import type { CrdSpec } from "./custom-resource-definition.ts";

/**
 * Orders versions as Kubernetes prefers them: v10, v2, v1, then betas, then alphas, then other names alphabetically.
 * Negative when `a` comes first. Source: apimachinery pkg/version/helpers.go.
 */
export function compareVersions(_a: string, _b: string): number {
  throw new Error("in progress");
}

/** The text of the Warning header for a deprecated version; undefined when it is not deprecated. */
export function deprecationWarning(_spec: CrdSpec, _version: string): string | undefined {
  throw new Error("in progress");
}
