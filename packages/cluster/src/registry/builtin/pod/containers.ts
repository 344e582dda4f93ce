/** Containers of every sort. Source: kubernetes pkg/apis/core/validation (validateContainers and its kin). */
import { type DeepReadonly, dns1123SubdomainErrors } from "@bowline/api";
import type {
  Container,
  ContainerPort,
  EnvFromSource,
  EnvVar,
  EphemeralContainer,
  VolumeMount,
} from "@bowline/api/core/v1";
import {
  checkDnsLabel,
  checkOneOf,
  checkPortNumber,
  checkRequiredOneOf,
  configKeyErrors,
  portNameErrors,
} from "../field-checks.ts";
import type { FieldProblems } from "../field-problems.ts";
import { checkFieldRef, checkResourceFieldRef, envFieldPaths } from "./downward.ts";
import { checkLifecycle, checkProbe } from "./probes.ts";
import { checkResources } from "./resources.ts";
import { checkSecurityContext } from "./security-context.ts";
import { type Volume, checkLocalDescendingPath, hasBacksteps } from "./volumes.ts";

export type ContainerFields = DeepReadonly<Container>;

/** What containers are checked against. */
export interface ContainerSurroundings {
  readonly problems: FieldProblems;
  readonly volumes: ReadonlyMap<string, Volume>;
  readonly claims: ReadonlySet<string>;
  readonly restartPolicy: string;
  readonly hostUsers: boolean;
  readonly graceSeconds: number | undefined;
}

export function checkContainers(
  around: ContainerSurroundings,
  path: string,
  containers: readonly ContainerFields[],
): void {
  const { problems } = around;
  if (containers.length === 0) return problems.required(path);
  const names = new Set<string>();
  containers.forEach((container, i) => {
    const at = `${path}[${i}]`;
    checkContainer(around, at, container);
    if (names.has(container.name)) problems.duplicate(`${at}.name`, container.name);
    names.add(container.name);
    checkRunning(around, at, container);
    if (container.restartPolicy !== undefined)
      checkContainerRestartPolicy(problems, `${at}.restartPolicy`, container.restartPolicy);
  });
  checkHostPorts(problems, path, containers);
}

function checkContainerRestartPolicy(problems: FieldProblems, field: string, policy: string): void {
  checkOneOf(problems, field, policy, ["Always", "Never", "OnFailure"]);
}

/** Hooks and probes: of what keeps running. */
function checkRunning(around: ContainerSurroundings, at: string, container: ContainerFields): void {
  const { problems, graceSeconds } = around;
  if (container.lifecycle !== undefined)
    checkLifecycle(problems, `${at}.lifecycle`, container.lifecycle, graceSeconds);
  for (const kind of ["livenessProbe", "readinessProbe", "startupProbe"] as const) {
    const probe = container[kind];
    if (probe !== undefined) checkProbe(problems, `${at}.${kind}`, probe, { kind, graceSeconds });
  }
}

export function checkInitContainers(
  around: ContainerSurroundings,
  path: string,
  containers: readonly ContainerFields[],
  regular: readonly ContainerFields[],
): void {
  const { problems } = around;
  const names = new Set(regular.map((c) => c.name));
  containers.forEach((container, i) => {
    const at = `${path}[${i}]`;
    checkContainer(around, at, container);
    if (container.restartPolicy !== undefined)
      checkContainerRestartPolicy(problems, `${at}.restartPolicy`, container.restartPolicy);
    if (names.has(container.name)) problems.duplicate(`${at}.name`, container.name);
    else if (container.name) names.add(container.name);
    checkHostPorts(problems, path, [container]);
    if (container.restartPolicy === "Always") return checkRunning(around, at, container);
    for (const field of ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"] as const) {
      if (container[field] !== undefined)
        problems.forbidden(
          `${at}.${field}`,
          "may not be set for init containers without restartPolicy=Always",
        );
    }
  });
}

const ephemeralForbidden = "cannot be set for an Ephemeral Container";
/** Fields that ephemeral containers do not have, as they are for programs that stay. */
const notEphemeral = [
  "ports",
  "resources",
  "livenessProbe",
  "readinessProbe",
  "startupProbe",
  "lifecycle",
  "resizePolicy",
  "restartPolicy",
] as const;

export function checkEphemeralContainers(
  around: ContainerSurroundings,
  path: string,
  containers: readonly DeepReadonly<EphemeralContainer>[],
  others: readonly ContainerFields[],
): void {
  const { problems } = around;
  const otherNames = new Set(others.map((c) => c.name));
  const names = new Set(otherNames);
  containers.forEach((container, i) => {
    const at = `${path}[${i}]`;
    checkContainer(around, at, container as ContainerFields);
    checkImageSpace(problems, at, container);
    if (names.has(container.name)) problems.duplicate(`${at}.name`, container.name);
    names.add(container.name);
    const { targetContainerName } = container;
    if (targetContainerName && !otherNames.has(targetContainerName))
      problems.notFound(`${at}.targetContainerName`, targetContainerName);
    for (const field of notEphemeral) {
      if (!isUnset(container[field])) problems.forbidden(`${at}.${field}`, ephemeralForbidden);
    }
    container.volumeMounts?.forEach((mount, j) => {
      if (mount.subPath) problems.forbidden(`${at}.volumeMounts[${j}].subPath`, ephemeralForbidden);
      if (mount.subPathExpr) problems.forbidden(`${at}.volumeMounts[${j}].subPathExpr`, ephemeralForbidden);
    });
  });
}

function isUnset(value: unknown): boolean {
  return (
    value === undefined || (typeof value === "object" && value !== null && Object.keys(value).length === 0)
  );
}

/** Only of pods: templates may have it. */
export function checkImageSpace(
  problems: FieldProblems,
  at: string,
  { image = "" }: { readonly image?: string },
): void {
  if (image.trim() !== image)
    problems.invalid(`${at}.image`, image, "must not have leading or trailing whitespace");
}

function checkContainer(around: ContainerSurroundings, at: string, container: ContainerFields): void {
  const { problems } = around;
  if (!container.name) problems.required(`${at}.name`);
  else checkDnsLabel(problems, `${at}.name`, container.name);
  if (!container.image) problems.required(`${at}.image`);
  checkRequiredOneOf(problems, `${at}.terminationMessagePolicy`, container.terminationMessagePolicy, [
    "File",
    "FallbackToLogsOnError",
  ]);
  if (container.ports !== undefined) checkPorts(problems, `${at}.ports`, container.ports);
  if (container.env !== undefined) checkEnv(problems, `${at}.env`, container.env);
  if (container.envFrom !== undefined) checkEnvFrom(problems, `${at}.envFrom`, container.envFrom);
  checkMounts(around, at, container);
  checkRequiredOneOf(problems, `${at}.imagePullPolicy`, container.imagePullPolicy, [
    "Always",
    "IfNotPresent",
    "Never",
  ]);
  if (container.resources !== undefined)
    checkResources(problems, `${at}.resources`, container.resources, { claims: around.claims });
  if (container.resizePolicy !== undefined)
    checkResizePolicy(around, `${at}.resizePolicy`, container.resizePolicy);
  if (container.securityContext !== undefined)
    checkSecurityContext(problems, `${at}.securityContext`, container.securityContext, around);
}

function checkPorts(
  problems: FieldProblems,
  path: string,
  ports: readonly DeepReadonly<ContainerPort>[],
): void {
  const names = new Set<string>();
  ports.forEach((port, i) => {
    const at = `${path}[${i}]`;
    if (port.name) {
      const errors = portNameErrors(port.name);
      problems.allInvalid(`${at}.name`, port.name, errors);
      if (errors.length === 0 && names.has(port.name)) problems.duplicate(`${at}.name`, port.name);
      if (errors.length === 0) names.add(port.name);
    }
    if (!port.containerPort) problems.required(`${at}.containerPort`);
    else checkPortNumber(problems, `${at}.containerPort`, port.containerPort);
    if (port.hostPort) checkPortNumber(problems, `${at}.hostPort`, port.hostPort);
    checkRequiredOneOf(problems, `${at}.protocol`, port.protocol, ["SCTP", "TCP", "UDP"]);
  });
}

function checkHostPorts(problems: FieldProblems, path: string, containers: readonly ContainerFields[]): void {
  const taken = new Set<string>();
  containers.forEach((container, i) => {
    container.ports?.forEach(({ protocol = "", hostIP = "", hostPort = 0 }, j) => {
      if (hostPort === 0) return;
      const key = `${protocol}/${hostIP}/${hostPort}`;
      if (taken.has(key)) problems.duplicate(`${path}[${i}].ports[${j}].hostPort`, key);
      taken.add(key);
    });
  });
}

const printable = /^[\x20-\x3c\x3e-\x7e]*$/;
const notPrintable =
  "a valid environment variable name must consist only of printable ASCII characters other than '='";

function checkEnv(problems: FieldProblems, path: string, env: readonly DeepReadonly<EnvVar>[]): void {
  for (let i = 0; i < env.length; i++) {
    const { name, value = "", valueFrom } = env[i] as DeepReadonly<EnvVar>;
    if (!name) problems.required(`${path}[${i}].name`);
    else if (!printable.test(name)) problems.invalid(`${path}[${i}].name`, name, notPrintable);
    if (valueFrom !== undefined) checkEnvSource(problems, `${path}[${i}].valueFrom`, valueFrom, value);
  }
}

function checkEnvSource(
  problems: FieldProblems,
  path: string,
  from: NonNullable<DeepReadonly<EnvVar>["valueFrom"]>,
  value: string,
): void {
  let count = 0;
  if (from.fieldRef !== undefined) {
    count++;
    checkFieldRef(problems, `${path}.fieldRef`, from.fieldRef, envFieldPaths);
  }
  if (from.resourceFieldRef !== undefined) {
    count++;
    checkResourceFieldRef(problems, `${path}.resourceFieldRef`, from.resourceFieldRef, { inVolume: false });
  }
  for (const kind of ["configMapKeyRef", "secretKeyRef"] as const) {
    const reference = from[kind];
    if (reference === undefined) continue;
    count++;
    const { name = "", key } = reference;
    problems.allInvalid(`${path}.${kind}.name`, name, dns1123SubdomainErrors(name));
    if (!key) problems.required(`${path}.${kind}.key`);
    else problems.allInvalid(`${path}.${kind}.key`, key, configKeyErrors(key));
  }
  if (from.fileKeyRef !== undefined) count++;
  if (count === 0) {
    problems.invalid(
      path,
      "",
      "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`",
    );
  } else if (value !== "") problems.invalid(path, "", "may not be specified when `value` is not empty");
  else if (count > 1) problems.invalid(path, "", "may not have more than one field specified at a time");
}

function checkEnvFrom(
  problems: FieldProblems,
  path: string,
  sources: readonly DeepReadonly<EnvFromSource>[],
): void {
  sources.forEach((source, i) => {
    const at = `${path}[${i}]`;
    if (source.prefix && !printable.test(source.prefix))
      problems.invalid(`${at}.prefix`, source.prefix, notPrintable);
    let count = 0;
    for (const kind of ["configMapRef", "secretRef"] as const) {
      const reference = source[kind];
      if (reference === undefined) continue;
      count++;
      if (!reference.name) problems.required(`${at}.${kind}.name`);
      else problems.allInvalid(`${at}.${kind}.name`, reference.name, dns1123SubdomainErrors(reference.name));
    }
    if (count === 0) problems.invalid(path, "", "must specify one of: `configMapRef` or `secretRef`");
    else if (count > 1) problems.invalid(path, "", "may not have more than one field specified at a time");
  });
}

function checkMounts(around: ContainerSurroundings, at: string, container: ContainerFields): void {
  const { problems } = around;
  const mounts = container.volumeMounts ?? [];
  const devices = container.volumeDevices ?? [];
  if (mounts.length === 0 && devices.length === 0) return;
  const deviceNames = new Set(devices.map((d) => d.name));
  const devicePaths = new Set(devices.map((d) => d.devicePath));
  const paths = new Set<string>();
  mounts.forEach((mount, i) => {
    const field = `${at}.volumeMounts[${i}]`;
    const { name = "", mountPath = "" } = mount;
    if (name === "") problems.required(`${field}.name`);
    if (!around.volumes.has(name)) problems.notFound(`${field}.name`, name);
    if (mountPath === "") problems.required(`${field}.mountPath`);
    if (paths.has(mountPath)) problems.invalid(`${field}.mountPath`, mountPath, "must be unique");
    paths.add(mountPath);
    if (deviceNames.has(name))
      problems.invalid(`${field}.name`, name, "must not already exist in volumeDevices");
    if (devicePaths.has(mountPath)) {
      problems.invalid(`${field}.mountPath`, mountPath, "must not already exist as a path in volumeDevices");
    }
    checkMountOptions(around, { list: `${at}.volumeMounts`, field }, mount, container);
  });
  checkDevices(around, `${at}.volumeDevices`, container);
}

/** Some errors are reported at the list of mounts, not at the mount. */
function checkMountOptions(
  { problems, volumes }: ContainerSurroundings,
  { list, field }: { readonly list: string; readonly field: string },
  mount: DeepReadonly<VolumeMount>,
  container: ContainerFields,
): void {
  const { subPath, subPathExpr, mountPropagation } = mount;
  checkRecursiveReadOnly(problems, `${list}.recursiveReadOnly`, mount);
  if (volumes.get(mount.name)?.["image"] !== undefined) {
    if (subPath) problems.invalid(`${field}.subPath`, subPath, "not allowed in image volume sources");
    if (subPathExpr)
      problems.invalid(`${field}.subPathExpr`, subPathExpr, "not allowed in image volume sources");
  }
  if (subPath) checkLocalDescendingPath(problems, `${list}.subPath`, subPath);
  if (subPathExpr) {
    if (subPath)
      problems.invalid(`${field}.subPathExpr`, subPathExpr, "subPathExpr and subPath are mutually exclusive");
    checkLocalDescendingPath(problems, `${list}.subPathExpr`, subPathExpr);
  }
  if (mountPropagation === undefined) return;
  checkOneOf(problems, `${list}.mountPropagation`, mountPropagation, [
    "Bidirectional",
    "HostToContainer",
    "None",
  ]);
  if (mountPropagation === "Bidirectional" && container.securityContext?.privileged !== true) {
    problems.forbidden(
      `${list}.mountPropagation`,
      "Bidirectional mount propagation is available only to privileged containers",
    );
  }
}

function checkRecursiveReadOnly(
  problems: FieldProblems,
  field: string,
  { recursiveReadOnly: value, readOnly, mountPropagation }: DeepReadonly<VolumeMount>,
): void {
  if (value === undefined || value === "Disabled") return;
  if (value !== "Enabled" && value !== "IfPossible")
    return problems.notSupported(field, value, ["Disabled", "Enabled", "IfPossible"]);
  if (readOnly !== true) problems.forbidden(field, "may only be specified when readOnly is true");
  if (mountPropagation !== undefined && mountPropagation !== "None")
    problems.forbidden(field, "may only be specified when mountPropagation is None or not specified");
}

function checkDevices(
  { problems, volumes }: ContainerSurroundings,
  path: string,
  container: ContainerFields,
): void {
  const mountNames = new Set(container.volumeMounts?.map((m) => m.name));
  const mountPaths = new Set(container.volumeMounts?.map((m) => m.mountPath));
  const names = new Set<string>();
  const paths = new Set<string>();
  container.volumeDevices?.forEach(({ name = "", devicePath = "" }, i) => {
    const at = `${path}[${i}]`;
    const volume = volumes.get(name);
    if (name === "") problems.required(`${at}.name`);
    if (names.has(name)) problems.invalid(`${at}.name`, name, "must be unique");
    if (volume === undefined) problems.notFound(`${at}.name`, name);
    else if (volume["persistentVolumeClaim"] === undefined && volume["ephemeral"] === undefined) {
      problems.invalid(
        `${at}.name`,
        name,
        "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode",
      );
    }
    if (devicePath === "") problems.required(`${at}.devicePath`);
    if (paths.has(devicePath)) problems.invalid(`${at}.devicePath`, devicePath, "must be unique");
    if (hasBacksteps(devicePath))
      problems.invalid(`${at}.devicePath`, devicePath, "can not contain backsteps ('..')");
    else paths.add(devicePath);
    if (mountNames.has(name)) problems.invalid(`${at}.name`, name, "must not already exist in volumeMounts");
    if (mountPaths.has(devicePath)) {
      problems.invalid(`${at}.devicePath`, devicePath, "must not already exist as a path in volumeMounts");
    }
    if (name !== "") names.add(name);
  });
}

function checkResizePolicy(
  { problems, restartPolicy }: ContainerSurroundings,
  path: string,
  policies: NonNullable<ContainerFields["resizePolicy"]>,
): void {
  const seen = new Set<string>();
  policies.forEach((policy, i) => {
    if (seen.has(policy.resourceName)) problems.duplicate(`${path}[${i}]`, policy.resourceName);
    seen.add(policy.resourceName);
    checkRequiredOneOf(problems, path, policy.resourceName, ["cpu", "memory"]);
    checkRequiredOneOf(problems, path, policy.restartPolicy, ["NotRequired", "RestartContainer"]);
    if (restartPolicy === "Never" && policy.restartPolicy !== "NotRequired") {
      problems.invalid(path, policy.restartPolicy, "must be 'NotRequired' when `restartPolicy` is 'Never'");
    }
  });
}
