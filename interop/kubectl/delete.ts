/** Deleting: cascades, grace, finalizers, selections, namespaces. */
import { type Step, fails, ok, soon } from "../step.ts";
import type { KubectlMinor } from "./steps.ts";

export function deleteSteps(minor: KubectlMinor): Step[] {
  const where = minor >= 35 ? " from shop namespace" : "";
  return [
    ok("kubectl delete configmap from-env", `configmap "from-env" deleted${where}`),
    fails(
      1,
      "kubectl delete configmap from-env",
      'Error from server (NotFound): configmaps "from-env" not found',
    ),
    ok("kubectl delete configmap from-env --ignore-not-found", ""),
    ok(
      "kubectl delete configmap settings --dry-run=server",
      `configmap "settings" deleted${where} (server dry run)`,
    ),
    ok("kubectl get configmap settings -o name", "configmap/settings"),
    ok("kubectl delete configmap -l set=more", `configmap "one" deleted${where}`),
    ok("kubectl delete secrets --field-selector type=kubernetes.io/tls", `secret "cert" deleted${where}`),
    ok("kubectl delete -k .", /configmap "k-colors" deleted/),
    ...cascades(where),
    ...graceAndFinalizers(where),
    ok("kubectl delete configmaps --all -n limited", /configmap "kube-root-ca\.crt" deleted/),
    soon("kubectl get configmap kube-root-ca.crt -n limited -o name", "configmap/kube-root-ca.crt"),
    ok("kubectl delete namespace limited --timeout=90s", 'namespace "limited" deleted'),
    fails(1, "kubectl get namespace limited", 'Error from server (NotFound): namespaces "limited" not found'),
    ok("kubectl delete namespace shop --wait=false", 'namespace "shop" deleted'),
    ok("kubectl wait --for=delete namespace/shop --timeout=90s", /^(namespace\/shop condition met\n)?$/),
    ok(
      "kubectl get all,configmaps,secrets,serviceaccounts,roles,pvc -n shop",
      "No resources found in shop namespace.",
    ),
    fails(
      1,
      "kubectl delete namespace default",
      /namespaces "default" is forbidden: this namespace may not be deleted/,
    ),
  ];
}

function cascades(where: string): Step[] {
  return [
    ok("kubectl delete deployment roll --cascade=orphan", `deployment.apps "roll" deleted${where}`),
    ok(
      "kubectl get rs,pods -l app=roll -o name | cut -d/ -f1 | sort -u | tr '\\n' ' '",
      "pod replicaset.apps",
    ),
    soon("kubectl get rs -l app=roll -o jsonpath='{.items[*].metadata.ownerReferences}'", ""),
    ok("kubectl delete rs -l app=roll --cascade=foreground", /replicaset\.apps "roll-\w+" deleted/),
    ok("kubectl get pods -l app=roll", "No resources found in shop namespace."),
    ok("kubectl delete deployment web --cascade=background", `deployment.apps "web" deleted${where}`),
    soon("kubectl get rs,pods -l app=web", "No resources found in shop namespace."),
    ok(
      "kubectl delete job once manual && kubectl delete cronjob tick",
      /job\.batch "once" deleted/,
      /cronjob\.batch "tick" deleted/,
    ),
    soon("kubectl get pods -l batch.kubernetes.io/job-name=once", "No resources found in shop namespace."),
  ];
}

function graceAndFinalizers(where: string): Step[] {
  return [
    ok(
      "kubectl run gone --image=busybox && kubectl delete pod gone --grace-period=0 --force",
      /^Warning: Immediate deletion does not wait for confirmation that the running resource has been terminated\./m,
      new RegExp(`^pod "gone" force deleted${where}$`, "m"),
    ),
    ok(
      "kubectl run short --image=nginx && kubectl wait --for=condition=Ready pod/short --timeout=90s && kubectl delete pod short --now",
      new RegExp(`^pod "short" deleted${where}$`, "m"),
    ),
    ok(
      `kubectl create configmap held && kubectl patch configmap held --type=merge -p '{"metadata":{"finalizers":["example.com/hold"]}}'`,
      /^configmap\/held patched$/m,
    ),
    ok("kubectl delete configmap held --wait=false", `configmap "held" deleted${where}`),
    ok(
      "kubectl get configmap held -o jsonpath='{.metadata.deletionTimestamp} {.metadata.deletionGracePeriodSeconds}'",
      /^\d{4}-\S+Z 0$/,
    ),
    fails(1, "kubectl delete configmap held --timeout=1s", /timed out waiting for the condition/),
    fails(
      1,
      `kubectl patch configmap held --type=json -p '[{"op":"add","path":"/metadata/finalizers/-","value":"example.com/late"}]'`,
      /metadata\.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers \[\]string\{"example\.com\/late"\}/,
    ),
    ok(
      `kubectl patch configmap held --type=merge -p '{"metadata":{"finalizers":null}}'`,
      "configmap/held patched",
    ),
    fails(1, "kubectl get configmap held", 'Error from server (NotFound): configmaps "held" not found'),
  ];
}
