/** Defaults of pods and pod templates. Source: kubernetes pkg/apis/core/v1/defaults.go. */

type Fields = Readonly<Record<string, unknown>>;

/** The spec with its defaults; the same object when nothing was missing. */
export function defaultPodSpec(spec: Fields | undefined): Fields {
  const given = spec ?? {};
  const filled = withDefaults(given, {
    restartPolicy: "Always",
    terminationGracePeriodSeconds: 30,
    dnsPolicy: "ClusterFirst",
    securityContext: {},
    schedulerName: "default-scheduler",
  });
  return mapFields(
    mapFields(mapFields(filled, "containers", defaultContainer), "initContainers", defaultContainer),
    "volumes",
    defaultVolume,
  );
}

function defaultContainer(container: Fields): Fields {
  const image = String(container["image"] ?? "");
  let filled = withDefaults(container, {
    terminationMessagePath: "/dev/termination-log",
    terminationMessagePolicy: "File",
    imagePullPolicy: pullPolicy(image),
    resources: {},
  });
  filled = mapFields(filled, "ports", (port) => withDefaults(port, { protocol: "TCP" }));
  for (const probe of ["livenessProbe", "readinessProbe", "startupProbe"]) {
    filled = mapField(filled, probe, defaultProbe);
  }
  return mapField(filled, "resources", requestsFromLimits);
}

/** `latest`, explicit or implied, is pulled every time. */
function pullPolicy(image: string): "Always" | "IfNotPresent" {
  if (image.includes("@")) return "IfNotPresent";
  const tag = /:([^:/]+)$/.exec(image)?.[1];
  return tag === undefined || tag === "latest" ? "Always" : "IfNotPresent";
}

function defaultProbe(probe: Fields): Fields {
  const filled = withDefaults(probe, {
    timeoutSeconds: 1,
    periodSeconds: 10,
    successThreshold: 1,
    failureThreshold: 3,
  });
  return mapField(filled, "httpGet", (get) => withDefaults(get, { path: "/", scheme: "HTTP" }));
}

/** A limit without a request is also the request. */
function requestsFromLimits(resources: Fields): Fields {
  const limits = resources["limits"] as Fields | undefined;
  if (limits === undefined) return resources;
  const requests = withDefaults((resources["requests"] ?? {}) as Fields, limits);
  return requests === resources["requests"] ? resources : { ...resources, requests };
}

function defaultVolume(volume: Fields): Fields {
  let filled = volume;
  for (const source of ["secret", "configMap", "downwardAPI", "projected"]) {
    filled = mapField(filled, source, (s) => withDefaults(s, { defaultMode: 420 }));
  }
  return Object.keys(volume).length === 1 ? { ...volume, emptyDir: {} } : filled;
}

/** `fields` with those of `defaults` that it lacks; the same object when it lacks none. */
export function withDefaults(fields: Fields, defaults: Fields): Fields {
  const missing = Object.keys(defaults).filter((key) => fields[key] === undefined);
  if (missing.length === 0) return fields;
  const filled: Record<string, unknown> = { ...fields };
  for (const key of missing) filled[key] = defaults[key];
  return filled;
}

/** `fields` with one nested object mapped, if it is there. */
export function mapField(fields: Fields, key: string, change: (value: Fields) => Fields): Fields {
  const value = fields[key];
  if (typeof value !== "object" || value === null) return fields;
  const changed = change(value as Fields);
  return changed === value ? fields : { ...fields, [key]: changed };
}

/** `fields` with every item of one nested list mapped, if it is there. */
export function mapFields(fields: Fields, key: string, change: (value: Fields) => Fields): Fields {
  const list = fields[key];
  if (!Array.isArray(list)) return fields;
  const changed = list.map((item: Fields) => change(item));
  return changed.every((item, i) => item === list[i]) ? fields : { ...fields, [key]: changed };
}
