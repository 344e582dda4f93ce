/** A definition and its resources: kubectl treats them as it does built-in ones. */
import { type Step, fails, ok } from "../step.ts";
import type { KubectlMinor } from "./steps.ts";

export function customResourceSteps(minor: KubectlMinor): Step[] {
  const where = minor >= 35 ? " from shop namespace" : "";
  return [
    ok(
      "kubectl create -f crd.yaml",
      "customresourcedefinition.apiextensions.k8s.io/boats.harbour.example.com created",
    ),
    ok(
      "kubectl wait --for=condition=Established crd/boats.harbour.example.com --timeout=90s",
      /condition met/,
    ),
    ok(
      "kubectl api-resources --api-group=harbour.example.com --no-headers",
      /^boats +bo +harbour\.example\.com\/v1 +true +Boat$/m,
    ),
    ok(
      "kubectl explain boat.spec",
      /^GROUP: +harbour\.example\.com\nKIND: +Boat$/m,
      /length\t<integer> -required-\n +Length in metres\./,
      // kubectl 1.28 shows no enumerations
      ...(minor >= 35 ? [/flag\t<string>\n +enum: NL, FR, PT/] : []),
    ),
    ok(
      "kubectl explain boat --recursive",
      /^DESCRIPTION:\n +Boat is a vessel in the harbour\.$/m,
      / {4}sails\t<\[\]Object>\n {6}area\t<integer>\n {6}name\t<string> -required-/,
    ),
    ok("kubectl apply --server-side -f boat.yaml", "boat.harbour.example.com/anna serverside-applied"),
    ok("kubectl get boats", /^NAME +LENGTH +AGE\nanna +12 +\S+$/m),
    ok("kubectl get bo anna -o wide --no-headers", /^anna +12 +NL +\S+$/m),
    ok("kubectl get fleet -o name", "boat.harbour.example.com/anna"),
    ok("kubectl get boats --field-selector spec.flag=NL -o name", "boat.harbour.example.com/anna"),
    ok("kubectl get boats --field-selector spec.flag=FR", "No resources found in shop namespace."),
    ok("kubectl get boat anna -o jsonpath='{.spec.masts} {.metadata.generation}'", "1 1"),
    fails(
      1,
      "sed 's/length: 12/length: 0/' boat.yaml | kubectl apply --server-side -f -",
      'The Boat "anna" is invalid: \n* spec.length: Invalid value: 0: spec.length in body should be greater than or equal to 1\n* spec: Invalid value: too many masts',
    ),
    fails(
      1,
      "sed 's/NL/DE/' boat.yaml | kubectl apply --server-side -f -",
      'The Boat "anna" is invalid: \n* spec.flag: Unsupported value: "DE": supported values: "NL", "FR", "PT"\n* <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
    ),
    fails(
      1,
      'kubectl patch boat anna --type=merge -p \'{"spec":{"masts":9}}\'',
      'The Boat "anna" is invalid: spec: Invalid value: too many masts',
    ),
    fails(
      1,
      "sed 's/flag: NL/flags: NL/' boat.yaml | kubectl create -f -",
      /strict decoding error: unknown field "spec\.flags"/,
    ),
    fails(
      1,
      'kubectl patch boat anna -p \'{"spec":{"masts":2}}\'',
      /application\/strategic-merge-patch\+json is not supported/,
    ),
    ok("kubectl scale boat anna --replicas=2", "boat.harbour.example.com/anna scaled"),
    ok("kubectl get boat anna -o jsonpath='{.spec.masts} {.metadata.generation}'", "2 2"),
    ok(
      'kubectl patch boat anna --subresource=status --type=merge -p \'{"status":{"moored":true},"spec":{"length":99}}\'',
      "boat.harbour.example.com/anna patched",
    ),
    ok(
      "kubectl get boat anna -o jsonpath='{.status.moored} {.spec.length} {.metadata.generation}'",
      "true 12 2",
    ),
    ok(
      "kubectl wait boat/anna --for=jsonpath='{.status.moored}'=true --timeout=90s",
      "boat.harbour.example.com/anna condition met",
    ),
    ok(
      `kubectl apply --server-side --field-manager=sailmaker -f - <<'EOF'
apiVersion: harbour.example.com/v1
kind: Boat
metadata: { name: anna }
spec:
  length: 12
  sails: [{ name: jib, area: 20 }]
EOF`,
      "boat.harbour.example.com/anna serverside-applied",
    ),
    ok("kubectl get boat anna -o jsonpath='{.spec.sails[*].name}'", "main jib"),
    ok(
      "kubectl describe boat anna",
      /^Name: +anna$/m,
      /^API Version: +harbour\.example\.com\/v1$/m,
      /^ +Moored: +true$/m,
    ),
    ok("kubectl describe crd boats.harbour.example.com", /^ +Singular: +boat$/m),
    ok(
      "kubectl label boat anna home=rotterdam && kubectl annotate boat anna a=b && kubectl get boats -l home=rotterdam -o name",
      /boat\.harbour\.example\.com\/anna$/m,
    ),
    ok(
      "KUBE_EDITOR='sed -i s/FR/PT/;s/NL/FR/' kubectl edit boat anna",
      "boat.harbour.example.com/anna edited",
    ),
    ok(
      "kubectl get crd boats.harbour.example.com -o json | jq '.spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.length.maximum=20' | kubectl replace -f -",
      /replaced$/m,
    ),
    ok(
      'for i in $(seq 600); do kubectl patch boat anna --type=merge -p \'{"spec":{"length":21}}\' >out.txt 2>&1 || break; sleep 0.1; done; cat out.txt',
      /spec\.length in body should be less than or equal to 20/,
    ),
    ok("kubectl delete boat anna", `boat.harbour.example.com "anna" deleted${where}`),
    ok(
      "kubectl delete crd boats.harbour.example.com",
      'customresourcedefinition.apiextensions.k8s.io "boats.harbour.example.com" deleted',
    ),
    // this kubectl has the list of kinds in its cache, and asks
    fails(
      1,
      "kubectl get boats",
      /the server doesn't have a resource type "boats"|the server could not find the requested resource \(get boats\.harbour\.example\.com\)/,
    ),
  ];
}
