/** The kinds of an operator as a catalogue shows them, with what their fields are called and how they are shown. */
import { crdManifest } from "@bowline/api";
import type { OperatorDefinition } from "@bowline/runtime";
import type { DeploymentModel } from "../manifests/model.ts";

interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly "x-kubernetes-validations"?: readonly object[];
}

interface Version {
  readonly name: string;
  readonly schema?: { readonly openAPIV3Schema?: Schema };
  readonly selectableFields?: readonly object[];
}

function versionsOf(kind: OperatorDefinition["kinds"][number]): {
  names: { kind: string; plural: string };
  group: string;
  versions: readonly Version[];
} {
  const { spec } = crdManifest(kind) as unknown as {
    spec: { group: string; names: { kind: string; plural: string }; versions: Version[] };
  };
  return spec;
}

/** One entry per kind and version. */
export function ownedKinds(operator: OperatorDefinition): object[] {
  return operator.kinds.flatMap((each) => {
    const { group, names, versions } = versionsOf(each);
    return versions.map(({ name: version, schema }) => {
      const { description, properties } = schema?.openAPIV3Schema ?? {};
      return {
        name: `${names.plural}.${group}`,
        version,
        kind: names.kind,
        displayName: words(names.kind),
        description: description ?? `A ${words(names.kind)}.`,
        resources: resourcesOf(operator, group, names.kind),
        specDescriptors: descriptors(properties?.["spec"]),
        statusDescriptors: descriptors(properties?.["status"]),
      };
    });
  });
}

/** What the controllers of a kind create. */
function resourcesOf(operator: OperatorDefinition, group: string, kind: string): object[] {
  const owned = operator.controllers
    .filter((controller) => controller.kind?.group === group && controller.kind.kind === kind)
    .flatMap((controller) => controller.owns.map((each) => each.kind));
  const seen = new Map(
    owned.map((each) => [each.kind, { kind: each.kind, name: "", version: each.version }]),
  );
  return [...seen.values()].sort((a, b) => (a.kind < b.kind ? -1 : 1));
}

/** One for every field of spec or status that is shown by itself. */
function descriptors(schema: Schema | undefined): object[] {
  return Object.entries(schema?.properties ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, field]) => {
      const shown = shownAs(path, field);
      return {
        path,
        displayName: words(path),
        ...(field.description === undefined ? {} : { description: field.description }),
        ...(shown === undefined ? {} : { "x-descriptors": [shown] }),
      };
    });
}

/** Source: openshift/console, the descriptors reference. */
function shownAs(path: string, { type, items }: Schema): string | undefined {
  if (path === "conditions" && items?.properties?.["type"] !== undefined)
    return "urn:alm:descriptor:io.kubernetes.conditions";
  const ui = "urn:alm:descriptor:com.tectonic.ui";
  if (path === "replicas") return `${ui}:podCount`;
  const byType: Record<string, string> = {
    integer: "number",
    number: "number",
    boolean: "booleanSwitch",
    string: "text",
  };
  const name = byType[type ?? ""];
  return name === undefined ? undefined : `${ui}:${name}`;
}

/** `CronJob` is `Cron Job`, `successfulJobsHistoryLimit` is `Successful Jobs History Limit`. */
function words(name: string): string {
  const spaced = name.replace(/([a-z0-9])([A-Z])/g, "$1 $2");
  return `${spaced.slice(0, 1).toUpperCase()}${spaced.slice(1)}`;
}

/** The oldest Kubernetes that understands the definitions: what they use came with it. */
export function minKubeVersion({ operator }: DeploymentModel): string {
  const versions = operator.kinds.flatMap((kind) => versionsOf(kind).versions);
  if (versions.some((version) => (version.selectableFields ?? []).length > 0)) return "1.31.0";
  if (versions.some((version) => hasRules(version.schema?.openAPIV3Schema))) return "1.25.0";
  // server-side apply, by which the operator writes
  return "1.22.0";
}

function hasRules(schema: unknown): boolean {
  if (typeof schema !== "object" || schema === null) return false;
  return "x-kubernetes-validations" in schema || Object.values(schema).some(hasRules);
}
