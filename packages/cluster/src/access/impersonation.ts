/**
 * Acting as somebody else by headers, which needs the permission to impersonate every part of who that is.
 * Source: k8s.io/apiserver pkg/endpoints/filters/impersonation.
 */
import { badRequest, forbidden } from "@bowline/api";
import type { UserInfo } from "../registry/user.ts";
import { type AuthorizationRequest, type Authorizer, refusal } from "./authorization.ts";
import { authenticated } from "./authentication.ts";
import { serviceAccountUser } from "./service-account-tokens.ts";

type Headers = Readonly<Record<string, string | undefined>>;

const extraPrefix = "impersonate-extra-";
const identityGroup = "authentication.k8s.io";

/** Who a request acts as: the impersonated user when its headers say so, else the user themself. @throws StatusError 403 */
export function actingUser(user: UserInfo, headers: Headers, authorizer: Authorizer): UserInfo {
  const wanted = readHeaders(headers);
  if (wanted === undefined) return user;
  for (const check of checksOf(wanted)) {
    const request: AuthorizationRequest = {
      user,
      info: { isResource: true, verb: "impersonate", namespace: "", subresource: "", ...check },
      path: "",
    };
    const decision = authorizer.authorize(request);
    if (!decision.allowed) {
      throw forbidden(
        { group: check.group, resource: check.resource },
        check.name,
        refusal(request, decision),
      );
    }
  }
  return completed(wanted);
}

interface Wanted {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

function readHeaders(headers: Headers): Wanted | undefined {
  const name = headers["impersonate-user"] ?? "";
  const groups = listed(headers["impersonate-group"]);
  const uid = headers["impersonate-uid"] ?? "";
  const extra: Record<string, readonly string[]> = {};
  for (const header in headers) {
    if (!header.startsWith(extraPrefix)) continue;
    extra[unescaped(header.slice(extraPrefix.length))] = listed(headers[header]);
  }
  if (name !== "") return { name, uid, groups, extra };
  if (groups.length === 0 && uid === "" && Object.keys(extra).length === 0) return undefined;
  throw badRequest("requested impersonation of groups, uid or extra without impersonating a user");
}

/** Values of a header that may be repeated. */
function listed(value: string | undefined): string[] {
  return value === undefined ? [] : value.split(/,\s*/).filter((v) => v !== "");
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text).toLowerCase();
  } catch {
    return text;
  }
}

type Check = Pick<AuthorizationRequest["info"], "group" | "resource" | "name"> &
  Partial<Pick<AuthorizationRequest["info"], "namespace" | "subresource">>;

function checksOf({ name, groups, uid, extra }: Wanted): Check[] {
  const account = accountOf(name);
  return [
    account === undefined
      ? { group: "", resource: "users", name }
      : { group: "", resource: "serviceaccounts", name: account.name, namespace: account.namespace },
    ...groups.map((group): Check => ({ group: "", resource: "groups", name: group })),
    ...Object.entries(extra).flatMap(([key, values]) =>
      values.map(
        (value): Check => ({
          group: identityGroup,
          resource: "userextras",
          subresource: key,
          name: value,
        }),
      ),
    ),
    ...(uid === "" ? [] : [{ group: identityGroup, resource: "uids", name: uid }]),
  ];
}

function accountOf(user: string): { readonly namespace: string; readonly name: string } | undefined {
  const [, namespace, name] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(user) ?? [];
  return namespace === undefined || name === undefined ? undefined : { namespace, name };
}

function completed({ name, uid, groups, extra }: Wanted): UserInfo {
  const account = accountOf(name);
  const own =
    groups.length === 0 && account !== undefined
      ? serviceAccountUser(account.namespace, account.name).groups
      : groups;
  const user: UserInfo = {
    name,
    groups: own,
    ...(uid === "" ? {} : { uid }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
  if (name === "system:anonymous") {
    return own.includes("system:unauthenticated")
      ? user
      : { ...user, groups: [...own, "system:unauthenticated"] };
  }
  return own.includes("system:unauthenticated") ? user : authenticated(user);
}
