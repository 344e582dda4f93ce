/** POST of a TokenRequest. Source: kubernetes pkg/registry/core/serviceaccount/storage (token.go). */
import { type FieldError, badRequest, conflict, invalid, notFound } from "@bowline/api";
import { rfc3339 } from "@bowline/client";
import type { BoundObject } from "../../access/service-account-tokens.ts";
import { deepFreeze } from "@bowline/api";
import { Revision, type StoredObject } from "../../store/revision.ts";
import { objectAnswer } from "../answer.ts";
import { builtinBody } from "../decode-object.ts";
import type { ServerResponse } from "../request.ts";
import type { VerbContext } from "../verb-context.ts";
import { notSupported } from "../verbs/update.ts";
import { postedObject } from "./posted-object.ts";

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
  const { info, resource, ports } = context;
  if (info.verb !== "create") throw notSupported(context, info.verb);
  const posted = await postedObject(context, tokenRequest);
  const { object: asked } = posted;
  const { name = "" } = asked.metadata;
  if (name !== "" && name !== info.name) {
    const detail = "must match the service account name if specified";
    throw refused(info.name, { type: "Invalid", field: "metadata.name", badValue: name, detail });
  }
  const account = resource.bucket.get(`${info.namespace}/${info.name}`)?.object;
  if (account === undefined) throw notFound({ group: "", resource: "serviceaccounts" }, info.name);
  checkUid(asked, account);
  const spec = (asked["spec"] ?? {}) as TokenSpec;
  const tokens = ports.access.serviceAccounts;
  const expirationSeconds = Number(spec.expirationSeconds ?? defaultSeconds);
  const audiences = spec.audiences?.length ? spec.audiences : [tokens.issuer];
  const request = {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenRequest",
    metadata: {
      name: info.name,
      namespace: info.namespace,
      creationTimestamp: rfc3339(ports.clock.now()),
    },
    spec: { audiences, boundObjectRef: spec.boundObjectRef ?? null, expirationSeconds },
  };
  checkExpiration(expirationSeconds);
  await posted.validate(request as unknown as StoredObject);
  const bound = boundObject(context, account.metadata.name ?? "", spec.boundObjectRef);
  const { token, expiresAt } = tokens.issue({
    namespace: info.namespace,
    name: info.name,
    uid: account.metadata.uid ?? "",
    audiences,
    expirationSeconds,
    ...bound,
  });
  const status = { expirationTimestamp: rfc3339(expiresAt), token };
  const object = deepFreeze({ ...request, status }) as unknown as StoredObject;
  return objectAnswer(context, posted.form, { status: 201, revision: new Revision("", 0, object) });
}

function refused(name: string, ...errors: readonly FieldError[]): Error {
  return invalid({ group: kind.group, kind: kind.kind }, name, errors);
}

/** A request may name the account that it means by its uid. */
function checkUid(asked: StoredObject, account: StoredObject): void {
  const { uid = "" } = asked.metadata;
  if (uid === "" || uid === account.metadata.uid) return;
  const why = `the UID in the token request (${uid}) does not match the UID of the service account (${account.metadata.uid})`;
  throw conflict({ group: kind.group, resource: kind.kind }, account.metadata.name ?? "", why);
}

function checkExpiration(seconds: number): void {
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
  if (errors.length > 0) throw refused("", ...errors);
}

/** The object that the token shall end with, as it is stored now, and the node of a pod. */
function boundObject(
  context: VerbContext,
  account: string,
  reference: TokenSpec["boundObjectRef"],
): { bound?: BoundObject; node?: { name: string; uid: string | undefined } } {
  if (reference === undefined || reference === null) return {};
  const { kind: kindName = "", apiVersion = "", name = "", uid = "" } = reference;
  if (apiVersion.includes("/") || (kindName !== "Pod" && kindName !== "Secret" && kindName !== "Node")) {
    const shown = apiVersion.includes("/") ? apiVersion : `/${apiVersion}`;
    throw badRequest(`cannot bind token for serviceaccount to object of type ${shown}, Kind=${kindName}`);
  }
  const { store } = context.ports;
  const plural = `${kindName.toLowerCase()}s`;
  const key = kindName === "Node" ? name : `${context.info.namespace}/${name}`;
  const found = store.bucket(`/${plural}`).get(key)?.object;
  if (found === undefined) throw notFound({ group: "", resource: plural }, name);
  const { serviceAccountName, nodeName = "" } = (found["spec"] ?? {}) as {
    serviceAccountName?: string;
    nodeName?: string;
  };
  if (kindName === "Pod" && serviceAccountName !== account) {
    throw badRequest(
      `cannot bind token for serviceaccount "${account}" to pod running with different serviceaccount name.`,
    );
  }
  if (uid !== "" && uid !== found.metadata.uid) {
    const why = `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`;
    throw conflict({ group: "", resource: kindName }, name, why);
  }
  const bound: BoundObject = { kind: kindName, name, uid: found.metadata.uid ?? "" };
  if (kindName !== "Pod") return { bound };
  if (nodeName === "") return { bound };
  return { bound, node: { name: nodeName, uid: store.bucket("/nodes").get(nodeName)?.object.metadata.uid } };
}
