/** Whether the deployed manager may do what the program declares. */
import type { Client } from "@bowline/client";
import { managerRules } from "../manifests/rbac.ts";
import { type DeploymentModel, nameOf } from "../manifests/model.ts";
import type { Finding } from "./finding.ts";

const reviewKind = { apiVersion: "authorization.k8s.io/v1", kind: "SubjectAccessReview" };

interface Asked {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly name?: string;
}

/** One finding per resource, with all verbs that are refused. */
export async function checkAccess(client: Client, model: DeploymentModel): Promise<Finding[]> {
  const account = `${model.namespace}/${nameOf(model, "controller-manager")}`;
  const refused = new Map<string, string[]>();
  await Promise.all(
    questions(model).map(async (asked) => {
      if (await isAllowed(client, model, asked)) return;
      const resource = [asked.resource, asked.group].filter((part) => part !== "").join(".");
      refused.set(resource, [...(refused.get(resource) ?? []), asked.verb]);
    }),
  );
  return [...refused]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([resource, verbs]) => ({
      check: "rbac-missing",
      where: `serviceaccount ${account}`,
      what: `may not ${verbs.sort().join(", ")} ${resource}`,
      todo: "run bowline deploy, which applies the role that follows from the program",
    }));
}

function questions(model: DeploymentModel): Asked[] {
  return managerRules(model).flatMap(({ apiGroups = [], resources = [], verbs, resourceNames }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) =>
        verbs.flatMap((verb) =>
          resourceNames === undefined
            ? [{ verb, group, resource }]
            : resourceNames.map((name) => ({ verb, group, resource, name })),
        ),
      ),
    ),
  );
}

async function isAllowed(client: Client, model: DeploymentModel, asked: Asked): Promise<boolean> {
  const [resource, subresource] = asked.resource.split("/");
  const review = {
    ...reviewKind,
    spec: {
      user: `system:serviceaccount:${model.namespace}:${nameOf(model, "controller-manager")}`,
      groups: ["system:serviceaccounts", `system:serviceaccounts:${model.namespace}`, "system:authenticated"],
      resourceAttributes: {
        verb: asked.verb,
        group: asked.group,
        resource,
        ...(subresource === undefined ? {} : { subresource }),
        ...(asked.name === undefined ? {} : { name: asked.name }),
        ...(model.namespaced ? { namespace: model.namespace } : {}),
      },
    },
  };
  const answer = (await client.create(reviewKind as never, review as never)) as unknown as {
    status?: { allowed?: boolean };
  };
  return answer.status?.allowed === true;
}
