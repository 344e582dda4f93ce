import { badRequest, conflict } from "@bowline/api";
import { rfc3339 } from "@bowline/client";
import { resourceName, updateObject } from "../../registry/generic-registry.ts";
import { withMetadata } from "../../registry/metadata.ts";
import type { StoredObject } from "../../store/revision.ts";
import { builtinBody, decodeObject } from "../decode-object.ts";
import type { ServerResponse } from "../request.ts";
import { type VerbContext, writeContext } from "../verb-context.ts";
import { notSupported } from "../verbs/update.ts";

interface PodFields {
  readonly spec?: { readonly nodeName?: string };
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

const bindingBody = builtinBody("", "v1", "Binding");

/** POST of a Binding: the scheduler's word on which node a pod runs. Source: kubernetes pkg/registry/core/pod/storage (BindingREST). */
export async function bindPod(context: VerbContext): Promise<ServerResponse> {
  const { info, resource, ports, request } = context;
  if (info.verb !== "create") throw notSupported(context, info.verb);
  const { target, metadata } = decodeObject(request, bindingBody, {
    fieldValidation: "Ignore",
    warn: () => {},
  }) as unknown as {
    target?: { name?: string };
    metadata?: { uid?: string };
  };
  const node = target?.name ?? "";
  if (node === "") throw badRequest('Binding "" is invalid: target.name: Required value');
  const write = writeContext(context, {
    dryRun: false,
    fieldManager: "",
    options: { kind: "CreateOptions" },
  });
  await updateObject(resource, write, {
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
      Promise.resolve({ object: bound(current as StoredObject & PodFields), tracked: false }),
  });
  const object = Object.freeze({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Success",
    code: 201,
  });
  return { kind: "object", status: 201, headers: { "content-type": "application/json" }, object };

  function bound(pod: StoredObject & PodFields): StoredObject {
    const name = resourceName(resource);
    if (metadata?.uid !== undefined && metadata.uid !== "" && metadata.uid !== pod.metadata.uid) {
      throw conflict(name, info.name, "the UID in the precondition does not match the UID in record");
    }
    if (pod.metadata.deletionTimestamp !== undefined)
      throw conflict(name, info.name, `pod ${info.name} is being deleted, cannot be assigned to a host`);
    if (pod.spec?.nodeName)
      throw conflict(name, info.name, `pod ${info.name} is already assigned to node "${pod.spec.nodeName}"`);
    const scheduled = {
      type: "PodScheduled",
      status: "True",
      lastProbeTime: null,
      lastTransitionTime: rfc3339(ports.clock.now()),
    };
    const others = pod.status?.conditions?.filter((c) => c.type !== "PodScheduled") ?? [];
    return {
      ...pod,
      spec: { ...pod.spec, nodeName: node },
      status: { ...pod.status, conditions: [...others, scheduled] },
    } as StoredObject;
  }
}
