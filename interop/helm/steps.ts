/** Helm: the life of a release, from a chart of ours with a definition, workload, permissions, hooks and a test. */
import { type Step, fails, ok, soon, without } from "../step.ts";

export type HelmMajor = 3 | 4;

export function helmSteps(major: HelmMajor): Step[] {
  return [...render(major), ...install(major), ...upgrade(major), ...rollback, ...uninstall];
}

function render(major: HelmMajor): Step[] {
  return [
    ok("helm version --short", /^v\d+\.\d+\.\d+/),
    ok("helm lint harbour", /1 chart\(s\) linted, 0 chart\(s\) failed/),
    ok("helm list -A", /^NAME\s+NAMESPACE\s+REVISION\s+UPDATED\s+STATUS\s+CHART\s+APP VERSION\s*$/),
    ok("helm template port harbour", /^ {2}kubernetes: "\d+"$/m, /^kind: RoleBinding$/m),
    // the definition is not there yet, and a dry run installs none; Helm 3 asks the server for kinds only to validate
    fails(
      1,
      `helm template port harbour --dry-run=server${major === 3 ? " --validate" : ""}`,
      /no matches for kind "Boat" in version "harbour\.example\.com\/v1"/,
    ),
  ];
}

function install(major: HelmMajor): Step[] {
  return [
    fails(
      1,
      "helm install port harbour --set replicas=0",
      /values don't meet the specifications of the schema/,
    ),
    ok(
      "helm install port harbour -n sea --create-namespace --dry-run=server",
      /^STATUS: pending-install$/m,
      /^# Source: harbour\/templates\/deployment\.yaml$/m,
    ),
    fails(1, "kubectl get namespace sea", /NotFound/),
    ok(
      "helm install port harbour -n sea --create-namespace --wait --timeout 90s",
      /^STATUS: deployed$/m,
      /^REVISION: 1$/m,
      /^The harbour port is open, revision 1\.$/m,
    ),
    ok("kubectl config set-context --current --namespace=sea", /modified/),
    ok("kubectl get deployment port -o jsonpath='{.status.readyReplicas}'", "2"),
    ok("kubectl get job port-prepare -o jsonpath='{.status.succeeded}'", "1"),
    ok(
      "kubectl get boats,configmaps,roles,rolebindings,serviceaccounts,services -o name | grep /port",
      "boat.harbour.example.com/port\nconfigmap/port\nrole.rbac.authorization.k8s.io/port\nrolebinding.rbac.authorization.k8s.io/port\nserviceaccount/port\nservice/port",
    ),
    ok(
      'kubectl get deployment port -o json | jq -c \'.metadata | [.labels["app.kubernetes.io/managed-by"], .annotations["meta.helm.sh/release-name"]]\'',
      '["Helm","port"]',
    ),
    ok(
      "kubectl get deployment port -o json --show-managed-fields | jq -r '.metadata.managedFields[0] | .manager + \" \" + .operation'",
      major === 4 ? "helm Apply" : "helm Update",
    ),
    ok(
      "kubectl get configmap port -o jsonpath='{.data.deployments} {.data.kubernetes} {.data.earlier}'",
      "known 35 no",
    ),
    ok(
      "kubectl get secret sh.helm.release.v1.port.v1 -o jsonpath='{.type} {.metadata.labels.status}'",
      "helm.sh/release.v1 deployed",
    ),
    ok(
      "helm list -n sea -o json | jq -c '.[] | [.name, .revision, .status, .chart]'",
      '["port","1","deployed","harbour-0.1.0"]',
    ),
    ok("helm status port -n sea", /^STATUS: deployed$/m),
    ok("helm get manifest port -n sea", /^kind: Deployment$/m, /^kind: Boat$/m),
    ok("helm get values port -n sea --all", /^replicas: 2$/m),
    ok("helm get hooks port -n sea", /^ {2}name: port-prepare$/m),
    ok("helm get notes port -n sea", /The harbour port is open/),
    ok("helm test port -n sea --timeout 60s", /^TEST SUITE: +port-reachable$/m, /^Phase: +Succeeded$/m),
    fails(1, "helm install port harbour -n sea", /cannot re-?use a name that is still in use/),
    fails(
      1,
      "helm install other harbour -n sea --set motto=mine --set name=port --dry-run=server --post-renderer nothing",
      /post-renderer|nothing/,
    ),
  ];
}

function upgrade(major: HelmMajor): Step[] {
  return [
    ok(
      "helm upgrade port harbour -n sea --set motto=rough,replicas=3 --wait --timeout 90s",
      /has been upgraded\. Happy Helming!/,
      /^REVISION: 2$/m,
    ),
    ok("kubectl get configmap port -o jsonpath='{.data.motto} {.data.earlier}'", "rough yes"),
    ok("kubectl get deployment port -o jsonpath='{.spec.replicas}/{.status.readyReplicas}'", "3/3"),
    ok(
      "helm upgrade port harbour -n sea --reuse-values --set motto=wild --wait --timeout 90s",
      /^REVISION: 3$/m,
    ),
    ok("helm get values port -n sea", /^motto: wild$/m, /^replicas: 3$/m),
    ok("helm upgrade --install port harbour -n sea --reset-values --wait --timeout 90s", /^REVISION: 4$/m),
    soon("kubectl get deployment port -o jsonpath='{.spec.replicas}/{.status.readyReplicas}'", "2/2"),
    fails(
      1,
      "helm upgrade port harbour -n sea --set motto=null --set image=1:2:3 --set replicas=many",
      /specifications of the schema/,
    ),
    fails(
      1,
      "sed -i 's/length: 10/length: 0/' harbour/templates/boat.yaml; helm upgrade port harbour -n sea",
      /spec\.length in body should be greater than or equal to 1/,
    ),
    ok(
      "sed -i 's/length: 0/length: 14/' harbour/templates/boat.yaml; helm upgrade port harbour -n sea --wait --timeout 90s && kubectl get boat port -o jsonpath='{.spec.length}'",
      /^14$/m,
    ),
    ok(
      "helm history port -n sea -o json | jq -r '.[] | [.revision, .status] | join(\" \")'",
      "1 superseded\n2 superseded\n3 superseded\n4 superseded\n5 failed\n6 deployed",
    ),
    ...(major === 4
      ? [
          ok(
            'kubectl patch configmap port --type=merge -p \'{"data":{"motto":"stolen"}}\' --field-manager=thief',
            "configmap/port patched",
          ),
          fails(
            1,
            "helm upgrade port harbour -n sea --set motto=back",
            /conflict with "thief" using v1: \.data\.motto|conflict occurred while applying object/,
          ),
          ok(
            "helm upgrade port harbour -n sea --set motto=back --force-conflicts && kubectl get configmap port -o jsonpath='{.data.motto}'",
            /^back$/m,
          ),
        ]
      : [
          ok(
            'kubectl patch configmap port --type=merge -p \'{"data":{"motto":"stolen"}}\'',
            "configmap/port patched",
          ),
          ok(
            "helm upgrade port harbour -n sea --set motto=back && kubectl get configmap port -o jsonpath='{.data.motto}'",
            /^back$/m,
          ),
        ]),
  ];
}

const rollback: Step[] = [
  ok("helm rollback port 2 -n sea --wait --timeout 90s", /Rollback was a success! Happy Helming!/),
  ok("kubectl get configmap port -o jsonpath='{.data.motto}'", "rough"),
  soon("kubectl get deployment port -o jsonpath='{.spec.replicas}/{.status.readyReplicas}'", "3/3"),
  ok("helm history port -n sea --max 1", /Rollback to 2/),
  fails(1, "helm rollback port 99 -n sea", /release: not found|has no 99 version|not found/),
  ok("helm install second harbour -n sea --wait --timeout 90s", /^STATUS: deployed$/m),
  ok("helm list -n sea -q", "port\nsecond"),
];

const uninstall: Step[] = [
  ok("helm uninstall second -n sea --keep-history --wait --timeout 90s", /release "second" uninstalled/),
  ok("helm list -n sea --uninstalled -q", "second"),
  ok("helm uninstall port -n sea --wait --timeout 90s", 'release "port" uninstalled'),
  without(
    ok(
      "kubectl get deployments,services,boats,jobs,configmaps -o name -n sea",
      /configmap\/kube-root-ca\.crt/,
    ),
    /\/port$/m,
    /deployment/,
  ),
  soon("kubectl get pods -l app.kubernetes.io/name=harbour", "No resources found in sea namespace."),
  fails(1, "kubectl get clusterrole port-nodes", /NotFound/),
  ok(
    "kubectl get crd boats.harbour.example.com -o name",
    "customresourcedefinition.apiextensions.k8s.io/boats.harbour.example.com",
  ),
  fails(1, "helm status port -n sea", /release: not found/),
  fails(1, "helm uninstall port -n sea", /not found/),
  ok("helm uninstall port -n sea --ignore-not-found", /[^]*/),
];
