/** Whether the kinds of the project are in the cluster, served, and as the program declares them. */
import type { CustomResourceDefinition } from "@bowline/api";
import { CustomResourceDefinition as crdKind } from "@bowline/api/apiextensions/v1";
import type { Client } from "@bowline/client";
import { messageOf } from "../errors.ts";
import { crdManifests } from "../manifests/crds.ts";
import type { DeploymentModel, Manifest } from "../manifests/model.ts";
import type { Finding } from "./finding.ts";

export async function checkCrds(client: Client, model: DeploymentModel): Promise<Finding[]> {
  const all = await Promise.all(crdManifests(model).map((manifest) => checkCrd(client, manifest)));
  return all.flat();
}

async function checkCrd(client: Client, manifest: Manifest): Promise<Finding[]> {
  const { name = "" } = manifest.metadata;
  const where = `customresourcedefinition ${name}`;
  const live = (await client.find(crdKind, { name })) as CustomResourceDefinition | undefined;
  if (live === undefined) {
    return [{ check: "crd-missing", where, what: "is not in the cluster", todo: "run bowline install" }];
  }
  return [
    ...conditionFindings(live, where),
    ...storedVersionFindings(live, where),
    ...(await differences(client, manifest, live, where)),
  ];
}

function conditionFindings(live: CustomResourceDefinition, where: string): Finding[] {
  const conditions = live.status?.conditions ?? [];
  const find = (type: string) => conditions.find((condition) => condition.type === type);
  const names = find("NamesAccepted");
  if (names?.status === "False") {
    const todo = "give the kind other names, or remove the definition that has them";
    return [{ check: "crd-names", where, what: `its names are not accepted: ${names.message ?? ""}`, todo }];
  }
  const terminating = find("Terminating");
  if (terminating?.status === "True") {
    const todo = "wait until its objects are gone; a finalizer may hold them: kubectl get them and look";
    return [{ check: "crd-terminating", where, what: terminating.message ?? "is being deleted", todo }];
  }
  const established = find("Established");
  if (established?.status === "True") return [];
  const what = `is not established${established?.message === undefined ? "" : `: ${established.message}`}`;
  return [{ check: "crd-not-established", where, what, todo: "kubectl describe it: its conditions say why" }];
}

function storedVersionFindings(live: CustomResourceDefinition, where: string): Finding[] {
  const storage = live.spec.versions.find((version) => version.storage)?.name;
  const old = (live.status?.storedVersions ?? []).filter((version) => version !== storage);
  if (old.length === 0) return [];
  return [
    {
      check: "crd-stored-versions",
      where,
      what: `objects may still be stored as ${old.join(", ")}, and ${storage} is what is stored now`,
      todo: `write every object once (kubectl get them -o json | kubectl replace -f -), then take ${old.join(", ")} out of status.storedVersions`,
    },
  ];
}

/** What the server would make of the declared one, beside what is there. The conversion is the manager's to write. */
async function differences(
  client: Client,
  manifest: Manifest,
  live: CustomResourceDefinition,
  where: string,
): Promise<Finding[]> {
  try {
    const applied = (await client.apply(crdKind, manifest as never, {
      dryRun: true,
      force: true,
    })) as unknown as CustomResourceDefinition;
    if (JSON.stringify(partsOf(applied)) === JSON.stringify(partsOf(live))) return [];
    const what = "differs from the one that the program declares";
    return [{ check: "crd-differs", where, what, todo: "run bowline install" }];
  } catch (error) {
    const what = `the one that the program declares is refused: ${messageOf(error)}`;
    return [{ check: "crd-refused", where, what, todo: "repair the kind as it says" }];
  }
}

function partsOf({ spec }: CustomResourceDefinition): unknown {
  const { conversion: _conversion, ...rest } = spec;
  return rest;
}
