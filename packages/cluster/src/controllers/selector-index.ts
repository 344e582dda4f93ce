import { type DeepReadonly, type LabelMatcher, type LabelSelector, compileLabelSelector } from "@bowline/api";

/** Which object. */
export interface Key {
  readonly namespace: string;
  readonly name: string;
}

/**
 * Objects by the labels that they select: what an event of a pod concerns without any owner reference. Filled by the
 * reconciles of those objects, each of which runs at least once after the start.
 */
export class SelectorIndex {
  readonly #byNamespace = new Map<string, Map<string, { selector: unknown; matcher: LabelMatcher }>>();

  /** @returns the compiled selector. @throws SelectorError for one that cannot be compiled */
  note({ namespace, name }: Key, selector: DeepReadonly<LabelSelector> | undefined): LabelMatcher {
    let entries = this.#byNamespace.get(namespace);
    if (entries === undefined) this.#byNamespace.set(namespace, (entries = new Map()));
    const known = entries.get(name);
    if (known !== undefined && known.selector === selector) return known.matcher;
    const matcher = compileLabelSelector(selector);
    entries.set(name, { selector, matcher });
    return matcher;
  }

  forget({ namespace, name }: Key): void {
    const entries = this.#byNamespace.get(namespace);
    entries?.delete(name);
    if (entries?.size === 0) this.#byNamespace.delete(namespace);
  }

  /** Objects of the namespace that select these labels. */
  matching(namespace: string, labels: Readonly<Record<string, string>> | undefined): Key[] {
    const found: Key[] = [];
    for (const [name, { matcher }] of this.#byNamespace.get(namespace) ?? []) {
      if (matcher.matches(labels)) found.push({ namespace, name });
    }
    return found;
  }
}

const plainSelectors = new WeakMap<object, LabelSelector>();

/** The selector of a plain map of labels, the same one for the same map. */
export function plainSelector(labels: Readonly<Record<string, string>>): LabelSelector {
  let selector = plainSelectors.get(labels);
  if (selector === undefined) plainSelectors.set(labels, (selector = { matchLabels: labels }));
  return selector;
}
