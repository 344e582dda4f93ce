"""A kopf operator: each kite gets a string, a config map of its colour."""

import kopf
import kubernetes


@kopf.on.startup()
def configure(settings: kopf.OperatorSettings, **_):
    settings.posting.enabled = True
    settings.persistence.finalizer = "kopf.zalando.org/KopfFinalizerMarker"


@kopf.on.create("python.example.com", "v1", "kites")
@kopf.on.resume("python.example.com", "v1", "kites")
def made(name, namespace, spec, **_):
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": f"string-{name}"}, "data": {"colour": spec["colour"]}}
    kopf.adopt(body)
    kubernetes.client.CoreV1Api().create_namespaced_config_map(namespace, body)
    return {"string": f"string-{name}"}


@kopf.on.update("python.example.com", "v1", "kites", field="spec.colour")
def painted(body, name, namespace, new, **_):
    patch = {"data": {"colour": new}}
    kubernetes.client.CoreV1Api().patch_namespaced_config_map(f"string-{name}", namespace, patch)
    kopf.event(body, type="Normal", reason="Painted", message=f"{name} is {new} now")


@kopf.on.delete("python.example.com", "v1", "kites")
def gone(**_):
    pass
