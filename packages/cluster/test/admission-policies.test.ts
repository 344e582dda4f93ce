import type { Status, StatusError } from "@bowline/api";
import type { Transport } from "@bowline/client";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Cluster, createCluster } from "../src/cluster.ts";

const registration = "/apis/admissionregistration.k8s.io/v1";
const deployments = "/apis/apps/v1/namespaces/default/deployments";
const configMaps = "/api/v1/namespaces/default/configmaps";

const ofDeployments = {
  resourceRules: [
    {
      apiGroups: ["apps"],
      apiVersions: ["v1"],
      operations: ["CREATE", "UPDATE"],
      resources: ["deployments"],
    },
  ],
};
const ofConfigMaps = {
  resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["*"], resources: ["configmaps"] }],
};

describe("Admission policies", () => {
  let cluster: Cluster;
  let admin: Transport;
  const audit: string[] = [];

  beforeEach(async () => {
    audit.length = 0;
    cluster = await createCluster({ controllers: false, audit: (line) => audit.push(line) });
    admin = cluster.transport();
  });
  afterEach(() => cluster.close());

  interface Made {
    readonly metadata: {
      readonly labels?: Record<string, string>;
      readonly annotations?: Record<string, string>;
    };
    readonly spec: Record<string, unknown>;
    readonly data: Record<string, string>;
  }
  const post = async (path: string, body: object): Promise<Made> =>
    (await admin.request<Made>({ method: "POST", path, body })).body;
  const errorOf = (promise: Promise<unknown>): Promise<Status> =>
    promise.then(
      () => expect.fail("the request was allowed"),
      (error: StatusError) => error.status,
    );
  const deployment = (name: string, replicas: number): object => {
    const labels = { app: name };
    const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } };
    return { metadata: { name }, spec: { replicas, selector: { matchLabels: labels }, template } };
  };
  const configMap = (name: string, data: object = {}, metadata: object = {}): object => ({
    metadata: { name, ...metadata },
    data,
  });

  describe("that validate", () => {
    const policy = (name: string, spec: object): Promise<Made> =>
      post(`${registration}/validatingadmissionpolicies`, { metadata: { name }, spec });
    const bind = (policyName: string, more: object = {}, name = `${policyName}-binding`): Promise<Made> =>
      post(`${registration}/validatingadmissionpolicybindings`, {
        metadata: { name },
        spec: { policyName, validationActions: ["Deny"], ...more },
      });
    const limit = {
      validations: [{ expression: "object.spec.replicas <= 5" }],
      matchConstraints: ofDeployments,
    };

    it("do nothing without a binding, and refuse at once with one", async () => {
      await policy("limit", limit);
      await post(deployments, deployment("a", 9));
      await bind("limit");
      expect(await errorOf(post(deployments, deployment("b", 9)))).toEqual({
        kind: "Status",
        apiVersion: "v1",
        metadata: {},
        status: "Failure",
        message:
          "deployments.apps \"b\" is forbidden: ValidatingAdmissionPolicy 'limit' with binding 'limit-binding' denied request: failed expression: object.spec.replicas <= 5",
        reason: "Invalid",
        details: {
          name: "b",
          group: "apps",
          kind: "deployments",
          causes: [
            {
              message:
                "ValidatingAdmissionPolicy 'limit' with binding 'limit-binding' denied request: failed expression: object.spec.replicas <= 5",
            },
          ],
        },
        code: 422,
      });
      await post(deployments, deployment("c", 5));
      await admin.request({ method: "DELETE", path: `${registration}/validatingadmissionpolicies/limit` });
      await post(deployments, deployment("d", 9));
    });

    it.each([
      [{ message: "too many" }, "too many", "Invalid", 422],
      [{ messageExpression: "'has ' + string(object.spec.replicas)" }, "has 9", "Invalid", 422],
      [{ messageExpression: "object.nothing", message: "fixed" }, "fixed", "Invalid", 422],
      [{ message: "no", reason: "Forbidden" }, "no", "Forbidden", 403],
      [{ message: "no", reason: "RequestEntityTooLarge" }, "no", "RequestEntityTooLarge", 413],
    ])("say why, with a reason: %j", async (more, text, reason, code) => {
      const messageExpression = (more as { messageExpression?: string }).messageExpression;
      const wrapped =
        messageExpression === "object.nothing"
          ? { ...more, messageExpression: "string(object.nothing)" }
          : more;
      await policy("p", { ...limit, validations: [{ expression: "object.spec.replicas <= 5", ...wrapped }] });
      await bind("p");
      const error = await errorOf(post(deployments, deployment("a", 9)));
      expect(error).toMatchObject({ reason, code });
      expect(error.message).toMatch(new RegExp(`denied request: ${text}$`));
    });

    it("can warn and note for the audit log instead", async () => {
      await policy("p", limit);
      await bind("p", { validationActions: ["Warn", "Audit"] });
      const { warnings } = await admin.request({
        method: "POST",
        path: deployments,
        body: deployment("a", 9),
      });
      expect(warnings).toEqual([
        "Validation failed for ValidatingAdmissionPolicy 'p' with binding 'p-binding': failed expression: object.spec.replicas <= 5",
      ]);
      const { annotations } = JSON.parse(audit.at(-1) ?? "{}") as { annotations: Record<string, string> };
      expect(JSON.parse(annotations["validation.policy.admission.k8s.io/validation_failure"] ?? "")).toEqual([
        {
          message: "failed expression: object.spec.replicas <= 5",
          policy: "p",
          binding: "p-binding",
          expressionIndex: 0,
          validationActions: ["Warn", "Audit"],
        },
      ]);
    });

    it("take parameters by name and by selector, for all of them", async () => {
      await post(configMaps, configMap("small", { max: "3" }, { labels: { use: "limits" } }));
      await post(configMaps, configMap("large", { max: "7" }, { labels: { use: "limits" } }));
      const paramKind = { apiVersion: "v1", kind: "ConfigMap" };
      const validations = [
        {
          expression: "object.spec.replicas <= int(params.data.max)",
          messageExpression: "'max ' + params.data.max",
        },
      ];
      await policy("p", { ...limit, validations, paramKind });
      await bind("p", { paramRef: { name: "large", parameterNotFoundAction: "Deny" } }, "named");
      expect((await errorOf(post(deployments, deployment("a", 9)))).message).toMatch(/max 7$/);
      await post(deployments, deployment("b", 5));
      const selector = { matchLabels: { use: "limits" } };
      await bind("p", { paramRef: { selector, parameterNotFoundAction: "Deny" } }, "selected");
      expect((await errorOf(post(deployments, deployment("c", 5)))).message).toMatch(
        /binding 'selected' .*max 3$/,
      );
    });

    it.each([
      [
        "Deny",
        "denied request: failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction",
      ],
      ["Allow", undefined],
    ])("decide about parameters that are not there: %s", async (parameterNotFoundAction, why) => {
      await policy("p", { ...limit, paramKind: { apiVersion: "v1", kind: "ConfigMap" } });
      await bind("p", { paramRef: { name: "none", parameterNotFoundAction } });
      const made = post(deployments, deployment("a", 9));
      if (why === undefined) await made;
      else expect((await errorOf(made)).message).toContain(why);
    });

    it("compute variables from each other, and tell which failed", async () => {
      const variables = [
        { name: "containers", expression: "object.spec.template.spec.containers" },
        { name: "images", expression: "variables.containers.map(c, c.image)" },
        { name: "bad", expression: "object.spec.nothing" },
      ];
      const validations = [
        { expression: "variables.images.all(i, i.startsWith('registry/'))", message: "bad image" },
      ];
      await policy("p", { ...limit, variables, validations });
      await bind("p");
      expect((await errorOf(post(deployments, deployment("a", 1)))).message).toMatch(/bad image$/);
      await policy("q", { ...limit, variables, validations: [{ expression: "variables.bad == 1" }] });
      await bind("q");
      await admin.request({ method: "DELETE", path: `${registration}/validatingadmissionpolicies/p` });
      expect((await errorOf(post(deployments, deployment("a", 1)))).message).toMatch(
        /denied request: expression 'variables\.bad == 1' resulted in error: composited variable "bad" fails to evaluate: no such key: nothing$/,
      );
    });

    it("forgive failing expressions when failures are to be ignored", async () => {
      const validations = [{ expression: "object.spec.nothing == 1" }];
      await policy("p", { ...limit, validations, failurePolicy: "Ignore" });
      await bind("p");
      await post(deployments, deployment("a", 1));
    });

    it("see request, namespace, old object and authorizer", async () => {
      const validations = [
        { expression: "request.userInfo.username == 'kubernetes-admin'" },
        { expression: "namespaceObject.metadata.name == 'default'" },
        { expression: "request.operation != 'UPDATE' || oldObject.data.a == '1'", message: "old" },
        { expression: "authorizer.requestResource.check('deletecollection').allowed()" },
        { expression: "request.operation != 'DELETE' || object == null" },
      ];
      await policy("p", { matchConstraints: ofConfigMaps, validations });
      await bind("p");
      await post(configMaps, configMap("x", { a: "1" }));
      const put = (a: string): Promise<unknown> =>
        admin.request({ method: "PUT", path: `${configMaps}/x`, body: configMap("x", { a }) });
      await put("2");
      expect((await errorOf(put("3"))).message).toMatch(/old$/);
      await admin.request({ method: "DELETE", path: `${configMaps}/x` });
    });

    it("write audit annotations", async () => {
      const auditAnnotations = [
        { key: "replicas", valueExpression: "'wants ' + string(object.spec.replicas)" },
      ];
      await policy("p", { ...limit, auditAnnotations });
      await bind("p");
      await post(deployments, deployment("a", 2));
      expect(JSON.parse(audit.at(-1) ?? "{}")).toMatchObject({ annotations: { "p/replicas": "wants 2" } });
    });

    const matching: [string, object, object, boolean][] = [
      [
        "rules that are excluded",
        { matchConstraints: { ...ofDeployments, excludeResourceRules: ofDeployments.resourceRules } },
        {},
        false,
      ],
      [
        "names that are given",
        {
          matchConstraints: { resourceRules: [{ ...ofDeployments.resourceRules[0], resourceNames: ["a"] }] },
        },
        {},
        true,
      ],
      [
        "other names",
        {
          matchConstraints: { resourceRules: [{ ...ofDeployments.resourceRules[0], resourceNames: ["b"] }] },
        },
        {},
        false,
      ],
      [
        "a condition",
        { matchConditions: [{ name: "c", expression: "object.metadata.name != 'a'" }] },
        {},
        false,
      ],
      [
        "the binding's namespaces",
        {},
        { matchResources: { namespaceSelector: { matchLabels: { team: "x" } } } },
        false,
      ],
    ];
    it.each(matching)("are for %s: %#", async (_name, more, binding, refused) => {
      await policy("p", { ...limit, ...more });
      await bind("p", binding);
      const made = post(deployments, deployment("a", 9));
      if (refused) expect((await errorOf(made)).code).toBe(422);
      else await made;
    });

    it("tell in their status which expressions do not fit the kinds", async () => {
      const validations = [
        { expression: "object.spec.replicas <= 5" },
        { expression: "object.spec.replica <= 5" },
        { expression: "object.metadata.name == ''", messageExpression: "object.spec.replicas + 'x'" },
      ];
      await policy("p", { ...limit, validations });
      const path = `${registration}/validatingadmissionpolicies/p`;
      const { body } = await admin.request<{ status: object }>({ method: "GET", path });
      const warnings = [
        {
          fieldRef: "spec.validations[1].expression",
          warning:
            "apps/v1, Kind=Deployment: compilation failed: ERROR: <input>:1:12: undefined field 'replica'\n | object.spec.replica <= 5\n | ...........^\n",
        },
        {
          fieldRef: "spec.validations[2].messageExpression",
          warning: expect.stringContaining("found no matching overload for '_+_' applied to '(int, string)'"),
        },
      ];
      expect(body.status).toMatchObject({ typeChecking: { expressionWarnings: warnings } });
    });

    it("are not stored when an expression does not compile", async () => {
      const validations = [{ expression: "object.spec.replicas +" }, { expression: "1" }];
      const error = await errorOf(policy("p", { ...limit, validations }));
      expect(error).toMatchObject({ code: 422, reason: "Invalid" });
      expect(
        error.details?.causes?.map(({ field, message = "" }) => [field, message.split("\n")[0]]),
      ).toEqual([
        [
          "spec.validations[0].expression",
          expect.stringMatching(
            /^Invalid value: "object\.spec\.replicas \+": compilation failed: ERROR: <input>:1:/,
          ),
        ],
        ["spec.validations[1].expression", 'Invalid value: "1": must evaluate to bool but got int'],
      ]);
    });
  });

  describe("that mutate", () => {
    const policy = async (name: string, spec: object): Promise<void> => {
      await post(`${registration}/mutatingadmissionpolicies`, {
        metadata: { name },
        spec: { reinvocationPolicy: "Never", ...spec },
      });
      await post(`${registration}/mutatingadmissionpolicybindings`, {
        metadata: { name },
        spec: { policyName: name },
      });
    };
    const jsonPatch = (expression: string): object => ({ patchType: "JSONPatch", jsonPatch: { expression } });
    const apply = (expression: string): object => ({
      patchType: "ApplyConfiguration",
      applyConfiguration: { expression },
    });

    it("apply a configuration, merging lists by their keys", async () => {
      await policy("p", {
        matchConstraints: ofDeployments,
        mutations: [
          apply(
            "Object{metadata: Object.metadata{labels: {'team': 'x'}}, spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{containers: [Object.spec.template.spec.containers{name: 'side', image: 'proxy'}]}}}}",
          ),
        ],
      });
      const made = await post(deployments, deployment("a", 1));
      expect(made.metadata.labels).toEqual({ team: "x" });
      const template = made.spec["template"] as { spec: { containers: { name: string; image: string }[] } };
      expect(template.spec.containers.map((c) => `${c.name}=${c.image}`)).toEqual(["c=i", "side=proxy"]);
    });

    it("apply JSON patches, one after the other", async () => {
      await policy("p", {
        matchConstraints: ofConfigMaps,
        variables: [{ name: "key", expression: "'k8s.io/' + object.metadata.name" }],
        mutations: [
          jsonPatch("[JSONPatch{op: 'add', path: '/metadata/annotations', value: {variables.key: 'yes'}}]"),
          jsonPatch(
            "[JSONPatch{op: 'add', path: '/metadata/annotations/' + jsonpatch.escapeKey('a/b'), value: string(size(object.metadata.annotations))}]",
          ),
        ],
      });
      const made = await post(configMaps, configMap("x"));
      expect(made.metadata.annotations).toEqual({ "k8s.io/x": "yes", "a/b": "1" });
    });

    it("leave an object alone for which a test of the patch fails", async () => {
      await policy("p", {
        matchConstraints: ofConfigMaps,
        mutations: [
          jsonPatch(
            "[JSONPatch{op: 'test', path: '/data/a', value: '1'}, JSONPatch{op: 'replace', path: '/data/a', value: '2'}]",
          ),
        ],
      });
      expect((await post(configMaps, configMap("x", { a: "1" }))).data).toEqual({ a: "2" });
      expect((await post(configMaps, configMap("y", { a: "3" }))).data).toEqual({ a: "3" });
    });

    it("run again when they want to see what others changed", async () => {
      const count = "[JSONPatch{op: 'add', path: '/data/size', value: string(size(object.data))}]";
      await policy("a", {
        matchConstraints: ofConfigMaps,
        mutations: [jsonPatch(count)],
        reinvocationPolicy: "IfNeeded",
      });
      await policy("b", {
        matchConstraints: ofConfigMaps,
        mutations: [
          jsonPatch("has(object.data.added) ? [] : [JSONPatch{op: 'add', path: '/data/added', value: 'x'}]"),
        ],
      });
      expect((await post(configMaps, configMap("x", { a: "1" }))).data).toEqual({
        a: "1",
        size: "3",
        added: "x",
      });
    });

    it("refuse what they cannot do, unless failures are to be ignored", async () => {
      const mutations = [jsonPatch("[JSONPatch{op: 'remove', path: '/data/' + object.data.none}]")];
      await policy("p", { matchConstraints: ofConfigMaps, mutations, failurePolicy: "Ignore" });
      await post(configMaps, configMap("x"));
      await policy("q", { matchConstraints: ofConfigMaps, mutations });
      expect((await errorOf(post(configMaps, configMap("y", { a: "1" })))).message).toMatch(
        /^policy 'q' with binding 'q' denied request: expression '.*' resulted in error: no such key: none$/,
      );
    });
  });
});
