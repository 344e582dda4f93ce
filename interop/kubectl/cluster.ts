/** What is this cluster, and what does it serve? */
import { type Step, fails, ok, without } from "../step.ts";
import type { KubectlMinor } from "./steps.ts";

export function clusterSteps(minor: KubectlMinor): Step[] {
  return [
    ok("kubectl version", new RegExp(`^Client Version: v1\\.${minor}\\.`), /^Server Version: v1\.35\./m),
    ok("kubectl version -o json | jq -r '.serverVersion.major + \".\" + .serverVersion.minor'", /^1\.35$/m),
    ok("kubectl cluster-info", /Kubernetes control plane.* is running at .*https:\/\/127\.0\.0\.1:\d+/),
    ok("kubectl cluster-info dump | head -c 20", /"kind"|\{/),
    ok("kubectl config current-context", /^\S+\n$/),
    ok("kubectl config get-contexts", /^CURRENT +NAME +CLUSTER +AUTHINFO +NAMESPACE\n\* /),
    ok("kubectl config view", /certificate-authority-data: DATA\+OMITTED/, /current-context: /),
    ok(
      "kubectl config view --minify -o jsonpath='{.clusters[0].cluster.server}'",
      /^https:\/\/127\.0\.0\.1:\d+$/,
    ),
    ok("kubectl api-versions", /^apps\/v1$/m, /^apiextensions\.k8s\.io\/v1$/m, /^batch\/v1$/m, /^v1$/m),
    ok(
      "kubectl api-resources",
      /^NAME +SHORTNAMES +APIVERSION +NAMESPACED +KIND\n/,
      /^pods +po +v1 +true +Pod$/m,
    ),
    ok(
      "kubectl api-resources --api-group=apps -o name | sort | tr '\\n' ' '",
      "controllerrevisions.apps daemonsets.apps deployments.apps replicasets.apps statefulsets.apps",
    ),
    without(
      ok("kubectl api-resources --namespaced=false --verbs=list,watch -o name", /^nodes$/m, /^namespaces$/m),
      /^pods$/m,
    ),
    ok(
      "kubectl api-resources --api-group=apps -o wide",
      /^deployments +deploy +apps\/v1 +true +Deployment +create,delete,deletecollection,get,list,patch,update,watch +all$/m,
    ),
    ok("kubectl api-resources --categories=all -o name | grep -c .", "10"),
    ok(
      "kubectl explain deployment",
      /^GROUP: +apps\nKIND: +Deployment\nVERSION: +v1\n\nDESCRIPTION:/,
      /^FIELDS:$/m,
    ),
    ok(
      "kubectl explain deployment.spec.strategy.rollingUpdate",
      /maxSurge\t<IntOrString>/,
      /maxUnavailable\t<IntOrString>/,
    ),
    ok(
      "kubectl explain pod.spec.containers --recursive",
      /FIELD: containers <\[\]Container>/,
      / {4}containerPort\t<integer> -required-/,
    ),
    ok("kubectl explain cronjobs --api-version=batch/v1", /^KIND: +CronJob$/m),
    ok("kubectl explain pod.spec.restartPolicy", /FIELD: restartPolicy <string>/),
    ok("kubectl explain --output=plaintext-openapiv2 pod.metadata.name", /FIELD: +name <string>/),
    fails(1, "kubectl explain pod.spec.nothing", /field "nothing" does not exist/),
    ok("kubectl get --raw /healthz", "ok"),
    ok("kubectl get --raw '/readyz?verbose'", /^\[\+\]ping ok$/m, /^readyz check passed$/m),
    ok("kubectl get --raw /livez/ping", "ok"),
    ok("kubectl get --raw /version | jq -r .major", "1"),
    ok("kubectl get --raw /apis | jq -r .kind", "APIGroupList"),
    ok("kubectl get --raw /openapi/v3 | jq -r '.paths | has(\"apis/apps/v1\")'", "true"),
    fails(
      1,
      "kubectl get --raw /nowhere",
      "Error from server (NotFound): the server could not find the requested resource",
    ),
    fails(1, "kubectl get nonsense", `error: the server doesn't have a resource type "nonsense"`),
    ok(
      "kubectl get namespaces -o name",
      /^namespace\/default\nnamespace\/kube-node-lease\nnamespace\/kube-public\nnamespace\/kube-system$/m,
    ),
    ok("kubectl get service kubernetes -o jsonpath='{.spec.ports[0].port}'", "443"),
    ok("kubectl top nodes --no-headers", /^node-1 +\d+m +\d+% +\d+Mi +\d+%/m),
  ];
}
