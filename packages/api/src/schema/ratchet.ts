import { isUnchanged } from "./correlation.ts";
import { type SchemaError, addError } from "./schema-error.ts";
import type { ValueCheck } from "./check.ts";

/** The same check, which forgives all errors of a value that did not change. Source: apiextensions-apiserver ratcheting.go. */
export function ratcheted(check: ValueCheck): ValueCheck {
  return (value, path, errors, correlation) => {
    if (correlation === undefined) return check(value, path, errors, undefined);
    const found: SchemaError[] = [];
    const score = check(value, path, found, correlation);
    if (found.length > 0 && !isUnchanged(correlation)) for (const error of found) addError(errors, error);
    return score;
  };
}
