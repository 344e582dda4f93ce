import { dns1035LabelErrors } from "../object/name.ts";
import { fieldChild, fieldKey } from "../status/field-error.ts";
import type { CrdNames } from "./custom-resource-definition.ts";
import type { ErrorList } from "./error-list.ts";

/** Names are DNS labels; kinds may have upper case. Source: validation.go (ValidateCustomResourceDefinitionNames). */
export function checkNames(names: Partial<CrdNames>, path: string, list: ErrorList): void {
  const { plural = "", singular = "", kind = "", listKind = "" } = names;
  checkLabel(plural, fieldChild(path, "plural"), list);
  checkLabel(singular, fieldChild(path, "singular"), list);
  checkKind(kind, fieldChild(path, "kind"), list);
  checkKind(listKind, fieldChild(path, "listKind"), list);
  for (const [i, name] of (names.shortNames ?? []).entries()) {
    checkListed(name, fieldKey(fieldChild(path, "shortNames"), i), list);
  }
  if (kind !== "" && kind === listKind) {
    list.invalid(fieldChild(path, "listKind"), listKind, "kind and listKind may not be the same");
  }
  for (const [i, name] of (names.categories ?? []).entries()) {
    checkListed(name, fieldKey(fieldChild(path, "categories"), i), list);
  }
}

function checkLabel(name: string, field: string, list: ErrorList): void {
  if (name !== "") checkListed(name, field, list);
}

function checkListed(name: string, field: string, list: ErrorList): void {
  const errors = dns1035LabelErrors(name);
  if (errors.length > 0) list.invalid(field, name, errors.join(","));
}

function checkKind(kind: string, field: string, list: ErrorList): void {
  if (kind === "") return;
  const errors = dns1035LabelErrors(kind.toLowerCase());
  if (errors.length === 0) return;
  list.invalid(field, kind, `may have mixed case, but should otherwise match: ${errors.join(",")}`);
}
