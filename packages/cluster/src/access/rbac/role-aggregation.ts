/**
 * Fills in the rules of ClusterRoles with an aggregationRule from the roles that its selectors match.
 * Source: kubernetes pkg/controller/clusterroleaggregation.
 */
import { type LabelMatcher, type LabelSelector, compileLabelSelector, deepFreeze } from "@bowline/api";
import { withMetadata } from "../../registry/metadata.ts";
import type { Bucket } from "../../store/bucket.ts";
import type { Revision, StoredObject } from "../../store/revision.ts";
import type { Store } from "../../store/store.ts";
import type { PolicyRule } from "./policy-rule.ts";

/** Keeps aggregated roles up to date, right after the write that changes them. Returns how to stop. */
export function aggregateRoles(store: Store): () => void {
  const bucket = store.bucket("rbac.authorization.k8s.io/clusterroles");
  let scheduled = false;
  let stopped = false;
  const run = (): void => {
    scheduled = false;
    if (stopped) return;
    // a role may aggregate an aggregated one: settled when a pass changes nothing
    for (let passes = 0; passes < bucket.size && updateAll(bucket); passes++);
  };
  const stop = store.onCommit((changed) => {
    if (changed !== bucket || scheduled) return;
    scheduled = true;
    queueMicrotask(run);
  });
  return () => {
    stopped = true;
    stop();
  };
}

/** Whether anything was changed. */
function updateAll(bucket: Bucket): boolean {
  const roles = bucket.list("");
  let changed = false;
  for (const role of roles) {
    const rules = aggregated(role, roles);
    if (rules === undefined || areSame(rules, (role.object["rules"] ?? []) as readonly PolicyRule[]))
      continue;
    bucket.put(role.key, role, (resourceVersion) => {
      const object = { ...role.object, rules } as unknown as StoredObject;
      return deepFreeze(withMetadata(object, { resourceVersion })) as StoredObject;
    });
    changed = true;
  }
  return changed;
}

/** The rules that a role should have; undefined for one that does not aggregate. */
function aggregated(role: Revision, roles: readonly Revision[]): readonly PolicyRule[] | undefined {
  const rule = role.object["aggregationRule"] as
    | { clusterRoleSelectors?: readonly LabelSelector[] }
    | null
    | undefined;
  if (rule === undefined || rule === null) return undefined;
  const matchers: LabelMatcher[] = (rule.clusterRoleSelectors ?? []).map((s) => compileLabelSelector(s));
  const rules = new Map<string, PolicyRule>();
  for (const matcher of matchers) {
    for (const other of roles) {
      if (other.key === role.key || !matcher.matches(other.object.metadata.labels ?? {})) continue;
      for (const one of (other.object["rules"] ?? []) as readonly PolicyRule[]) {
        const text = ruleText(one);
        if (!rules.has(text)) rules.set(text, one);
      }
    }
  }
  return [...rules.values()];
}

function areSame(a: readonly PolicyRule[], b: readonly PolicyRule[]): boolean {
  return a.length === b.length && a.every((rule, at) => rule === b[at] || ruleText(rule) === ruleText(b[at]));
}

/** Rules never change, and those of the bootstrap roles are in every cluster of the process. */
const ruleTexts = new WeakMap<PolicyRule, string>();

/** The same for rules that are equal. */
function ruleText(rule: PolicyRule | undefined): string {
  if (rule === undefined) return "";
  let text = ruleTexts.get(rule);
  if (text === undefined) {
    text = JSON.stringify(Object.entries(rule).sort(([a], [b]) => (a < b ? -1 : 1)));
    ruleTexts.set(rule, text);
  }
  return text;
}
