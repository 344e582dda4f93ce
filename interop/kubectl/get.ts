/** Reading: output formats, selectors, paging. */
import { type Step, fails, ok, soon, without } from "../step.ts";
import type { KubectlMinor } from "./steps.ts";

export function getSteps(minor: KubectlMinor): Step[] {
  return [...tables, ...formats, ...selectors, ...paging, ...events(minor)];
}

const tables: Step[] = [
  ok("kubectl get deployments", /^NAME +READY +UP-TO-DATE +AVAILABLE +AGE\nweb +3\/3 +3 +3 +\S+$/m),
  ok(
    "kubectl get deploy -o wide",
    /^NAME +READY +UP-TO-DATE +AVAILABLE +AGE +CONTAINERS +IMAGES +SELECTOR\nweb +3\/3 +3 +3 +\S+ +nginx +nginx:1\.27 +app=web$/m,
  ),
  ok("kubectl get rs -l app=web", /^NAME +DESIRED +CURRENT +READY +AGE\nweb-[a-z0-9]+ +3 +3 +3 +\S+$/m),
  ok(
    "kubectl get pods -l app=web -o wide",
    /^NAME +READY +STATUS +RESTARTS +AGE +IP +NODE +NOMINATED NODE +READINESS GATES\n(web-[a-z0-9]+-[a-z0-9]{5} +1\/1 +Running +0 +\S+ +[\d.]+ +node-[12] +<none> +<none>\n){3}$/,
  ),
  ok("kubectl get jobs once --no-headers", /^once +Complete +1\/1 +\S+ +\S+$/m),
  ok(
    "kubectl get cronjobs",
    /^NAME +SCHEDULE +TIMEZONE +SUSPEND +ACTIVE +LAST SCHEDULE +AGE\ntick +\*\/5 \* \* \* \* +<none> +False +\d +\S+ +\S+$/m,
  ),
  ok("kubectl get statefulsets", /^NAME +READY +AGE\ndata +2\/2 +\S+$/m),
  ok("kubectl get sa bot", /^NAME +(SECRETS +)?AGE\nbot +(0 +)?\S+$/m),
  ok(
    "kubectl get nodes",
    /^NAME +STATUS +ROLES +AGE +VERSION\nnode-1 +Ready +<none> +\S+ +v1\.35\.\d+\nnode-2 +Ready/m,
  ),
  ok(
    "kubectl get priorityclasses",
    /^NAME +VALUE +GLOBAL-DEFAULT +AGE +PREEMPTIONPOLICY\nhigh +1000 +false +\S+ +PreemptLowerPriority\nsystem-cluster-critical +2000000000 +false +\S+ +PreemptLowerPriority\nsystem-node-critical +2000001000 /m,
  ),
  ok("kubectl get pods,services -l app=web", /^pod\/web-/m, /^service\/web /m),
  ok("kubectl get all -l app=web", /^pod\/web-/m, /^deployment\.apps\/web /m, /^replicaset\.apps\/web-/m),
  ok("kubectl get pod/tool service/web --no-headers", /^pod\/tool +1\/1/m, /^service\/web +ClusterIP/m),
  ok("kubectl get pods -A --no-headers", /^shop +tool +1\/1 +Running/m, /^limited +first /m),
  ok("kubectl get pod tool --show-labels", /LABELS\ntool .* app=tool$/m),
  ok("kubectl get pods -l app -L app --no-headers", /^tool .* tool$/m),
  ok("kubectl get configmap settings --no-headers", /^settings +2 +\S+$/m),
  ok("kubectl get deployment web --show-kind --no-headers", /^deployment\.apps\/web /),
  ok(
    "kubectl get configmaps --sort-by='{.metadata.name}' -o name | grep -E 'settings|from' | tr '\\n' ' '",
    "configmap/from-env configmap/from-file configmap/settings",
  ),
  ok("kubectl get leases -n kube-node-lease --no-headers", /^node-1 +node-1 +\S+\nnode-2 +node-2 /m),
  fails(1, "kubectl get pod nope", 'Error from server (NotFound): pods "nope" not found'),
  ok("kubectl get pod nope --ignore-not-found", ""),
  ok("kubectl get pods -n kube-public", "No resources found in kube-public namespace."),
];

const formats: Step[] = [
  ok(
    "kubectl get configmap settings -o yaml",
    /^apiVersion: v1\ndata:\n {2}color: red\n {2}size: "10"\nkind: ConfigMap\nmetadata:\n {2}creationTimestamp: "\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"\n {2}name: settings\n {2}namespace: shop\n {2}resourceVersion: "\d+"\n {2}uid: [0-9a-f-]{36}\n$/,
  ),
  ok(
    "kubectl get configmap settings -o yaml --show-managed-fields",
    /managedFields:\n {2}- apiVersion: v1\n {4}fieldsType: FieldsV1\n {4}fieldsV1:\n {6}f:data:\n {8}\.: \{\}\n {8}f:color: \{\}\n {8}f:size: \{\}\n {4}manager: kubectl-create\n {4}operation: Update\n/,
  ),
  ok("kubectl get configmap settings -o json | jq -c .data", '{"color":"red","size":"10"}'),
  ok("kubectl get configmaps -o json | jq -r .kind", "List"),
  ok("kubectl get deployment web -o name", "deployment.apps/web"),
  ok("kubectl get pods -l app=web -o jsonpath='{.items[*].status.phase}'", "Running Running Running"),
  ok(
    `kubectl get pods -o jsonpath='{range .items[?(@.metadata.labels.app=="tool")]}{.metadata.name}{"\\t"}{.status.qosClass}{"\\n"}{end}'`,
    "tool\tBestEffort",
  ),
  ok("kubectl get deployment web -o jsonpath-as-json='{.spec.replicas}' | jq -c .", "[3]"),
  ok(
    "kubectl get deployments web -o custom-columns=NAME:.metadata.name,REPLICAS:.spec.replicas",
    /^NAME +REPLICAS\nweb +3$/m,
  ),
  ok("kubectl get deployments web -o custom-columns-file=columns.txt", /^NAME +IMAGE\nweb +nginx:1\.27$/m),
  ok(
    "kubectl get deployment web -o go-template='{{.metadata.name}} {{len .spec.template.spec.containers}}'",
    "web 1",
  ),
  ok("kubectl get configmaps -l set=more -o go-template-file=names.tmpl", "one\ntwo"),
  ok(
    "kubectl get deployment web --subresource=scale -o jsonpath='{.kind} {.status.selector}'",
    "Scale app=web",
  ),
  ok("kubectl get deployment web --subresource=status --no-headers", /^web +3\/3/),
  fails(
    1,
    "kubectl get pod tool -o nonsense",
    /unable to match a printer suitable for the output format "nonsense"/,
  ),
  ok("kubectl get deployments.v1.apps web -o name", "deployment.apps/web"),
  ok(
    "kubectl get deployment web -o json | jq -c '.spec | {strategy, revisionHistoryLimit, progressDeadlineSeconds}'",
    '{"strategy":{"rollingUpdate":{"maxSurge":"25%","maxUnavailable":"25%"},"type":"RollingUpdate"},"revisionHistoryLimit":10,"progressDeadlineSeconds":600}',
  ),
];

const selectors: Step[] = [
  ok("kubectl get pods --field-selector status.phase=Running,metadata.name=tool -o name", "pod/tool"),
  without(ok("kubectl get pods --field-selector metadata.name!=tool -o name", /^pod\/web-/m), /pod\/tool/),
  ok("kubectl get pods -A --field-selector spec.nodeName=node-9", "No resources found"),
  ok("kubectl get secrets --field-selector type=kubernetes.io/tls -o name", "secret/cert"),
  ok(
    "kubectl get events --field-selector involvedObject.kind=Pod,involvedObject.name=tool -o name",
    /^event\/tool\./,
  ),
  fails(
    1,
    "kubectl get pods --field-selector spec.color=red",
    'Error from server (BadRequest): Unable to find "/v1, Resource=pods" that match label selector "", field selector "spec.color=red": field label not supported: spec.color',
  ),
  ok("kubectl get pods -l 'app in (tool,none),!missing' -o name", "pod/tool"),
  ok("kubectl get configmaps -l 'set notin (other),set' -o name", "configmap/one\nconfigmap/two"),
  ok("kubectl get configmaps -l set=more,set!=less -o name", "configmap/one\nconfigmap/two"),
  fails(1, "kubectl get pods -l 'a=b=c'", /unable to parse requirement|found '='|invalid/i),
];

const paging: Step[] = [
  ok(
    "kubectl get pods --server-print=false --no-headers | wc -l; kubectl get pods --no-headers | wc -l",
    /^(\d+)\n\1$/m,
  ),
  ok("kubectl get pod tool --subresource=status -o jsonpath='{.status.phase}'", "Running"),
  ok(
    "kubectl get deployments -L app --show-labels --show-kind --no-headers",
    /^deployment\.apps\/web +.* +web +app=web$/m,
  ),
  ok("kubectl get pod tool -o jsonpath-as-json='{.metadata.labels}' | jq -c .", '[{"app":"tool"}]'),
  ok(
    "kubectl get all",
    /^pod\/tool /m,
    /^service\/web /m,
    /^deployment\.apps\/web /m,
    /^cronjob\.batch\/tick /m,
  ),
  ok(
    "kubectl get configmaps --chunk-size=2 -o name | sort > paged.txt; kubectl get configmaps --chunk-size=0 -o name | sort | diff - paged.txt",
    "",
  ),
  ok("kubectl get configmaps --chunk-size=2 -v=6 2>&1 >/dev/null | grep -c 'continue='", /^[3-9]$/m),
  ok(
    "kubectl get --raw '/api/v1/namespaces/shop/configmaps?limit=2' | jq -c '[(.items | length), (.metadata.continue | length > 0), .metadata.remainingItemCount > 0]'",
    "[2,true,true]",
  ),
  fails(
    1,
    "kubectl get --raw '/api/v1/namespaces/shop/configmaps?limit=2&continue=nonsense'",
    /continue key is not valid/,
  ),
];

function events(minor: KubectlMinor): Step[] {
  return [
    soon(
      "kubectl get events",
      /^LAST SEEN +TYPE +REASON +OBJECT +MESSAGE$/m,
      /Normal +ScalingReplicaSet +deployment\/web +Scaled up replica set web-[a-z0-9]+ from 0 to 3/,
    ),
    soon(
      "kubectl events --for pod/tool",
      /^LAST SEEN +TYPE +REASON +OBJECT +MESSAGE$/m,
      /Normal +Scheduled +Pod\/tool +Successfully assigned shop\/tool to node-[12]/,
      /Normal +Started +Pod\/tool +/,
    ),
    ok("kubectl events --types=Warning --for deployment/web", /No events found/),
    ...(minor >= 35
      ? [ok("kubectl get events.events.k8s.io -o name | head -1", /^event\.events\.k8s\.io\//)]
      : []),
  ];
}
