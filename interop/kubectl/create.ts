/** Everything that `kubectl create` and its relatives make. */
import { type Step, fails, ok, soon, without } from "../step.ts";
import type { KubectlMinor } from "./steps.ts";

export function createSteps(minor: KubectlMinor): Step[] {
  return [
    ...namespaces,
    ...workloads,
    ...services,
    ...configuration(minor),
    ...permissions,
    ...quotas,
    ...refusals,
  ];
}

const namespaces: Step[] = [
  ok("kubectl create namespace shop", "namespace/shop created"),
  fails(
    1,
    "kubectl create namespace shop",
    'Error from server (AlreadyExists): namespaces "shop" already exists',
  ),
  fails(
    1,
    "kubectl create namespace Shop",
    `The Namespace "Shop" is invalid: metadata.name: Invalid value: "Shop": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`,
  ),
  ok("kubectl get namespace shop -o jsonpath='{.metadata.labels}'", '{"kubernetes.io/metadata.name":"shop"}'),
  ok("kubectl config set-context --current --namespace=shop", /^Context "[^"]+" modified\.$/m),
  soon("kubectl get serviceaccount default -o name", "serviceaccount/default"),
  soon(
    "kubectl get configmap kube-root-ca.crt -o jsonpath='{.data.ca\\.crt}'",
    /^-----BEGIN CERTIFICATE-----/,
  ),
];

const workloads: Step[] = [
  ok(
    "kubectl create deployment web --image=nginx:1.27 --replicas=3 --port=80",
    "deployment.apps/web created",
  ),
  ok("kubectl rollout status deployment/web --timeout=90s", /deployment "web" successfully rolled out/),
  ok("kubectl create deployment gone --image=nginx --dry-run=server -o name", "deployment.apps/gone"),
  fails(1, "kubectl get deployment gone", 'Error from server (NotFound): deployments.apps "gone" not found'),
  ok(
    "kubectl create deployment gone --image=nginx --dry-run=client -o yaml",
    /^apiVersion: apps\/v1\nkind: Deployment\nmetadata:\n/,
    /^ {8}name: nginx$/m,
  ),
  ok("kubectl run tool --image=busybox --restart=Never --labels=app=tool -- sleep 3600", "pod/tool created"),
  ok("kubectl wait --for=condition=Ready pod/tool --timeout=90s", "pod/tool condition met"),
  ok("kubectl create job once --image=busybox -- true", "job.batch/once created"),
  ok("kubectl wait --for=condition=complete job/once --timeout=90s", "job.batch/once condition met"),
  ok("kubectl get job once -o jsonpath='{.status.succeeded}'", "1"),
  ok(
    "kubectl create cronjob tick --image=busybox --schedule='*/5 * * * *' -- date",
    "cronjob.batch/tick created",
  ),
  fails(
    1,
    "kubectl create cronjob bad --image=busybox --schedule='every day' -- date",
    /^(error: failed to create cronjob: CronJob\.batch|The CronJob) "bad" is invalid: spec\.schedule: Invalid value: "every day": /,
  ),
  ok("kubectl create job manual --from=cronjob/tick", "job.batch/manual created"),
  ok(
    "kubectl get job manual -o jsonpath='{.metadata.ownerReferences[0].kind} {.metadata.annotations}'",
    'CronJob {"cronjob.kubernetes.io/instantiate":"manual"}',
  ),
  ok(
    "kubectl apply -f data.yaml",
    "statefulset.apps/data created\nservice/data created\ndaemonset.apps/agent created",
  ),
  ok(
    "kubectl rollout status statefulset/data --timeout=90s",
    /partitioned roll out complete|rolling update complete 2 pods at revision data-/,
  ),
  ok("kubectl get pods -l app=data -o name", "pod/data-0\npod/data-1"),
  soon(
    "kubectl get pvc -o custom-columns=N:.metadata.name,S:.status.phase --no-headers",
    /^files-data-0 +Bound\nfiles-data-1 +Bound$/m,
  ),
  ok("kubectl rollout status daemonset/agent --timeout=90s", 'daemon set "agent" successfully rolled out'),
  soon("kubectl get daemonset agent --no-headers", /^agent +2 +2 +2 +2 +2 +<none> +\S+$/m),
  ok(
    "kubectl create poddisruptionbudget web --selector=app=web --min-available=2",
    "poddisruptionbudget.policy/web created",
  ),
  soon("kubectl get pdb web --no-headers", /^web +2 +N\/A +1 +\S+$/m),
  ok(
    "kubectl create priorityclass high --value=1000 --description=urgent",
    "priorityclass.scheduling.k8s.io/high created",
  ),
];

const services: Step[] = [
  ok("kubectl expose deployment web --port=80 --target-port=80", "service/web exposed"),
  ok(
    "kubectl get service web -o jsonpath='{.spec.clusterIP} {.spec.type} {.spec.clusterIPs}'",
    /^(\d+\.){3}\d+ ClusterIP \["(\d+\.){3}\d+"\]$/,
  ),
  soon(
    "kubectl get endpointslices -l kubernetes.io/service-name=web -o jsonpath='{.items[*].endpoints[*].addresses[*]}'",
    /^(\d+\.){3}\d+ (\d+\.){3}\d+ (\d+\.){3}\d+$/,
  ),
  soon("kubectl get endpoints web", /^web +(\d+\.){3}\d+:80,/m),
  ok("kubectl create service clusterip api --tcp=8080:80", "service/api created"),
  ok("kubectl create service nodeport outside --tcp=80 --node-port=30080", "service/outside created"),
  fails(
    1,
    "kubectl create service nodeport outside-2 --tcp=80 --node-port=30080",
    /spec\.ports\[0\]\.nodePort: Invalid value: 30080: provided port is already allocated/,
  ),
  ok("kubectl create service loadbalancer public --tcp=80", "service/public created"),
  ok("kubectl get service public -o jsonpath='{.spec.ports[0].nodePort}'", /^3[0-2]\d\d\d$/),
  ok("kubectl create service externalname away --external-name=example.com", "service/away created"),
  ok(
    "kubectl get services --no-headers",
    /^away +ExternalName +<none> +example\.com +<none> +\S+$/m,
    /^public +LoadBalancer +[\d.]+ +(<pending>|[\d.]+) +80:3\d+\/TCP +\S+$/m,
    /^data +ClusterIP +None +<none> +5432\/TCP/m,
  ),
  ok(
    "kubectl create ingress web --rule='shop.example.com/*=web:80'",
    "ingress.networking.k8s.io/web created",
  ),
  ok(
    "kubectl create ingress secure --class=x --rule='a.example.com/b=web:80,tls=cert' --default-backend=web:80 --annotation a=b && kubectl get ingress secure -o jsonpath='{.spec.tls} {.spec.rules[0].http.paths[0].pathType}'",
    /\[\{"hosts":\["a\.example\.com"\],"secretName":"cert"\}\] Exact$/,
  ),
  ok("kubectl delete ingress secure", /deleted/),
  ok(
    "kubectl create service clusterip headless --clusterip=None --tcp=1 && kubectl get service headless --no-headers",
    /^headless +ClusterIP +None +<none> +1\/TCP +/m,
  ),
  ok("kubectl delete service headless", /deleted/),
  ok("kubectl get ingress web --no-headers", /^web +<none> +shop\.example\.com +80 +\S+$/m),
];

function configuration(minor: KubectlMinor): Step[] {
  return [
    ok(
      "kubectl create configmap settings --from-literal=color=red --from-literal=size=10",
      "configmap/settings created",
    ),
    ok("kubectl create configmap from-file --from-file=colors.yaml", "configmap/from-file created"),
    ok("kubectl create configmap from-env --from-env-file=settings.env", "configmap/from-env created"),
    ok("kubectl get configmap from-env -o jsonpath='{.data}'", '{"alpha":"1","beta":"two"}'),
    ok(
      "head -c 100 /dev/urandom > random.bin; kubectl create configmap binary --from-file=random.bin",
      "configmap/binary created",
    ),
    ok(
      "kubectl get configmap binary -o jsonpath='{.binaryData.random\\.bin}' | base64 -d | cmp - random.bin",
      "",
    ),
    ok(
      "kubectl create secret generic password --from-literal=user=admin --from-literal=password=hush",
      "secret/password created",
    ),
    ok("kubectl get secret password -o jsonpath='{.data.password}' | base64 -d", "hush"),
    ok("kubectl get secret password --no-headers", /^password +Opaque +2 +\S+$/m),
    ok(
      "kubectl create secret docker-registry registry --docker-server=registry.example.com --docker-username=me --docker-password=x",
      "secret/registry created",
    ),
    ok("kubectl get secret registry -o jsonpath='{.type}'", "kubernetes.io/dockerconfigjson"),
    ok(
      "openssl req -x509 -newkey rsa:2048 -nodes -keyout tls.key -out tls.crt -subj /CN=shop -days 1 2>openssl.txt; kubectl create secret tls cert --cert=tls.crt --key=tls.key",
      "secret/cert created",
    ),
    fails(
      1,
      "kubectl create secret generic bad --type=kubernetes.io/tls --from-literal=a=b",
      /data\[tls\.crt\]: Required value/,
      /data\[tls\.key\]: Required value/,
    ),
    ok(
      "kubectl create secret generic hashed --from-literal=a=b --append-hash -o name && kubectl create configmap hashed --from-literal=a=b --append-hash -o name",
      "secret/hashed-cgm2t8ff2d\nconfigmap/hashed-4dk9m7dmmg",
    ),
    ok("kubectl create -f more", /configmap\/one created\nconfigmap\/two created/),
    ...(minor >= 35
      ? [
          ok(
            "kubectl get configmap settings -o kyaml",
            /^ {2}data: \{\n {4}color: "red",\n {4}size: "10",\n {2}\},$/m,
          ),
        ]
      : []),
  ];
}

const permissions: Step[] = [
  ok("kubectl create serviceaccount bot", "serviceaccount/bot created"),
  ok(
    "kubectl create role reader --verb=get,list,watch --resource=pods,deployments.apps,pods/log",
    "role.rbac.authorization.k8s.io/reader created",
  ),
  ok(
    "kubectl create rolebinding reader --role=reader --serviceaccount=shop:bot",
    "rolebinding.rbac.authorization.k8s.io/reader created",
  ),
  ok(
    "kubectl create clusterrole node-reader --verb=get,list --resource=nodes",
    "clusterrole.rbac.authorization.k8s.io/node-reader created",
  ),
  ok(
    "kubectl create clusterrolebinding node-reader --clusterrole=node-reader --user=jane",
    "clusterrolebinding.rbac.authorization.k8s.io/node-reader created",
  ),
  ok("kubectl get rolebinding reader -o wide --no-headers", /^reader +Role\/reader +\S+ +shop\/bot$/m),
  ok("kubectl create token bot", /^[\w-]+\.[\w-]+\.[\w-]+\n?$/),
  ok(
    "kubectl create token bot --duration=1h --audience=shop | cut -d. -f2 | tr '_-' '/+' | base64 -d 2>/dev/null | jq -r '.aud[0] + \" \" + .sub'",
    "shop system:serviceaccount:shop:bot",
  ),
  fails(
    1,
    "kubectl create token bot --duration=10s",
    /spec\.expirationSeconds: Invalid value: 10: may not specify a duration less than 10 minutes/,
  ),
  fails(
    1,
    "kubectl create token nobody",
    'error: failed to create token: serviceaccounts "nobody" not found',
  ),
  ok(
    "kubectl create token bot --bound-object-kind=Secret --bound-object-name=password -o jsonpath='{.spec.boundObjectRef}'",
    '{"apiVersion":"v1","kind":"Secret","name":"password"}',
  ),
  ok(
    "kubectl create role named --verb=get --resource=pods --resource-name=a --resource-name=b && kubectl get role named -o jsonpath='{.rules[0].resourceNames}'",
    /\["a","b"\]$/,
  ),
  fails(1, "kubectl create role bad --verb=get --resource=nope", /doesn't have a resource type "nope"/),
  ok(
    "kubectl create clusterrole sum --aggregation-rule=example.com/sum=yes && kubectl create clusterrole part --verb=list --resource=pods && kubectl label clusterrole part example.com/sum=yes",
    /clusterrole\.rbac\.authorization\.k8s\.io\/part labeled$/m,
  ),
  soon(
    "kubectl get clusterrole sum -o jsonpath='{.rules}'",
    '[{"apiGroups":[""],"resources":["pods"],"verbs":["list"]}]',
  ),
  ok(
    "kubectl create clusterrole logs --verb=get --non-resource-url='/logs/*' && kubectl get clusterrole logs -o jsonpath='{.rules}'",
    /\[\{"nonResourceURLs":\["\/logs\/\*"\],"verbs":\["get"\]\}\]$/,
  ),
];

const quotas: Step[] = [
  ok("kubectl create namespace limited", "namespace/limited created"),
  ok(
    "kubectl -n limited create quota small --hard=pods=1,configmaps=3,requests.cpu=1",
    "resourcequota/small created",
  ),
  soon("kubectl -n limited get quota small -o jsonpath='{.status.used.pods}'", "0"),
  fails(
    1,
    "kubectl -n limited run no-requests --image=nginx",
    'Error from server (Forbidden): pods "no-requests" is forbidden: failed quota: small: must specify requests.cpu for: no-requests',
  ),
  ok(
    `kubectl -n limited run first --image=nginx --overrides='{"spec":{"containers":[{"name":"first","image":"nginx","resources":{"requests":{"cpu":"100m"}}}]}}'`,
    "pod/first created",
  ),
  fails(
    1,
    `kubectl -n limited run second --image=nginx --overrides='{"spec":{"containers":[{"name":"second","image":"nginx","resources":{"requests":{"cpu":"100m"}}}]}}'`,
    'Error from server (Forbidden): pods "second" is forbidden: exceeded quota: small, requested: pods=1, used: pods=1, limited: pods=1',
  ),
  soon(
    "kubectl -n limited describe quota small",
    /^configmaps +1 +3$/m,
    /^pods +1 +1$/m,
    /^requests\.cpu +100m +1$/m,
  ),
];

const refusals: Step[] = [
  fails(
    1,
    "kubectl create -f unknown-field.yaml",
    'Error from server (BadRequest): error when creating "unknown-field.yaml": ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "datas"',
  ),
  ok(
    "kubectl create -f unknown-field.yaml --validate=warn",
    /^configmap\/unknown-field created$/m,
    /^Warning: unknown field "datas"$/m,
  ),
  without(
    ok(
      "kubectl create -f unknown-field.yaml --validate=ignore --dry-run=server -o name || kubectl apply -f unknown-field.yaml --validate=ignore",
      /configmap\/unknown-field/,
    ),
    /Warning: unknown field/,
  ),
  fails(
    1,
    "kubectl create -f mismatch.yaml",
    /^The Deployment "mismatch" is invalid: spec\.template\.metadata\.labels: Invalid value: .*`selector` does not match template `labels`$/m,
  ),
  fails(
    1,
    `sed 's/replicas: 2/replicas: "two"/; s/name: site/name: typed/' web.yaml | kubectl create -f - 2>&1 | grep Deployment; exit $((PIPESTATUS[1]))`,
    /Deployment in version "v1" cannot be handled as a Deployment: json: cannot unmarshal string into Go struct field DeploymentSpec\.spec\.replicas of type int32/,
  ),
  fails(
    1,
    "kubectl create -n nowhere configmap x",
    'error: failed to create configmap: namespaces "nowhere" not found',
  ),
];
