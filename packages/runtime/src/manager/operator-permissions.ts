/** The permissions that follow from what an operator declares. */
import type { AnyKind } from "@bowline/api";
import type { ControllerDefinition } from "../controller/define-controller.ts";
import type { OperatorDefinition, Permission } from "./operator.ts";

const read = ["get", "list", "watch"] as const;
const readWrite = ["create", "delete", "get", "list", "patch", "update", "watch"] as const;

/**
 * What the controllers of an operator may need, beside its declared permissions: reading what they are for, own and watch;
 * creating, changing and deleting what they own; the status of what they are for, its finalizers, and events. Rules are
 * merged and sorted, so that their text can be kept in a file and compared. Leader election, webhooks and metrics are not
 * part of it: they depend on how the process is started.
 */
export function operatorPermissions(operator: OperatorDefinition): Permission[] {
  const grants = new Grants();
  for (const controller of operator.controllers) grantController(grants, controller, operator);
  if (operator.controllers.length > 0) grants.add("events.k8s.io", "events", ["create", "patch"]);
  return [...grants.rules(), ...(operator.permissions ?? [])];
}

function grantController(
  grants: Grants,
  controller: ControllerDefinition,
  operator: OperatorDefinition,
): void {
  const { kind, owns, options, finalizer } = controller;
  if (kind !== undefined) {
    const { group, plural } = kind;
    grants.add(
      group,
      plural,
      isOwn(operator, kind) || finalizer !== undefined ? [...read, "patch", "update"] : read,
    );
    grants.add(group, `${plural}/status`, ["get", "patch", "update"]);
    // an owner reference that blocks the owner's deletion needs it where OwnerReferencesPermissionEnforcement is on
    if (owns.length > 0 || finalizer !== undefined) grants.add(group, `${plural}/finalizers`, ["update"]);
  }
  for (const owned of owns) grants.add(owned.kind.group, owned.kind.plural, readWrite);
  for (const watched of options.watches ?? []) grants.add(watched.kind.group, watched.kind.plural, read);
}

function isOwn(operator: OperatorDefinition, kind: AnyKind): boolean {
  return operator.kinds
    .flatMap((each) => ("versions" in each ? each.versions : [each]))
    .some((each) => each.group === kind.group && each.plural === kind.plural);
}

/** Verbs by resource, written as few rules. */
class Grants {
  readonly #verbs = new Map<string, Set<string>>();

  add(group: string, resource: string, verbs: readonly string[]): void {
    const key = `${group}/${resource}`;
    const all = this.#verbs.get(key) ?? new Set();
    for (const verb of verbs) all.add(verb);
    this.#verbs.set(key, all);
  }

  /** One rule for the resources of a group that have the same verbs. */
  rules(): Permission[] {
    const byVerbs = new Map<string, { group: string; resources: string[]; verbs: string[] }>();
    for (const [key, verbs] of this.#verbs) {
      const slash = key.indexOf("/");
      const [group, resource] = [key.slice(0, slash), key.slice(slash + 1)];
      const sorted = [...verbs].sort();
      const rule = byVerbs.get(`${group}|${sorted.join()}`);
      if (rule === undefined)
        byVerbs.set(`${group}|${sorted.join()}`, { group, resources: [resource], verbs: sorted });
      else rule.resources.push(resource);
    }
    return [...byVerbs.values()]
      .map(({ group, resources, verbs }) => ({ apiGroups: [group], resources: resources.sort(), verbs }))
      .sort((a, b) => (textOf(a) < textOf(b) ? -1 : 1));
  }
}

function textOf(rule: { apiGroups: readonly string[]; resources: readonly string[] }): string {
  return `${rule.apiGroups.join()}/${rule.resources.join()}`;
}
