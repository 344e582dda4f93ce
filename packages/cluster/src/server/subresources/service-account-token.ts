/** POST of a TokenRequest. Source: kubernetes pkg/registry/core/serviceaccount/storage (token.go). */
import { type FieldError, badRequest, conflict, invalid, notFound } from "@bowline/api";
import { rfc3339 } from "@bowline/client";
import type { BoundObject } from "../../access/service-account-tokens.ts";
import { deepFreeze } from "@bowline/api";
import { Revision, type StoredObject } from "../../store/revision.ts";
import { negotiatedUnprinted, objectAnswer } from "../answer.ts";
import { builtinBody, decodeObject } from "../decode-object.ts";
import type { ServerResponse } from "../request.ts";
import type { VerbContext } from "../verb-context.ts";
import { notSupported } from "../verbs/update.ts";

interface TokenSpec {
  readonly audiences?: readonly string[] | null;
  readonly expirationSeconds?: number | null;
  readonly boundObjectRef?: {
    readonly apiVersion?: string;
    readonly kind?: string;
    readonly name?: string;
    readonly uid?: string;
  } | null;
}

const kind = { group: "authentication.k8s.io", version: "v1", kind: "TokenRequest" };
const tokenRequest = builtinBody(kind.group, kind.version, kind.kind);
const defaultSeconds = 3600;
const secondsMin = 600;
const secondsMax = 2 ** 32;

/** Issues a token for a service account. */
export async function requestToken(context: VerbContext): Promise<ServerResponse> {
  const { info, resource, ports, request } = context;
  if (info.verb !== "create") throw notSupported(context, info.verb);
  const form = negotiatedUnprinted(context);
  const account = resource.bucket.get(`${info.namespace}/${info.name}`)?.object;
  if (account === undefined) throw notFound({ group: "", resource: "serviceaccounts" }, info.name);
  const body = decodeObject(request, tokenRequest, { fieldValidation: "Ignore", warn: () => {} });
  const spec = (body["spec"] ?? {}) as TokenSpec;
  const expirationSeconds = Number(spec.expirationSeconds ?? defaultSeconds);
  checkExpiration(info.name, expirationSeconds);
  const tokens = ports.access.serviceAccounts;
  const audiences = spec.audiences?.length ? spec.audiences : [tokens.issuer];
  const bound = boundObject(context, account.metadata.name ?? "", spec.boundObjectRef);
  const { token, expiresAt } = tokens.issue({
    namespace: info.namespace,
    name: info.name,
    uid: account.metadata.uid ?? "",
    audiences,
    expirationSeconds,
    ...bound,
  });
  const object = deepFreeze({
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenRequest",
    metadata: {
      creationTimestamp: rfc3339(ports.clock.now()),
      name: info.name,
      namespace: info.namespace,
    },
    spec: { audiences, boundObjectRef: spec.boundObjectRef ?? null, expirationSeconds },
    status: { expirationTimestamp: rfc3339(expiresAt), token },
  }) as unknown as StoredObject;
  return objectAnswer(context, form, { status: 201, revision: new Revision("", 0, object) });
}

function checkExpiration(name: string, seconds: number): void {
  const field = "spec.expirationSeconds";
  const errors: FieldError[] = [];
  if (seconds < secondsMin)
    errors.push({
      type: "Invalid",
      field,
      badValue: seconds,
      detail: "may not specify a duration less than 10 minutes",
    });
  if (seconds > secondsMax)
    errors.push({
      type: "Invalid",
      field,
      badValue: seconds,
      detail: "may not specify a duration larger than 2^32 seconds",
    });
  if (errors.length > 0) throw invalid({ group: kind.group, kind: kind.kind }, name, errors);
}

/** The object that the token shall end with, as it is stored now, and the node of a pod. */
function boundObject(
  context: VerbContext,
  account: string,
  reference: TokenSpec["boundObjectRef"],
): { bound?: BoundObject; node?: { name: string; uid: string | undefined } } {
  if (reference === undefined || reference === null) return {};
  const { kind: kindName = "", apiVersion = "", name = "", uid = "" } = reference;
  if (apiVersion !== "v1" || (kindName !== "Pod" && kindName !== "Secret" && kindName !== "Node")) {
    throw badRequest(
      `cannot bind token for serviceaccount to object of type ${apiVersion}, Kind=${kindName}`,
    );
  }
  const { store } = context.ports;
  const plural = `${kindName.toLowerCase()}s`;
  const key = kindName === "Node" ? name : `${context.info.namespace}/${name}`;
  const found = store.bucket(`/${plural}`).get(key)?.object;
  if (found === undefined) throw notFound({ group: "", resource: plural }, name);
  if (uid !== "" && uid !== found.metadata.uid) {
    const why = `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`;
    throw conflict({ group: "", resource: plural }, name, why);
  }
  const bound: BoundObject = { kind: kindName, name, uid: found.metadata.uid ?? "" };
  if (kindName !== "Pod") return { bound };
  const { serviceAccountName, nodeName = "" } = (found["spec"] ?? {}) as {
    serviceAccountName?: string;
    nodeName?: string;
  };
  if (serviceAccountName !== account) {
    throw badRequest(
      `cannot bind token for serviceaccount "${account}" to pod running with different serviceaccount name.`,
    );
  }
  if (nodeName === "") return { bound };
  return { bound, node: { name: nodeName, uid: store.bucket("/nodes").get(nodeName)?.object.metadata.uid } };
}
