import { type FieldError, badRequest, conflict, failure, fieldErrorsText } from "@bowline/api";
import { rfc3339 } from "@bowline/client";
import { modified, resourceName, uidConflict, updateObject } from "../../registry/generic-registry.ts";
import { withMetadata } from "../../registry/metadata.ts";
import type { StoredObject } from "../../store/revision.ts";
import { builtinBody } from "../decode-object.ts";
import type { ServerResponse } from "../request.ts";
import type { VerbContext } from "../verb-context.ts";
import { notSupported } from "../verbs/update.ts";
import { postedObject, successAnswer, withoutAdmission } from "./posted-object.ts";

interface PodFields {
  readonly spec?: { readonly nodeName?: string; readonly schedulingGates?: readonly unknown[] };
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

type Binding = StoredObject & { readonly target?: { readonly name?: string; readonly kind?: string } };

const bindingBody = builtinBody("", "v1", "Binding");

/** POST of a Binding: the scheduler's word on which node a pod runs. Source: kubernetes pkg/registry/core/pod/storage (BindingREST). */
export async function bindPod(context: VerbContext): Promise<ServerResponse> {
  const { info, resource } = context;
  if (info.verb !== "create") throw notSupported(context, info.verb);
  const posted = await postedObject(context, bindingBody);
  const binding = posted.object as Binding;
  if (binding.metadata.name !== info.name)
    throw badRequest("name in URL does not match name in Binding object");
  checkTarget(binding);
  await posted.validate(binding);
  await updateObject(resource, withoutAdmission(posted.write), {
    namespace: info.namespace,
    name: info.name,
    subresource: "binding",
    strategy: {
      ...resource.strategy,
      prepareForUpdate: (object, old) => withMetadata(object, { generation: old.metadata.generation }),
      validateUpdate: () => ({ errors: [], warnings: [] }),
    },
    createsMissing: false,
    retriesConflicts: true,
    compute: (current) =>
      Promise.resolve({ object: bound(context, current as StoredObject, binding), tracked: false }),
  });
  return successAnswer(posted.form);
}

function checkTarget({ target }: Binding): void {
  const errors: FieldError[] = [];
  const { kind = "", name = "" } = target ?? {};
  if (kind !== "" && kind !== "Node") {
    const detail = 'supported values: "Node", "<empty>"';
    errors.push({ type: "NotSupported", field: "target.kind", badValue: kind, detail });
  }
  if (name === "") errors.push({ type: "Required", field: "target.name", detail: "" });
  // the real server forgets to make a Status of it
  if (errors.length > 0) throw failure(500, "", fieldErrorsText(errors));
}

/** The pod on its node. @throws StatusError 409 when it cannot be put there */
function bound(context: VerbContext, pod: StoredObject & PodFields, binding: Binding): StoredObject {
  const { resource, info, ports } = context;
  const { name } = info;
  const { uid = "", resourceVersion = "", annotations, labels } = binding.metadata;
  if (uid !== "" && uid !== pod.metadata.uid)
    throw uidConflict(resource, info.namespace, name, uid, pod.metadata.uid ?? "");
  if (resourceVersion !== "" && resourceVersion !== pod.metadata.resourceVersion)
    throw conflict(resourceName(resource), name, modified);
  const refuse = (why: string): Error => conflict({ group: "", resource: "pods/binding" }, name, why);
  if (pod.metadata.deletionTimestamp !== undefined)
    throw refuse(`pod ${name} is being deleted, cannot be assigned to a host`);
  if (pod.spec?.nodeName) throw refuse(`pod ${name} is already assigned to node "${pod.spec.nodeName}"`);
  if ((pod.spec?.schedulingGates?.length ?? 0) > 0)
    throw refuse(`pod ${name} has non-empty .spec.schedulingGates`);
  const scheduled = {
    type: "PodScheduled",
    status: "True",
    lastProbeTime: null,
    lastTransitionTime: rfc3339(ports.clock.now()),
  };
  const others = pod.status?.conditions?.filter((c) => c.type !== "PodScheduled") ?? [];
  const assigned = {
    ...pod,
    spec: { ...pod.spec, nodeName: binding.target?.name ?? "" },
    status: { ...pod.status, conditions: [...others, scheduled] },
  } as StoredObject;
  return withMetadata(assigned, {
    ...(annotations && { annotations: { ...pod.metadata.annotations, ...annotations } }),
    // what the pod says of itself counts
    ...(labels && { labels: { ...labels, ...pod.metadata.labels } }),
  });
}
