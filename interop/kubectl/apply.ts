/** Apply on both sides, and from one to the other. */
import { type Step, fails, ok, without } from "../step.ts";

export const applySteps: Step[] = [
  ok("kubectl diff -f web.yaml > diff.txt; test $? = 1 && grep -c '^+' diff.txt", /^\d\d+$/m),
  ok(
    "kubectl apply -f web.yaml --dry-run=server",
    "deployment.apps/site created (server dry run)\nservice/site created (server dry run)",
  ),
  ok("kubectl apply -f web.yaml", "deployment.apps/site created\nservice/site created"),
  ok("kubectl apply -f web.yaml", "deployment.apps/site unchanged\nservice/site unchanged"),
  ok("kubectl diff -f web.yaml", ""),
  fails(1, "kubectl diff -f web-3.yaml", /^-  replicas: 2\n\+  replicas: 3$/m),
  ok("kubectl apply -f web-3.yaml", "deployment.apps/site configured\nservice/site unchanged"),
  ok(
    "kubectl apply -f web-3.yaml --dry-run=client",
    "deployment.apps/site configured (dry run)\nservice/site configured (dry run)",
  ),
  ok("kubectl apply view-last-applied deployment/site -o json | jq .spec.replicas", "3"),
  ok("kubectl apply -f colors.yaml", "configmap/colors created"),
  ok("kubectl apply -f colors-2.yaml", "configmap/colors configured"),
  ok("kubectl get configmap colors -o jsonpath='{.data}'", '{"sky":"grey"}'),
  ok(
    "kubectl get configmap colors -o json --show-managed-fields | jq -c '[.metadata.managedFields[] | [.manager, .operation]]'",
    '[["kubectl-client-side-apply","Update"]]',
  ),
  ok("kubectl apply --server-side -f colors-2.yaml", "configmap/colors serverside-applied"),
  ok(
    "kubectl get configmap colors -o json --show-managed-fields | jq -c '[.metadata.managedFields[] | [.manager, .operation]]'",
    '[["kubectl","Apply"],["kubectl-last-applied","Apply"]]',
  ),
  ok(
    "kubectl apply --server-side -f colors.yaml && kubectl apply --server-side -f colors-2.yaml && kubectl get configmap colors -o jsonpath='{.data}'",
    /\{"sky":"grey"\}$/,
  ),
  fails(
    1,
    "kubectl apply --server-side --field-manager=painter -f colors-other.yaml",
    /^error: Apply failed with 1 conflict: conflict with "kubectl": \.data\.sky\nPlease review the fields above--they currently have other managers\./,
  ),
  ok(
    "kubectl apply --server-side --field-manager=painter --force-conflicts -f colors-other.yaml",
    "configmap/colors serverside-applied",
  ),
  ok(
    "kubectl get configmap colors -o json --show-managed-fields | jq -c '[.metadata.managedFields[] | {(.manager): .fieldsV1[\"f:data\"]}]'",
    '[{"kubectl-last-applied":null},{"painter":{"f:sea":{},"f:sky":{}}}]',
  ),
  fails(
    1,
    "kubectl diff --server-side --field-manager=painter -f colors-2.yaml",
    /^- {2}sea: blue$/m,
    /^\+ {2}sky: grey$/m,
  ),
  ok(
    "kubectl apply --server-side --dry-run=server --field-manager=painter -f colors-2.yaml",
    "configmap/colors serverside-applied (server dry run)",
  ),
  ok(
    "kubectl apply --server-side --field-manager=painter -f colors-2.yaml && kubectl get configmap colors -o jsonpath='{.data}'",
    /\{"sky":"grey"\}$/,
  ),
  ok(
    "kubectl apply --server-side -f web.yaml --force-conflicts",
    "deployment.apps/site serverside-applied\nservice/site serverside-applied",
  ),
  ok(
    "kubectl scale deployment site --replicas=4 && kubectl get deployment site -o json --show-managed-fields | jq -c '[.metadata.managedFields[] | select(.subresource == \"scale\") | [.manager, .operation]]'",
    /\[\["kubectl","Update"\]\]$/m,
  ),
  fails(
    1,
    "kubectl apply --server-side -f web.yaml",
    /Apply failed with 1 conflict: conflict with "kubectl" (with subresource "scale" )?using apps\/v1(?: with subresource "scale")?: \.spec\.replicas/,
  ),
  ok("kubectl apply --server-side -f web.yaml --force-conflicts", /serverside-applied/),
  ok(
    "kubectl create configmap plain --from-literal=a=b && kubectl create configmap plain --from-literal=a=c --dry-run=client -o yaml | kubectl apply -f -",
    /^Warning: resource configmaps\/plain is missing the kubectl\.kubernetes\.io\/last-applied-configuration annotation which is required by kubectl apply\./m,
    /^configmap\/plain configured$/m,
  ),
  ok(
    "kubectl create configmap plain --from-literal=a=c --dry-run=client -o yaml | kubectl apply set-last-applied -f -",
    "configmap/plain configured",
  ),
  ok("kubectl apply -k .", /^configmap\/k-colors created$/m, /^configmap\/k-generated-\w+ created$/m),
  ok("kubectl apply -f more -R", /^configmap\/one configured$/m, /^configmap\/two configured$/m),
  ok(
    "cat more/one.yaml | kubectl apply --prune -l set=more --prune-allowlist=core/v1/ConfigMap -f -",
    /^configmap\/one unchanged$/m,
    /^configmap\/two pruned$/m,
  ),
  fails(
    1,
    "sed 's/{ app: site }/{ app: other }/' web.yaml | kubectl apply -f - --dry-run=server",
    /The Deployment "site" is invalid: /,
    /spec\.selector: Invalid value: .*: field is immutable/,
  ),
  without(
    ok("kubectl delete -f web.yaml", /deployment\.apps "site" deleted/, /service "site" deleted/),
    /Error/,
  ),
];
