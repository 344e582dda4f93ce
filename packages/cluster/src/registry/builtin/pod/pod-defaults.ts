/** Defaults of pods and pod templates. Source: kubernetes pkg/apis/core/v1 (defaults.go, zz_generated.defaults.go). */
import { type Fields, fill, fillZero, mapField, mapItems, setField } from "../copy-on-write.ts";

const podSpecDefaults: Fields = Object.freeze({
  restartPolicy: "Always",
  dnsPolicy: "ClusterFirst",
  schedulerName: "default-scheduler",
});
const podSpecPointers: Fields = Object.freeze({
  terminationGracePeriodSeconds: 30,
  securityContext: Object.freeze({}),
});

/** The spec with its defaults; the same object when nothing was missing. */
export function defaultPodSpec(spec: Fields | undefined): Fields {
  let filled = fill(fillZero(spec ?? {}, podSpecDefaults), podSpecPointers);
  filled = sameServiceAccount(filled);
  filled = mapItems(filled, "containers", defaultContainer);
  filled = mapItems(filled, "initContainers", defaultContainer);
  filled = mapItems(filled, "ephemeralContainers", defaultContainer);
  filled = mapItems(filled, "volumes", defaultVolume);
  return mapField(filled, "overhead", roundedUp);
}

/** The template of a workload with the defaults of its pod. */
export function defaultPodTemplate(template: Fields): Fields {
  const filled = fill(template, templateParts);
  return setField(filled, "spec", defaultPodSpec(filled["spec"] as Fields | undefined));
}

const templateParts: Fields = Object.freeze({ metadata: Object.freeze({}) });

/** `serviceAccount` is the old name of `serviceAccountName`; both are shown. Source: pkg/apis/core/v1/conversion.go. */
function sameServiceAccount(spec: Fields): Fields {
  const name = spec["serviceAccountName"] || spec["serviceAccount"];
  if (typeof name !== "string" || name === "") return spec;
  return setField(setField(spec, "serviceAccountName", name), "serviceAccount", name);
}

/** A whole pod: what templates leave open is filled in too. */
export function defaultPod<T extends { readonly spec?: unknown }>(pod: T): T {
  let spec = defaultPodSpec(pod.spec as Fields | undefined);
  spec = mapItems(spec, "containers", defaultRequests);
  spec = mapItems(spec, "initContainers", defaultRequests);
  spec = fill(spec, podOnlyDefaults);
  if (Number(spec["terminationGracePeriodSeconds"]) < 0)
    spec = setField(spec, "terminationGracePeriodSeconds", 1);
  if (spec["hostNetwork"] === true) {
    spec = mapItems(spec, "containers", defaultHostPorts);
    spec = mapItems(spec, "initContainers", defaultHostPorts);
  }
  return setField(pod, "spec", spec);
}

const podOnlyDefaults: Fields = Object.freeze({ enableServiceLinks: true });

function defaultHostPorts(container: Fields): Fields {
  return mapItems(container, "ports", (port: Fields) => fillZero(port, { hostPort: port["containerPort"] }));
}

function defaultRequests(container: Fields): Fields {
  return mapField(container, "resources", requestsFromLimits);
}

/** A limit without a request is also the request. */
function requestsFromLimits(resources: Fields): Fields {
  const limits = resources["limits"] as Fields | undefined;
  if (limits === undefined) return resources;
  return setField(resources, "requests", fill((resources["requests"] ?? {}) as Fields, limits));
}

const containerDefaults: Fields = Object.freeze({
  terminationMessagePath: "/dev/termination-log",
  terminationMessagePolicy: "File",
});
const containerParts: Fields = Object.freeze({ resources: Object.freeze({}) });
const pullAlways: Fields = Object.freeze({ ...containerDefaults, imagePullPolicy: "Always" });
const pullIfNotPresent: Fields = Object.freeze({ ...containerDefaults, imagePullPolicy: "IfNotPresent" });

function defaultContainer(container: Fields): Fields {
  const pull = isLatest(String(container["image"] ?? "")) ? pullAlways : pullIfNotPresent;
  let filled = fill(fillZero(container, pull), containerParts);
  filled = mapItems(filled, "ports", defaultPort);
  filled = mapItems(filled, "env", defaultEnv);
  filled = mapField(filled, "livenessProbe", defaultProbe);
  filled = mapField(filled, "readinessProbe", defaultProbe);
  filled = mapField(filled, "startupProbe", defaultProbe);
  filled = mapField(withoutStopSignal(filled), "lifecycle", defaultLifecycle);
  filled = mapItems(filled, "resizePolicy", defaultResizePolicy);
  return mapField(filled, "resources", roundedResources);
}

/** `latest`, explicit or implied, is pulled every time; so is what has no tag but no digest either. */
export function isLatest(image: string): boolean {
  if (image === "" || image.includes("@")) return false;
  const tag = image.slice(image.lastIndexOf("/") + 1).split(":")[1];
  return tag === undefined || tag === "latest";
}

const portDefaults: Fields = Object.freeze({ protocol: "TCP" });

function defaultPort(port: Fields): Fields {
  return fillZero(port, portDefaults);
}

function defaultEnv(variable: Fields): Fields {
  return mapField(variable, "valueFrom", (from: Fields) =>
    mapField(mapField(from, "fieldRef", defaultFieldRef), "resourceFieldRef", defaultDivisor),
  );
}

const fieldRefDefaults: Fields = Object.freeze({ apiVersion: "v1" });
const divisorDefault: Fields = Object.freeze({ divisor: "0" });

function defaultFieldRef(reference: Fields): Fields {
  return fillZero(reference, fieldRefDefaults);
}

/** A quantity that is not a pointer in Go is written even when it is zero. */
function defaultDivisor(reference: Fields): Fields {
  return fill(reference, divisorDefault);
}

const probeDefaults: Fields = Object.freeze({
  timeoutSeconds: 1,
  periodSeconds: 10,
  successThreshold: 1,
  failureThreshold: 3,
});
const httpGetDefaults: Fields = Object.freeze({ path: "/", scheme: "HTTP" });
const grpcDefaults: Fields = Object.freeze({ service: "" });

function defaultProbe(probe: Fields): Fields {
  const filled = mapField(fillZero(probe, probeDefaults), "httpGet", defaultHttpGet);
  return mapField(filled, "grpc", (grpc: Fields) => fill(grpc, grpcDefaults));
}

function defaultHttpGet(get: Fields): Fields {
  return fillZero(get, httpGetDefaults);
}

/** The field exists and its feature is off. */
function withoutStopSignal(container: Fields): Fields {
  const lifecycle = container["lifecycle"] as Fields | undefined;
  if (lifecycle?.["stopSignal"] === undefined) return container;
  const { stopSignal: _s, ...rest } = lifecycle;
  return setField(container, "lifecycle", Object.keys(rest).length === 0 ? undefined : rest);
}

function defaultLifecycle(lifecycle: Fields): Fields {
  const hook = (handler: Fields): Fields => mapField(handler, "httpGet", defaultHttpGet);
  return mapField(mapField(lifecycle, "postStart", hook), "preStop", hook);
}

const resizeDefaults: Fields = Object.freeze({ restartPolicy: "NotRequired" });

function defaultResizePolicy(policy: Fields): Fields {
  return fillZero(policy, resizeDefaults);
}

function roundedResources(resources: Fields): Fields {
  return mapField(mapField(resources, "limits", roundedUp), "requests", roundedUp);
}

/** Quantities finer than a thousandth are rounded up. */
export function roundedUp(list: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  let out: Record<string, unknown> | undefined;
  for (const name in list) {
    const found = /^(-?\d+)([nu])$/.exec(String(list[name]));
    if (found === null) continue;
    const perThousandth = found[2] === "n" ? 1_000_000 : 1_000;
    out ??= { ...list };
    out[name] = `${Math.ceil(Number(found[1]) / perThousandth)}m`;
  }
  return out ?? list;
}

const modeDefaults: Fields = Object.freeze({ defaultMode: 420 });
const tokenDefaults: Fields = Object.freeze({ expirationSeconds: 3600 });
const hostPathDefaults: Fields = Object.freeze({ type: "" });
const emptyDirVolume: Fields = Object.freeze({ emptyDir: Object.freeze({}) });
/** Of volumes of old kinds. */
const sourceDefaults: Readonly<Record<string, Fields>> = Object.freeze({
  iscsi: { iscsiInterface: "default" },
  rbd: { pool: "rbd", user: "admin", keyring: "/etc/ceph/keyring" },
  azureDisk: { cachingMode: "ReadWrite", fsType: "ext4", readOnly: false, kind: "Shared" },
  scaleIO: { fsType: "xfs", storageMode: "ThinProvisioned" },
});

function defaultVolume(volume: Fields): Fields {
  for (const source in volume) {
    if (source !== "name") return mapField(volume, source, (fields: Fields) => defaultSource(source, fields));
  }
  return { ...volume, ...emptyDirVolume };
}

function defaultSource(source: string, fields: Fields): Fields {
  switch (source) {
    case "secret":
    case "configMap":
      return fill(fields, modeDefaults);
    case "downwardAPI":
      return mapItems(fill(fields, modeDefaults), "items", defaultDownwardFile);
    case "projected":
      return mapItems(fill(fields, modeDefaults), "sources", defaultProjection);
    case "hostPath":
      return fill(fields, hostPathDefaults);
    case "ephemeral":
      return mapField(fields, "volumeClaimTemplate", defaultClaimTemplate);
    case "image": {
      const pullPolicy = isLatest(String(fields["reference"] ?? "")) ? "Always" : "IfNotPresent";
      return fillZero(fields, { pullPolicy });
    }
    default:
      return source in sourceDefaults ? fillZero(fields, sourceDefaults[source] as Fields) : fields;
  }
}

function defaultProjection(source: Fields): Fields {
  const token = mapField(source, "serviceAccountToken", (t: Fields) => fill(t, tokenDefaults));
  return mapField(token, "downwardAPI", (files: Fields) => mapItems(files, "items", defaultDownwardFile));
}

function defaultDownwardFile(file: Fields): Fields {
  return mapField(mapField(file, "fieldRef", defaultFieldRef), "resourceFieldRef", defaultDivisor);
}

function defaultClaimTemplate(template: Fields): Fields {
  return mapField(fill(template, templateParts), "spec", defaultClaimSpec);
}

const claimDefaults: Fields = Object.freeze({ volumeMode: "Filesystem" });
const claimParts: Fields = Object.freeze({ resources: Object.freeze({}) });

/** The spec of a PersistentVolumeClaim. */
export function defaultClaimSpec(spec: Fields): Fields {
  const filled = fill(fill(spec, claimDefaults), claimParts);
  return mapField(filled, "resources", roundedResources);
}
