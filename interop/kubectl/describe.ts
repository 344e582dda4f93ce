/** `kubectl describe` reads several kinds for each answer: events, owners, pods, leases. */
import { type Step, fails, ok } from "../step.ts";
import type { KubectlMinor } from "./steps.ts";

export function describeSteps(minor: KubectlMinor): Step[] {
  return [...workloads, service(minor), ...others];
}

/** kubectl 1.28 does not know of the internal traffic policy. */
function service(minor: KubectlMinor): Step {
  return ok(
    "kubectl describe service web",
    /^IP Families: +IPv4$/m,
    /^Endpoints: +[\d.]+:80/m,
    /^Session Affinity: +None$/m,
    ...(minor >= 35 ? [/^Internal Traffic Policy: +Cluster$/m] : []),
  );
}

const workloads: Step[] = [
  ok(
    "kubectl describe pod tool",
    /^Name: +tool\nNamespace: +shop$/m,
    /^Node: +node-[12]\/[\d.]+$/m,
    /^Status: +Running$/m,
    /^QoS Class: +BestEffort$/m,
    /^ +Type +Reason +Age +From +Message$/m,
    /Successfully assigned shop\/tool/,
    /kube-api-access-[a-z0-9]{5}:\n +Type: +Projected/,
    /^Tolerations: +node\.kubernetes\.io\/not-ready:NoExecute op=Exists for 300s$/m,
  ),
  ok(
    "kubectl describe deployment web",
    /^Replicas: +3 desired \| 3 updated \| 3 total \| 3 available \| 0 unavailable$/m,
    /^ +Available +True +MinimumReplicasAvailable$/m,
    /^NewReplicaSet: +web-\w+ \(3\/3 replicas created\)$/m,
  ),
  ok(
    "kubectl describe replicaset -l app=web",
    /^Controlled By: +Deployment\/web$/m,
    /^Pods Status: +3 Running \/ 0 Waiting \/ 0 Succeeded \/ 0 Failed$/m,
  ),
];

const others: Step[] = [
  ok("kubectl describe configmap settings", /^color:\n----\nred$/m, /BinaryData\n====/),
  ok("kubectl describe secret password", /^Type: +Opaque$/m, /^password: +4 bytes$/m),
  ok(
    "kubectl describe node node-1",
    /^Conditions:$/m,
    /^ +Ready +True /m,
    /^Capacity:$/m,
    /^Allocated resources:$/m,
    /^Lease:\n +HolderIdentity: +node-1$/m,
  ),
  ok("kubectl describe namespace limited", /^Status: +Active$/m, /^Resource Quotas$/m, /^ +pods +1 +1$/m),
  ok("kubectl describe serviceaccount bot", /^Name: +bot$/m),
  ok("kubectl describe role reader", /^ +pods +\[\] +\[\] +\[get list watch\]$/m),
  ok("kubectl describe rolebinding reader", /^ +ServiceAccount +bot +shop$/m),
  ok("kubectl describe clusterrole cluster-admin", /^ +\*\.\* +\[\] +\[\] +\[\*\]$/m),
  ok(
    "kubectl describe job once",
    /^Pods Statuses: +0 Active( \(0 Ready\))? \/ 1 Succeeded \/ 0 Failed$/m,
    /Completed +\S+ +job-controller +Job completed/,
  ),
  ok("kubectl describe cronjob tick", /^Schedule: +\*\/5 \* \* \* \*$/m),
  ok(
    "kubectl describe statefulset data",
    /^Pods Status: +2 Running/m,
    /create Pod data-0 in StatefulSet data successful/,
  ),
  ok("kubectl describe daemonset agent", /^Desired Number of Nodes Scheduled: 2$/m),
  ok("kubectl describe pdb web", /^Min available: +2$/m, /^ +Allowed disruptions: +1$/m),
  ok("kubectl describe ingress web", /^ +shop\.example\.com +\n +\/ +web:80 \([\d.]+:80,/m),
  ok("kubectl describe pvc files-data-0", /^Status: +Bound$/m, /^Access Modes: +RWO$/m),
  ok("kubectl describe priorityclass high", /^Value: +1000$/m),
  ok("kubectl describe endpointslices -l kubernetes.io/service-name=web", /^AddressType: +IPv4$/m),
  fails(1, "kubectl describe pod nope", 'Error from server (NotFound): pods "nope" not found'),
];
