import { describe, expect, it } from "vitest";
import type { Spec } from "./pod-fields.ts";
import { type SecurityLevel, podViolations, violationsText } from "./pod-security-checks.ts";

const container = (securityContext: object = {}, more: object = {}): object => ({
  name: "c",
  image: "i",
  securityContext,
  ...more,
});
const restrictedContainer = { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } };
const restrictedPod = { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } };
const spec = (fields: object, ...containers: object[]): Spec =>
  ({ containers: containers.length === 0 ? [container()] : containers, ...fields }) as unknown as Spec;
/** A pod that is restricted but for these fields. */
const restricted = (fields: object, securityContext: object = {}): Spec =>
  spec(
    {
      ...fields,
      securityContext: { ...restrictedPod, ...(fields as { securityContext?: object }).securityContext },
    },
    container({ ...restrictedContainer, ...securityContext }),
  );

const cases: [SecurityLevel, string, Spec, string][] = [
  ["privileged", "anything", spec({ hostNetwork: true }), ""],
  ["baseline", "a plain pod", spec({}), ""],
  [
    "baseline",
    "host namespaces",
    spec({ hostPID: true, hostIPC: true }),
    "host namespaces (hostPID=true, hostIPC=true)",
  ],
  [
    "baseline",
    "capabilities",
    spec({}, container({ capabilities: { add: ["NET_ADMIN", "CHOWN", "BPF"] } })),
    'non-default capabilities (container "c" must not include "BPF", "NET_ADMIN" in securityContext.capabilities.add)',
  ],
  [
    "baseline",
    "host paths",
    spec({ volumes: [{ name: "v", hostPath: { path: "/" } }] }),
    'hostPath volumes (volume "v")',
  ],
  [
    "baseline",
    "host ports",
    spec({}, container({}, { ports: [{ hostPort: 80 }, { hostPort: 443 }, {}] }), {
      name: "d",
      ports: [{ hostPort: 80 }],
    }),
    'hostPort (containers "c", "d" use hostPorts 443, 80)',
  ],
  [
    "baseline",
    "hosts of probes",
    spec({}, container({}, { livenessProbe: { httpGet: { host: "10.0.0.1" } } })),
    'probe or lifecycle host (container "c" uses probe or lifecycle host "10.0.0.1")',
  ],
  [
    "baseline",
    "SELinux",
    spec({ securityContext: { seLinuxOptions: { type: "x", user: "u" } } }),
    'seLinuxOptions (pod set forbidden securityContext.seLinuxOptions: type "x"; user may not be set)',
  ],
  [
    "baseline",
    "seccomp",
    spec(
      { securityContext: { seccompProfile: { type: "Unconfined" } } },
      container({ seccompProfile: { type: "Unconfined" } }),
    ),
    'seccompProfile (pod and container "c" must not set securityContext.seccompProfile.type to "Unconfined")',
  ],
  [
    "baseline",
    "sysctls",
    spec({ securityContext: { sysctls: [{ name: "kernel.x" }, { name: "net.ipv4.tcp_rmem" }] } }),
    "forbidden sysctls (kernel.x)",
  ],
  [
    "baseline",
    "proc mounts",
    spec({}, container({ procMount: "Unmasked" })),
    'procMount (container "c" must not set securityContext.procMount to "Unmasked")',
  ],
  [
    "baseline",
    "proc mounts in a user namespace",
    spec({ hostUsers: false }, container({ procMount: "Unmasked" })),
    "",
  ],
  [
    "baseline",
    "AppArmor",
    spec({}, container({ appArmorProfile: { type: "Unconfined" } })),
    'forbidden AppArmor profile (container "c" must not set AppArmor profile type to "Unconfined")',
  ],
  [
    "baseline",
    "host processes",
    spec({ securityContext: { windowsOptions: { hostProcess: true } } }),
    "hostProcess (pod must not set securityContext.windowsOptions.hostProcess=true)",
  ],
  ["restricted", "a restricted pod", restricted({}), ""],
  [
    "restricted",
    "binding low ports",
    restricted({}, { capabilities: { drop: ["ALL"], add: ["NET_BIND_SERVICE"] } }),
    "",
  ],
  [
    "restricted",
    "volumes",
    restricted({
      volumes: [
        { name: "v", hostPath: { path: "/" } },
        { name: "w", nfs: {} },
        { name: "s", secret: {} },
      ],
    }),
    'restricted volume types (volumes "v", "w" use restricted volume types "hostPath", "nfs")',
  ],
  [
    "restricted",
    "root",
    restricted({ securityContext: { runAsUser: 0 } }),
    "runAsUser=0 (pod must not set runAsUser=0)",
  ],
  [
    "restricted",
    "a container that wants root",
    restricted({}, { runAsNonRoot: false }),
    'runAsNonRoot != true (container "c" must not set securityContext.runAsNonRoot=false)',
  ],
  [
    "restricted",
    "one that adds and does not drop",
    restricted({}, { capabilities: { add: ["SYS_ADMIN"] } }),
    'unrestricted capabilities (container "c" must set securityContext.capabilities.drop=["ALL"]; container "c" must not include "SYS_ADMIN" in securityContext.capabilities.add)',
  ],
  [
    "restricted",
    "Windows, which has no such things",
    spec({ os: { name: "windows" }, securityContext: { runAsNonRoot: true } }),
    "",
  ],
];

describe("podViolations", () => {
  it.each(cases)("%s: %s", (level, _name, pod, expected) => {
    expect(violationsText(podViolations(level, pod, {}))).toBe(expected);
  });

  it("looks into init and ephemeral containers", () => {
    const bad = { name: "x", image: "i", securityContext: { privileged: true } };
    const pod = spec({ initContainers: [bad], ephemeralContainers: [{ ...bad, name: "y" }] });
    expect(violationsText(podViolations("baseline", pod, {}))).toBe(
      'privileged (containers "x", "y" must not set securityContext.privileged=true)',
    );
  });

  it("reads annotations of older pods", () => {
    const annotations = { "container.apparmor.security.beta.kubernetes.io/c": "unconfined" };
    expect(violationsText(podViolations("baseline", spec({}), { annotations }))).toBe(
      'forbidden AppArmor profile (annotation must not set AppArmor profile type to "container.apparmor.security.beta.kubernetes.io/c=\\"unconfined\\"")',
    );
  });
});
