import { expect } from "vitest";

/** One thing that can be seen from outside: what it is, what was seen, what is right. */
export type Fact = readonly [claim: string, seen: unknown, expected: unknown];

/** All facts of a table hold; those that do not are shown by their claims. */
export function expectFacts(facts: readonly Fact[]): void {
  const seen = facts.map(([claim, value]) => [claim, value]);
  const expected = facts.map(([claim, , value]) => [claim, value]);
  expect(seen).toEqual(expected);
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string | undefined;
}

/** `True MinimumReplicasAvailable` of one condition; undefined when it is not there. */
export function condition(
  object: { readonly status?: { readonly conditions?: readonly Condition[] | undefined } | undefined },
  type: string,
): string | undefined {
  const found = object.status?.conditions?.find((one) => one.type === type);
  if (found === undefined) return undefined;
  return found.reason === undefined ? found.status : `${found.status} ${found.reason}`;
}
