import type { AdmissionPlugin } from "../../../registry/admission.ts";
import type { Bucket } from "../../../store/bucket.ts";
import type { StoredObject } from "../../../store/revision.ts";
import { newestDefault } from "./newest-default.ts";
import { objectOf } from "./pod-fields.ts";

const defaultKeys = ["ingressclass.kubernetes.io/is-default-class"];
/** How ingresses named their class before there was a field for it. */
const oldKey = "kubernetes.io/ingress.class";

/** A class for new ingresses that name none. Source: kubernetes plugin/pkg/admission/network/defaultingressclass. */
export function defaultIngressClass(ingresses: Bucket, classes: Bucket): AdmissionPlugin {
  return {
    name: "DefaultIngressClass",
    mutate(request) {
      const ingress = objectOf(request);
      if (
        request.resource.bucket !== ingresses ||
        request.operation !== "CREATE" ||
        request.subresource !== ""
      )
        return ingress;
      const spec = (ingress["spec"] ?? {}) as { readonly ingressClassName?: string };
      if (spec.ingressClassName !== undefined || ingress.metadata.annotations?.[oldKey] !== undefined)
        return ingress;
      const ingressClassName = newestDefault(classes, defaultKeys);
      return ingressClassName === undefined
        ? ingress
        : ({ ...ingress, spec: { ...spec, ingressClassName } } as StoredObject);
    },
  };
}
