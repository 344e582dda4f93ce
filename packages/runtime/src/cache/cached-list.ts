import {
  type DeepReadonly,
  type KubeObject,
  type LabelMatcher,
  matchLabels,
  parseLabelSelector,
} from "@bowline/api";
import type { CachedListOptions } from "./cache.ts";
import { namespaceIndex } from "./indexer.ts";
import type { SharedInformer } from "./informer.ts";

/** The objects of an informer that meet all conditions, in the order of their keys. */
export function select(informer: SharedInformer, options: CachedListOptions): DeepReadonly<KubeObject>[] {
  const { indexer } = informer;
  const { namespace, index, labels, filter, limit } = options;
  const found =
    index !== undefined
      ? indexer.under(index.name, index.value)
      : namespace !== undefined
        ? indexer.under(namespaceIndex, namespace)
        : [...indexer.values()];
  const matcher = labelMatcher(labels);
  const matching = found.filter(
    (object) =>
      (namespace === undefined || object.metadata.namespace === namespace) &&
      (matcher === undefined || matcher.matches(object.metadata.labels)) &&
      (filter === undefined || filter(object)),
  );
  matching.sort(byKey);
  return limit === undefined ? matching : matching.slice(0, limit);
}

function labelMatcher(labels: CachedListOptions["labels"]): LabelMatcher | undefined {
  if (labels === undefined) return undefined;
  return typeof labels === "string" ? parseLabelSelector(labels) : matchLabels(labels);
}

function byKey(a: DeepReadonly<KubeObject>, b: DeepReadonly<KubeObject>): number {
  const [left, right] = [a.metadata, b.metadata];
  if (left.namespace !== right.namespace) return (left.namespace ?? "") < (right.namespace ?? "") ? -1 : 1;
  return left.name === right.name ? 0 : (left.name ?? "") < (right.name ?? "") ? -1 : 1;
}
