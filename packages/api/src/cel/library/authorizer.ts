/**
 * Questions to the authorizer, for admission policies. Source: Kubernetes' apiserver pkg/cel/library/authz.go.
 */
import type { CelLibrary } from "../environment.ts";
import { declare, memberOverload } from "../function.ts";
import { type CelType, celTypes, structType } from "../type.ts";
import { CelObject, type CelValue, noSuchOverload } from "../value.ts";

const { bool, string } = celTypes;
const prefix = "kubernetes.authorization";
/** The type of the variables `authorizer` and `authorizer.requestResource`. */
export const authorizerType: CelType = structType(`${prefix}.Authorizer`);
export const resourceCheckType: CelType = structType(`${prefix}.ResourceCheck`);
const pathCheckType = structType(`${prefix}.PathCheck`);
const groupCheckType = structType(`${prefix}.GroupCheck`);
const decisionType = structType(`${prefix}.Decision`);

/** What is asked: a resource or, with `path`, a URL that is no resource. */
export interface AuthorizationQuestion {
  readonly verb: string;
  readonly path?: string;
  readonly group?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
  /** Asked for this account instead of the requesting user. */
  readonly serviceAccount?: { readonly namespace: string; readonly name: string };
}

export interface AuthorizationAnswer {
  readonly allowed: boolean;
  readonly reason?: string;
  /** Set when the question could not be answered. */
  readonly error?: string;
}

/** Answers at once: the evaluation cannot wait. */
export type Authorizer = (question: AuthorizationQuestion) => AuthorizationAnswer;

type Draft = Omit<AuthorizationQuestion, "verb">;

class Check extends CelObject {
  readonly type: CelType;
  readonly authorizer: Authorizer;
  readonly draft: Draft;
  constructor(type: CelType, authorizer: Authorizer, draft: Draft) {
    super();
    this.type = type;
    this.authorizer = authorizer;
    this.draft = draft;
  }
  equals(other: CelValue): boolean {
    if (!(other instanceof Check) || other.type !== this.type) throw noSuchOverload();
    return JSON.stringify(this.draft) === JSON.stringify(other.draft);
  }
}

class Decision extends CelObject {
  readonly answer: AuthorizationAnswer;
  constructor(answer: AuthorizationAnswer) {
    super();
    this.answer = answer;
  }
  get type(): CelType {
    return decisionType;
  }
  equals(other: CelValue): boolean {
    if (!(other instanceof Decision)) throw noSuchOverload();
    return JSON.stringify(this.answer) === JSON.stringify(other.answer);
  }
}

/** The value of the variable `authorizer`. */
export function authorizerValue(authorizer: Authorizer): CelObject {
  return new Check(authorizerType, authorizer, {});
}

/** The value of `authorizer.requestResource`: a check of the resource that the request is about. */
export function resourceCheckValue(
  authorizer: Authorizer,
  resource: Omit<AuthorizationQuestion, "verb">,
): CelObject {
  return new Check(resourceCheckType, authorizer, resource);
}

/** A function that adds one text to the question. */
function step(
  name: keyof Draft & string,
  id: string,
  from: CelType,
  to: CelType,
): CelLibrary["functions"][number] {
  return declare(
    name,
    memberOverload(id, [from, string], to, (value, text) => {
      const check = value as Check;
      return new Check(to, check.authorizer, { ...check.draft, [name]: text as string });
    }),
  );
}

function decide(value: CelValue | undefined, verb: CelValue | undefined): Decision {
  const { authorizer, draft } = value as Check;
  return new Decision(authorizer({ ...draft, verb: verb as string }));
}

const answerOf = (value: CelValue | undefined): AuthorizationAnswer => (value as Decision).answer;

export const authorizerLibrary: CelLibrary = {
  functions: [
    step("path", "authorizer_path", authorizerType, pathCheckType),
    step("group", "authorizer_group", authorizerType, groupCheckType),
    declare(
      "serviceAccount",
      memberOverload(
        "authorizer_serviceaccount",
        [authorizerType, string, string],
        authorizerType,
        (value, ns, name) => {
          const check = value as Check;
          const serviceAccount = { namespace: ns as string, name: name as string };
          return new Check(authorizerType, check.authorizer, { ...check.draft, serviceAccount });
        },
      ),
    ),
    step("resource", "groupcheck_resource", groupCheckType, resourceCheckType),
    step("subresource", "resourcecheck_subresource", resourceCheckType, resourceCheckType),
    step("namespace", "resourcecheck_namespace", resourceCheckType, resourceCheckType),
    step("name", "resourcecheck_name", resourceCheckType, resourceCheckType),
    step("fieldSelector", "authorizer_fieldselector", resourceCheckType, resourceCheckType),
    step("labelSelector", "authorizer_labelselector", resourceCheckType, resourceCheckType),
    declare(
      "check",
      memberOverload("pathcheck_check", [pathCheckType, string], decisionType, decide),
      memberOverload("resourcecheck_check", [resourceCheckType, string], decisionType, decide),
    ),
    declare(
      "errored",
      memberOverload(
        "decision_errored",
        [decisionType],
        bool,
        (value) => answerOf(value).error !== undefined,
      ),
    ),
    declare(
      "error",
      memberOverload("decision_error", [decisionType], string, (value) => answerOf(value).error ?? ""),
    ),
    declare(
      "allowed",
      memberOverload("decision_allowed", [decisionType], bool, (value) => answerOf(value).allowed),
    ),
    declare(
      "reason",
      memberOverload("decision_reason", [decisionType], string, (value) => answerOf(value).reason ?? ""),
    ),
  ],
};
