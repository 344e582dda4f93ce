/** Named after the official conformance tests that they re-express; what each does is ours. */
import { Deployment } from "@bowline/api/apps/v1";
import { describe, expect, it } from "vitest";
import { type World, deploymentOf, newWorld } from "../controllers/world.ts";
import { supportsApiOperations } from "./api-operations.ts";
import { Endpoint, type Sent } from "./endpoint.ts";
import { without } from "./requests.ts";

describe("[sig-api-machinery] ValidatingAdmissionPolicy [Privileged:ClusterAdmin]", () => {
  const registration = "admissionregistration.k8s.io/v1";
  const policy = (name: string, spec: object = {}): Sent => ({
    apiVersion: registration,
    kind: "ValidatingAdmissionPolicy",
    metadata: { name },
    spec: {
      matchConstraints: {
        resourceRules: [
          {
            apiGroups: ["apps"],
            apiVersions: ["v1"],
            operations: ["CREATE", "UPDATE"],
            resources: ["deployments"],
          },
        ],
      },
      validations: [{ expression: "object.spec.replicas <= 5" }],
      ...spec,
    },
  });
  const binding = (name: string, policyName: string): Sent => ({
    apiVersion: registration,
    kind: "ValidatingAdmissionPolicyBinding",
    metadata: { name },
    spec: { policyName, validationActions: ["Deny"] },
  });
  const policies = (world: World): Endpoint =>
    new Endpoint(world, `${registration}/validatingadmissionpolicies`);
  const bindings = (world: World): Endpoint =>
    new Endpoint(world, `${registration}/validatingadmissionpolicybindings`);
  const deploy = (world: World, name: string, replicas: number): Promise<unknown> =>
    world.client.create(Deployment, deploymentOf(name, { replicas }) as never);

  it("should support ValidatingAdmissionPolicy API operations", async () => {
    await supportsApiOperations(await newWorld(without), {
      gvr: `${registration}/validatingadmissionpolicies`,
      make: (name) => policy(`policy-${name}`),
      status: {
        conditions: [
          {
            type: "Tested",
            status: "True",
            reason: "Tested",
            message: "",
            lastTransitionTime: "2026-01-01T00:00:00Z",
          },
        ],
      },
    });
  });

  it("should support ValidatingAdmissionPolicyBinding API operations", async () => {
    await supportsApiOperations(await newWorld(without), {
      gvr: `${registration}/validatingadmissionpolicybindings`,
      make: (name) => binding(`binding-${name}`, "some-policy"),
    });
  });

  it("should validate against a Deployment", async () => {
    const world = await newWorld(without);
    await policies(world).create(policy("limit"));
    await bindings(world).create(binding("limit-here", "limit"));
    await deploy(world, "small", 2);
    await expect(deploy(world, "large", 6)).rejects.toThrow(/failed expression: object.spec.replicas <= 5/);
  });

  it("should allow expressions to refer variables", async () => {
    const world = await newWorld(without);
    await policies(world).create(
      policy("even", {
        variables: [
          { name: "replicas", expression: "object.spec.replicas" },
          { name: "oddReplicas", expression: "variables.replicas % 2 == 1" },
        ],
        validations: [{ expression: "variables.replicas > 1" }, { expression: "variables.oddReplicas" }],
      }),
    );
    await bindings(world).create(binding("even-here", "even"));
    await deploy(world, "three", 3);
    await expect(deploy(world, "one", 1)).rejects.toThrow(/variables.replicas > 1/);
    await expect(deploy(world, "four", 4)).rejects.toThrow(/variables.oddReplicas/);
  });
});
