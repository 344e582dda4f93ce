"""The Python client and kopf against the embedded server. Prints what `Session.runReporter` reads."""

import os
import subprocess
import sys
import threading
import time
import traceback

import kubernetes
from kubernetes import client, config, dynamic, watch
from kubernetes.client.rest import ApiException

NAMESPACE = "python"
config.load_kube_config()
core = client.CoreV1Api()
apps = client.AppsV1Api()
custom = client.CustomObjectsApi()


def claim(text, check):
    try:
        check()
        print(f"ok {text}", flush=True)
    except Exception:
        details = "".join(f"  {line}\n" for line in traceback.format_exc().splitlines())
        print(f"not ok {text}\n{details}", end="", flush=True)


def eventually(check, seconds=60):
    end = time.monotonic() + seconds
    while True:
        try:
            return check()
        except Exception:
            if time.monotonic() > end:
                raise
        time.sleep(0.1)


def equal(found, expected):
    assert found == expected, f"expected {expected!r}, found {found!r}"


def refused(call, status):
    try:
        call()
    except ApiException as error:
        equal(error.status, status)
        return error
    raise AssertionError(f"it was not refused with {status}")


def config_map(name, data=None, labels=None):
    return client.V1ConfigMap(metadata=client.V1ObjectMeta(name=name, labels=labels), data=data)


def version():
    equal(client.VersionApi().get_code().minor, "35")


def namespaces():
    made = core.create_namespace(client.V1Namespace(metadata=client.V1ObjectMeta(name=NAMESPACE)))
    equal(made.status.phase, "Active")
    assert made.metadata.creation_timestamp.tzinfo is not None


def objects():
    core.create_namespaced_config_map(NAMESPACE, config_map("one", {"a": "1"}))
    stale = core.read_namespaced_config_map("one", NAMESPACE)
    stale.data = {"a": "2"}
    core.replace_namespaced_config_map("one", NAMESPACE, stale)
    error = refused(lambda: core.replace_namespaced_config_map("one", NAMESPACE, stale), 409)
    assert "the object has been modified" in error.body
    refused(lambda: core.create_namespaced_config_map(NAMESPACE, config_map("one")), 409)
    refused(lambda: core.read_namespaced_config_map("none", NAMESPACE), 404)
    refused(lambda: core.create_namespaced_config_map(NAMESPACE, config_map("Bad_Name")), 422)


def patches():
    patched = core.patch_namespaced_config_map("one", NAMESPACE, {"data": {"b": "1"}})
    equal(patched.data, {"a": "2", "b": "1"})
    patched = core.patch_namespaced_config_map("one", NAMESPACE, [{"op": "remove", "path": "/data/a"}])
    equal(patched.data, {"b": "1"})


def pages():
    for i in range(5):
        core.create_namespaced_config_map(NAMESPACE, config_map(f"page-{i}", labels={"set": "pages"}))
    names, token = [], None
    while True:
        page = core.list_namespaced_config_map(NAMESPACE, label_selector="set=pages", limit=2, _continue=token)
        names += [item.metadata.name for item in page.items]
        token = page.metadata._continue
        if not token:
            break
    equal(names, [f"page-{i}" for i in range(5)])


def watching():
    version = core.list_namespaced_config_map(NAMESPACE).metadata.resource_version

    def change():
        core.create_namespaced_config_map(NAMESPACE, config_map("seen"))
        core.delete_namespaced_config_map("seen", NAMESPACE)

    # the watch starts at a revision, so that it is all the same which comes first
    thread = threading.Thread(target=change)
    thread.start()
    seen = []
    watcher = watch.Watch()
    for event in watcher.stream(
        core.list_namespaced_config_map, NAMESPACE, resource_version=version, timeout_seconds=60
    ):
        seen.append((event["type"], event["object"].metadata.name))
        if event["type"] == "DELETED":
            watcher.stop()
    thread.join()
    equal(seen, [("ADDED", "seen"), ("DELETED", "seen")])


def deployments():
    labels = {"app": "web"}
    pod = client.V1PodTemplateSpec(
        metadata=client.V1ObjectMeta(labels=labels),
        spec=client.V1PodSpec(containers=[client.V1Container(name="web", image="nginx")]),
    )
    spec = client.V1DeploymentSpec(replicas=2, selector=client.V1LabelSelector(match_labels=labels), template=pod)
    body = client.V1Deployment(metadata=client.V1ObjectMeta(name="web"), spec=spec)
    apps.create_namespaced_deployment(NAMESPACE, body)
    eventually(lambda: equal(apps.read_namespaced_deployment_status("web", NAMESPACE).status.available_replicas, 2))
    apps.patch_namespaced_deployment_scale("web", NAMESPACE, {"spec": {"replicas": 1}})
    eventually(lambda: equal(apps.read_namespaced_deployment("web", NAMESPACE).status.replicas, 1))


CRD = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "kites.python.example.com"},
    "spec": {
        "group": "python.example.com",
        "scope": "Namespaced",
        "names": {"kind": "Kite", "plural": "kites", "singular": "kite"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "subresources": {"status": {}},
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "properties": {
                            "spec": {
                                "type": "object",
                                "properties": {
                                    "colour": {"type": "string"},
                                    "tails": {"type": "integer", "minimum": 0},
                                },
                            },
                            "status": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
                        },
                    }
                },
            }
        ],
    },
}
WHERE = ("python.example.com", "v1", NAMESPACE, "kites")


def kite(name, **spec):
    return {"apiVersion": "python.example.com/v1", "kind": "Kite", "metadata": {"name": name}, "spec": spec}


def custom_resources():
    extensions = client.ApiextensionsV1Api()
    extensions.create_custom_resource_definition(CRD)

    def established():
        conditions = extensions.read_custom_resource_definition("kites.python.example.com").status.conditions
        assert any(c.type == "Established" and c.status == "True" for c in conditions)

    eventually(established)
    custom.create_namespaced_custom_object(*WHERE, kite("first", colour="red"))
    refused(lambda: custom.create_namespaced_custom_object(*WHERE, kite("bad", tails=-1)), 422)
    patched = custom.patch_namespaced_custom_object(*WHERE, "first", {"spec": {"tails": 2}})
    equal(patched["spec"], {"colour": "red", "tails": 2})


def dynamic_client():
    kites = dynamic.DynamicClient(client.ApiClient()).resources.get(api_version="python.example.com/v1", kind="Kite")
    applied = kites.server_side_apply(
        body=kite("second", colour="blue"), name="second", namespace=NAMESPACE, field_manager="python"
    )
    equal(applied.spec.colour, "blue")
    equal(sorted(item.metadata.name for item in kites.get(namespace=NAMESPACE).items), ["first", "second"])
    kites.delete(name="second", namespace=NAMESPACE)


def streams():
    pod = core.list_namespaced_pod(NAMESPACE, label_selector="app=web").items[0].metadata.name
    core.read_namespaced_pod_log(pod, NAMESPACE)
    said = kubernetes.stream.stream(
        core.connect_get_namespaced_pod_exec,
        pod,
        NAMESPACE,
        command=["echo", "hello"],
        stdout=True,
        stderr=True,
        stdin=False,
        tty=False,
    )
    equal(said, "hello\n")


def operator():
    """kopf: finalizer, status, child, an update and a deletion; peering is off, so that it needs no CRD of its own."""
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "operator_kites.py")
    command = [sys.executable, "-m", "kopf", "run", "--standalone", "-n", NAMESPACE, script]
    with open("kopf.log", "w") as log:
        process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)
    try:
        read = lambda name: custom.get_namespaced_custom_object(*WHERE, name)
        eventually(lambda: equal(read("first").get("status", {}).get("made", {}).get("string"), "string-first"))
        equal(read("first")["metadata"]["finalizers"], ["kopf.zalando.org/KopfFinalizerMarker"])
        child = core.read_namespaced_config_map("string-first", NAMESPACE)
        equal(child.metadata.owner_references[0].kind, "Kite")
        custom.patch_namespaced_custom_object(*WHERE, "first", {"spec": {"colour": "green"}})
        eventually(lambda: equal(core.read_namespaced_config_map("string-first", NAMESPACE).data["colour"], "green"))
        eventually(lambda: equal([e.reason for e in core.list_namespaced_event(NAMESPACE).items if e.reason == "Painted"], ["Painted"]))
        custom.delete_namespaced_custom_object(*WHERE, "first")
        eventually(lambda: refused(lambda: read("first"), 404))
        eventually(lambda: refused(lambda: core.read_namespaced_config_map("string-first", NAMESPACE), 404))
        assert process.poll() is None, "kopf ended"
    except BaseException:
        with open("kopf.log") as log:
            print(f"\n--- kopf ---\n{log.read()[-3000:]}", file=sys.stderr)
        raise
    finally:
        process.terminate()
        process.wait(20)


def collections():
    core.delete_collection_namespaced_config_map(NAMESPACE, label_selector="set=pages")
    equal(core.list_namespaced_config_map(NAMESPACE, label_selector="set=pages").items, [])
    core.delete_namespace(NAMESPACE)
    eventually(lambda: refused(lambda: core.read_namespace(NAMESPACE), 404))


claim("reads the version", version)
claim("creates a namespace", namespaces)
claim("creates, replaces and refuses objects", objects)
claim("sends patches", patches)
claim("pages through a list", pages)
claim("watches from a revision on", watching)
claim("runs and scales a deployment", deployments)
claim("defines a resource and uses it", custom_resources)
claim("uses it with the dynamic client", dynamic_client)
claim("reads logs and runs a command in a pod", streams)
claim("runs an operator with kopf", operator)
claim("deletes a collection and the namespace", collections)
print("done")
