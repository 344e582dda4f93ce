/** Small plug-ins that fill in or check one thing of a pod. */
import type { AdmissionPlugin } from "../../../registry/admission.ts";
import type { Bucket } from "../../../store/bucket.ts";
import { isPod, objectOf, podSpec, withSpec } from "./pod-fields.ts";
import { refusal } from "./refusal.ts";

interface Toleration {
  readonly key?: string;
  readonly operator?: string;
  readonly effect?: string;
}

/** Taints of nodes that are lost; pods stay on them for five minutes. */
const lostNode = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"] as const;

/** Source: kubernetes plugin/pkg/admission/defaulttolerationseconds. */
export const defaultTolerationSeconds: AdmissionPlugin = {
  name: "DefaultTolerationSeconds",
  mutate(request) {
    const pod = objectOf(request);
    if (!isPod(request)) return pod;
    const tolerations = (podSpec(pod).tolerations ?? []) as readonly Toleration[];
    const tolerates = (key: string): boolean =>
      tolerations.some(
        (t) =>
          ((t.key ?? "") === "" || t.key === key) && ((t.effect ?? "") === "" || t.effect === "NoExecute"),
      );
    const added = lostNode
      .filter((key) => !tolerates(key))
      .map((key) => ({ effect: "NoExecute", key, operator: "Exists", tolerationSeconds: 300 }));
    return added.length === 0 ? pod : withSpec(pod, { tolerations: [...tolerations, ...added] });
  },
};

interface RuntimeClass {
  readonly overhead?: { readonly podFixed?: Readonly<Record<string, string>> };
  readonly scheduling?: {
    readonly nodeSelector?: Readonly<Record<string, string>>;
    readonly tolerations?: readonly Toleration[];
  };
}

/** Overhead and scheduling of a pod's runtime class. Source: kubernetes plugin/pkg/admission/runtimeclass. */
export function runtimeClass(classes: Bucket): AdmissionPlugin {
  return {
    name: "RuntimeClass",
    mutate(request) {
      const pod = objectOf(request);
      if (!isPod(request) || request.operation !== "CREATE") return pod;
      const { runtimeClassName, overhead, nodeSelector, tolerations } = podSpec(pod);
      const refuse = (why: string): never => {
        throw refusal(request, why);
      };
      if (runtimeClassName === undefined || runtimeClassName === "") {
        if (overhead !== undefined && Object.keys(overhead).length > 0)
          return refuse("pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead");
        return pod;
      }
      const found = classes.get(runtimeClassName)?.object as RuntimeClass | undefined;
      if (found === undefined)
        return refuse(`pod rejected: RuntimeClass ${JSON.stringify(runtimeClassName)} not found`);
      const { podFixed } = found.overhead ?? {};
      const selector = found.scheduling?.nodeSelector ?? {};
      for (const [key, value] of Object.entries(selector)) {
        if (nodeSelector?.[key] !== undefined && nodeSelector[key] !== value)
          return refuse(
            `conflict: RuntimeClass ${JSON.stringify(runtimeClassName)} and pod nodeSelector have different values for key ${JSON.stringify(key)}`,
          );
      }
      return withSpec(pod, {
        ...(podFixed === undefined ? {} : { overhead: podFixed }),
        ...(Object.keys(selector).length === 0 ? {} : { nodeSelector: { ...nodeSelector, ...selector } }),
        ...(found.scheduling?.tolerations === undefined
          ? {}
          : { tolerations: [...(tolerations ?? []), ...found.scheduling.tolerations] }),
      });
    },
  };
}
