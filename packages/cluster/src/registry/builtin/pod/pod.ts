/** Pods and pod templates as kinds. Source: kubernetes pkg/registry/core/pod/strategy.go. */
import { type FieldError, jsonEqual } from "@bowline/api";
import type { PodTemplate } from "@bowline/api/core/v1";
import type { StoredObject } from "../../../store/revision.ts";
import { type BuiltinRules, type EndpointRules, booleanReader, fieldReader } from "../builtin-rules.ts";
import { type Fields, mapItems, setField } from "../copy-on-write.ts";
import { same } from "../field-checks.ts";
import { FieldProblems } from "../field-problems.ts";
import { defaultPod, defaultPodTemplate } from "./pod-defaults.ts";
import {
  type PodSpecFields,
  checkPodAnnotations,
  checkPodOnly,
  checkPodSpec,
  checkPodTemplate,
} from "./pod-spec.ts";
import { checkPodStatusUpdate } from "./pod-status.ts";
import { type PodFields, checkEphemeralUpdate, checkPodResize, checkPodUpdate } from "./pod-update.ts";
import { podWarnings } from "./pod-warnings.ts";
import { podQosClass } from "./qos.ts";

const asPod = (object: StoredObject): PodFields => object as unknown as PodFields;

function checkWhole(problems: FieldProblems, pod: PodFields): void {
  const spec = pod.spec ?? ({} as PodSpecFields);
  checkPodAnnotations(problems, "metadata.annotations", pod.metadata.annotations, spec);
  checkPodSpec(problems, "spec", spec, { name: pod.metadata.name ?? "" });
  checkPodOnly(problems, "spec", spec);
}

function validateCreate(object: StoredObject): FieldError[] {
  const problems = new FieldProblems();
  const pod = asPod(object);
  checkWhole(problems, pod);
  if ((pod.spec?.ephemeralContainers?.length ?? 0) > 0)
    problems.forbidden("spec.ephemeralContainers", "cannot be set on create");
  if (pod.spec?.nodeName && (pod.spec.schedulingGates?.length ?? 0) > 0) {
    problems.forbidden("spec.nodeName", "cannot be set until all schedulingGates have been cleared");
  }
  return problems.list;
}

function validateWith(
  check: (problems: FieldProblems, pod: PodFields, old: PodFields) => void,
): (object: StoredObject, old: StoredObject) => FieldError[] {
  return (object, old) => {
    const problems = new FieldProblems();
    if (!jsonEqual(object["spec"], old["spec"])) checkWhole(problems, asPod(object));
    check(problems, asPod(object), asPod(old));
    return problems.list;
  };
}

/** Of `pods/ephemeralcontainers`: the stored pod with the ephemeral containers of the new one. */
const ephemeralContainers: EndpointRules = {
  prepareForUpdate(object, old) {
    const added = (object["spec"] as Fields | undefined)?.["ephemeralContainers"];
    const spec = setField((old["spec"] ?? {}) as Fields, "ephemeralContainers", added);
    return setField(setField(object, "spec", spec), "status", old["status"]);
  },
  validateUpdate: validateWith(checkEphemeralUpdate),
};

/** Of `pods/resize`. */
const resize: EndpointRules = {
  prepareForUpdate: (object, old) => setField(keepEphemeral(object, old), "status", old["status"]),
  validateUpdate: validateWith(checkPodResize),
};

/** Pods: defaults, phase Pending at the start, graceful deletion. */
export const podRules: BuiltinRules = {
  generation: true,
  defaults: (object) => defaultPod(object as { readonly spec?: unknown }) as StoredObject,
  prepareForCreate: (object) => setField(withAppArmorFields(object), "status", initialStatus(asPod(object))),
  validateCreate,
  validateUpdate: validateWith(checkPodUpdate),
  validateStatusUpdate(object, old) {
    const problems = new FieldProblems();
    checkPodStatusUpdate(problems, asPod(object), asPod(old));
    return problems.list;
  },
  warnings: (object, old) =>
    old === undefined || !jsonEqual(object["spec"], old["spec"])
      ? [...(old === undefined ? appArmorWarnings(object) : []), ...podWarnings("", asPod(object))]
      : [],
  endpoints: { ephemeralcontainers: ephemeralContainers, resize },
  gracePeriodSeconds(object, asked) {
    const { spec, status } = asPod(object);
    const wanted = asked ?? (spec?.terminationGracePeriodSeconds as number | undefined) ?? 30;
    if (!spec?.nodeName || status?.phase === "Failed" || status?.phase === "Succeeded") return 0;
    return wanted < 0 ? 1 : wanted;
  },
  fields: {
    "spec.nodeName": fieldReader("spec", "nodeName"),
    "spec.restartPolicy": fieldReader("spec", "restartPolicy"),
    "spec.schedulerName": fieldReader("spec", "schedulerName"),
    "spec.serviceAccountName": fieldReader("spec", "serviceAccountName"),
    "spec.hostNetwork": booleanReader("spec", "hostNetwork"),
    "status.phase": fieldReader("status", "phase"),
    "status.podIP": fieldReader("status", "podIP"),
    "status.podIPs": fieldReader("status", "podIP"),
    "status.nominatedNodeName": fieldReader("status", "nominatedNodeName"),
  },
};

function initialStatus(pod: PodFields): Fields {
  const status = { phase: "Pending", qosClass: podQosClass(pod.spec) };
  if ((pod.spec?.schedulingGates?.length ?? 0) === 0) return status;
  const condition = {
    type: "PodScheduled",
    status: "False",
    lastProbeTime: null,
    lastTransitionTime: null,
    reason: "SchedulingGated",
    message: "Scheduling is blocked due to non-empty scheduling gates",
  };
  return { ...status, conditions: [condition] };
}

const appArmorPrefix = "container.apparmor.security.beta.kubernetes.io/";

/** Old annotations of containers become fields. Source: strategy.go (applyAppArmorVersionSkew). */
function withAppArmorFields(object: StoredObject): StoredObject {
  const { annotations = {} } = object.metadata;
  const spec = object["spec"] as Fields | undefined;
  if (spec === undefined || !Object.keys(annotations).some((key) => key.startsWith(appArmorPrefix)))
    return object;
  const podProfile = (spec["securityContext"] as Fields | undefined)?.["appArmorProfile"];
  const withField = (container: Fields): Fields => {
    const profile = appArmorProfile(annotations[`${appArmorPrefix}${String(container["name"])}`]);
    const context = (container["securityContext"] ?? {}) as Fields;
    if (profile === undefined || context["appArmorProfile"] !== undefined || same(profile, podProfile))
      return container;
    return setField(container, "securityContext", setField(context, "appArmorProfile", profile));
  };
  return setField(
    object,
    "spec",
    mapItems(mapItems(spec, "containers", withField), "initContainers", withField),
  );
}

function appArmorWarnings(object: StoredObject): string[] {
  return Object.keys(object.metadata.annotations ?? {})
    .filter((key) => key.startsWith(appArmorPrefix))
    .map(
      (key) =>
        `metadata.annotations[${key}]: deprecated since v1.30; use the "appArmorProfile" field instead`,
    );
}

function appArmorProfile(text: string | undefined): Fields | undefined {
  if (text === "unconfined") return { type: "Unconfined" };
  if (text === "runtime/default") return { type: "RuntimeDefault" };
  if (!text?.startsWith("localhost/") || text === "localhost/") return undefined;
  return { type: "Localhost", localhostProfile: text.slice("localhost/".length) };
}

/** Ephemeral containers have an endpoint of their own; resizing leaves them alone. */
function keepEphemeral(object: StoredObject, old: StoredObject): StoredObject {
  const kept = (old["spec"] as Fields | undefined)?.["ephemeralContainers"];
  const spec = (object["spec"] ?? {}) as Fields;
  return setField(object, "spec", setField(spec, "ephemeralContainers", kept));
}

/** PodTemplates, which nothing in a cluster uses. */
export const podTemplateRules: BuiltinRules = {
  generation: true,
  defaults: (object) =>
    setField(object, "template", defaultPodTemplate((object["template"] ?? {}) as Fields)),
  validateCreate: (object) => templateErrors(object),
  validateUpdate: (object) => templateErrors(object),
};

function templateErrors(object: StoredObject): FieldError[] {
  const problems = new FieldProblems();
  const { template } = object as unknown as PodTemplate;
  checkPodTemplate(problems, "template", template ?? ({} as never));
  return problems.list;
}
