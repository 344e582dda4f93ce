/** Everything that decides who may do what in one cluster. */
import type { Clock, Random } from "@bowline/client";
import type { AdmissionPlugin } from "../registry/admission.ts";
import type { UserInfo } from "../registry/user.ts";
import type { Store } from "../store/store.ts";
import { type Authenticator, createAuthenticator } from "./authentication.ts";
import { type Authorizer, allowAll } from "./authorization.ts";
import { NodeAuthorizer, firstToAllow } from "./node/node-authorizer.ts";
import { NodeRelations } from "./node/node-relations.ts";
import { systemNodeRules } from "./rbac/bootstrap-cluster-roles.ts";
import { bootstrapPolicy } from "./rbac/bootstrap-policy.ts";
import { escalationCheck } from "./rbac/escalation-check.ts";
import { RbacAuthorizer } from "./rbac/rbac-authorizer.ts";
import { RbacIndex } from "./rbac/rbac-index.ts";
import { aggregateRoles } from "./rbac/role-aggregation.ts";
import { keptSigningKey } from "./kept-signing-key.ts";
import { RequestRecorder } from "./request-recorder.ts";
import { ServiceAccountTokens } from "./service-account-tokens.ts";

/** `RBAC`: with the node authorizer before it, as `--authorization-mode=Node,RBAC`. `AlwaysAllow`: no request of a known user is refused, as on a server without authorization. */
export type AuthorizationMode = "RBAC" | "AlwaysAllow";

export interface AccessControlOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  /** Default `RBAC`. */
  readonly authorization?: AuthorizationMode | undefined;
  /** Fixed bearer tokens and whose they are. */
  readonly tokens?: ReadonlyMap<string, UserInfo> | undefined;
  /** Folder that keeps the key which signs tokens of service accounts. Default: a new key for every start. */
  readonly keyFolder?: string | undefined;
  /** Hears of every answered request, as one line of JSON (audit.k8s.io/v1, level Metadata). */
  readonly audit?: ((line: string) => void) | undefined;
}

export class AccessControl {
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
  /** What roles grant, whichever mode decides. */
  readonly rbac: RbacAuthorizer;
  readonly serviceAccounts: ServiceAccountTokens;
  readonly recorder: RequestRecorder = new RequestRecorder();
  readonly audit: ((line: string) => void) | undefined;
  /** Belongs at the end of the mutating admission plug-ins. */
  readonly escalationCheck: AdmissionPlugin;
  readonly #index: RbacIndex;
  readonly #nodes: NodeRelations;
  readonly #tokens: Map<string, UserInfo>;
  readonly #options: AccessControlOptions;
  readonly #stopAggregation: () => void;

  constructor(options: AccessControlOptions) {
    const { store, clock, random } = options;
    this.#options = options;
    this.audit = options.audit;
    this.serviceAccounts = new ServiceAccountTokens({
      store,
      now: () => clock.now(),
      random,
      signingKey: keptSigningKey(options.keyFolder),
    });
    this.#tokens = new Map(options.tokens);
    this.authenticator = createAuthenticator({ tokens: this.#tokens, serviceAccounts: this.serviceAccounts });
    this.#index = new RbacIndex(store);
    this.rbac = new RbacAuthorizer(this.#index);
    this.#nodes = new NodeRelations(store);
    this.authorizer =
      options.authorization === "AlwaysAllow"
        ? allowAll
        : firstToAllow(new NodeAuthorizer(this.#nodes, systemNodeRules), this.rbac);
    this.escalationCheck =
      options.authorization === "AlwaysAllow"
        ? { name: "RbacEscalation" }
        : escalationCheck(this.#index, this.rbac);
    this.#stopAggregation = aggregateRoles(store);
  }

  /** Puts the roles that every cluster has into the store. Cheap: they share their rules with all clusters of the process. */
  bootstrap(): void {
    const { store, clock, random } = this.#options;
    bootstrapPolicy(store, { now: () => clock.now(), uuid: () => random.uuid() });
  }

  /** Accepts one more fixed bearer token. */
  addToken(token: string, user: UserInfo): void {
    this.#tokens.set(token, user);
  }

  close(): void {
    this.#stopAggregation();
    this.#nodes.close();
    this.#index.close();
  }
}
