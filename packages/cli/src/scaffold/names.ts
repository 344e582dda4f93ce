/** Names that a person types on the command line, checked before anything is written. */
import { dns1035LabelErrors, dns1123LabelErrors, dns1123SubdomainErrors } from "@bowline/api";
import { UsageError } from "../errors.ts";

function check(flag: string, value: string, problems: readonly string[]): string {
  if (problems.length > 0) throw new UsageError(`${flag} ${JSON.stringify(value)}: ${problems.join("; ")}`);
  return value;
}

/** `example.com`. @throws UsageError */
export function checkDomain(value: string): string {
  return check("--domain", value, dns1123SubdomainErrors(value));
}

/** `shop-operator`: begins the names of all manifests, so it must be a label. @throws UsageError */
export function checkProjectName(value: string): string {
  return check("--project-name", value, dns1123LabelErrors(value));
}

/** `apps`, the part before the domain; empty: the domain alone is the group. @throws UsageError */
export function checkGroup(value: string): string {
  if (value !== "") check("--group", value, dns1123SubdomainErrors(value));
  return value;
}

/** `v1`, `v1beta1`. @throws UsageError */
export function checkVersion(value: string): string {
  const problems = /^v[1-9]\d*((alpha|beta)[1-9]\d*)?$/.test(value)
    ? []
    : ["must be like v1, v1beta1 or v2alpha3"];
  return check("--version", value, problems);
}

/** `CronJob`. @throws UsageError */
export function checkKind(value: string): string {
  const problems = [
    ...(/^[A-Z][A-Za-z0-9]*$/.test(value)
      ? []
      : ["must be one word that begins with a capital, like CronJob"]),
    ...dns1035LabelErrors(value.toLowerCase()),
  ];
  return check("--kind", value, problems);
}

/** `cronjobs`. @throws UsageError */
export function checkPlural(value: string): string {
  return check("--plural", value, dns1035LabelErrors(value));
}

/** The full API group: `apps.example.com`. */
export function qualifiedGroup(group: string, domain: string): string {
  return [group, domain].filter((part) => part !== "").join(".");
}

/** A name in camel case for a variable: `cronJob`. */
export function variableName(kind: string): string {
  return `${kind.slice(0, 1).toLowerCase()}${kind.slice(1)}`;
}
