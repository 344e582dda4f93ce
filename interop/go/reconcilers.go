package main

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

var burrowKind = schema.GroupVersionKind{Group: "go.example.com", Version: "v1", Kind: "Burrow"}

const burrowFinalizer = "go.example.com/fill-in"

func burrow(name string, rooms int64) *unstructured.Unstructured {
	object := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"rooms": rooms}}}
	object.SetGroupVersionKind(burrowKind)
	object.SetNamespace(namespace)
	object.SetName(name)
	return object
}

func definition() *apiextensionsv1.CustomResourceDefinition {
	minimum := 1.0
	object := func(properties map[string]apiextensionsv1.JSONSchemaProps) apiextensionsv1.JSONSchemaProps {
		return apiextensionsv1.JSONSchemaProps{Type: "object", Properties: properties}
	}
	root := object(map[string]apiextensionsv1.JSONSchemaProps{
		"spec":   object(map[string]apiextensionsv1.JSONSchemaProps{"rooms": {Type: "integer", Minimum: &minimum}}),
		"status": object(map[string]apiextensionsv1.JSONSchemaProps{"ready": {Type: "integer"}}),
	})
	return &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "burrows.go.example.com"},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: burrowKind.Group,
			Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Kind: "Burrow", Plural: "burrows"},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: "v1", Served: true, Storage: true,
				Schema:       &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &root},
				Subresources: &apiextensionsv1.CustomResourceSubresources{Status: &apiextensionsv1.CustomResourceSubresourceStatus{}},
			}},
		},
	}
}

// reconciler keeps a deployment with as many replicas as a burrow has rooms.
type reconciler struct{ client.Client }

func (r reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	found := burrow("", 0)
	if err := r.Get(ctx, request.NamespacedName, found); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !found.GetDeletionTimestamp().IsZero() {
		controllerutil.RemoveFinalizer(found, burrowFinalizer)
		return ctrl.Result{}, r.Update(ctx, found)
	}
	if controllerutil.AddFinalizer(found, burrowFinalizer) {
		return ctrl.Result{}, r.Update(ctx, found)
	}
	rooms, _, _ := unstructured.NestedInt64(found.Object, "spec", "rooms")
	child := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: found.GetNamespace(), Name: found.GetName()}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, child, func() error {
		wanted := deployment(found.GetName(), int32(rooms))
		child.Spec.Replicas = wanted.Spec.Replicas
		if child.CreationTimestamp.IsZero() {
			child.Spec = wanted.Spec
		}
		return controllerutil.SetControllerReference(found, child, r.Scheme())
	})
	if err != nil {
		return ctrl.Result{}, err
	}
	before := found.DeepCopy()
	if err := unstructured.SetNestedField(found.Object, int64(child.Status.ReadyReplicas), "status", "ready"); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.Status().Patch(ctx, found, client.MergeFrom(before))
}

func reconcilers(config *rest.Config) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, apiextensionsv1.AddToScheme} {
		if err := add(scheme); err != nil {
			panic(err)
		}
	}
	direct, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		panic(err)
	}
	claim("controller-runtime defines a kind and maps it", func(ctx context.Context) error {
		if err := direct.Create(ctx, definition()); err != nil {
			return err
		}
		return eventually(ctx, func() error {
			_, err := direct.RESTMapper().RESTMapping(burrowKind.GroupKind())
			return err
		})
	})
	claim("controller-runtime's client gets typed errors and dry runs", func(ctx context.Context) error {
		if err := direct.Create(ctx, burrow("none", 0)); !apierrors.IsInvalid(err) {
			return fmt.Errorf("Invalid expected: %w", err)
		}
		if err := direct.Create(ctx, burrow("dry", 1), client.DryRunAll); err != nil {
			return err
		}
		if err := direct.Get(ctx, client.ObjectKey{Namespace: namespace, Name: "dry"}, burrow("", 0)); !apierrors.IsNotFound(err) {
			return fmt.Errorf("NotFound expected: %w", err)
		}
		return nil
	})

	managerCtx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:                        scheme,
		Metrics:                       metricsserver.Options{BindAddress: "0"},
		LeaderElection:                true,
		LeaderElectionID:              "burrows",
		LeaderElectionNamespace:       namespace,
		LeaderElectionReleaseOnCancel: true,
	})
	claim("controller-runtime starts a manager with leader election", func(ctx context.Context) error {
		if err != nil {
			return err
		}
		if err := ctrl.NewControllerManagedBy(manager).For(burrow("", 0)).Owns(&appsv1.Deployment{}).Complete(reconciler{manager.GetClient()}); err != nil {
			return err
		}
		go func() { ended <- manager.Start(managerCtx) }()
		select {
		case <-manager.Elected():
			return nil
		case err := <-ended:
			return fmt.Errorf("it ended: %w", err)
		case <-time.After(time.Minute):
			return fmt.Errorf("it is not elected")
		}
	})
	key := client.ObjectKey{Namespace: namespace, Name: "hill"}
	ready := func(ctx context.Context, rooms int64) error {
		return eventually(ctx, func() error {
			found := burrow("", 0)
			if err := direct.Get(ctx, key, found); err != nil {
				return err
			}
			count, _, _ := unstructured.NestedInt64(found.Object, "status", "ready")
			return expect("ready rooms", count, rooms)
		})
	}
	claim("a reconciler brings up a child and its status", func(ctx context.Context) error {
		if err := direct.Create(ctx, burrow("hill", 2)); err != nil {
			return err
		}
		return ready(ctx, 2)
	})
	claim("a reconciler follows a change that was applied", func(ctx context.Context) error {
		applied := client.ApplyConfigurationFromUnstructured(burrow("hill", 3))
		if err := direct.Apply(ctx, applied, client.FieldOwner("interop"), client.ForceOwnership); err != nil {
			return err
		}
		return ready(ctx, 3)
	})
	claim("a reconciler replaces a child that was deleted", func(ctx context.Context) error {
		child := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "hill"}}
		if err := direct.Get(ctx, key, child); err != nil {
			return err
		}
		uid := child.UID
		if err := direct.Delete(ctx, child); err != nil {
			return err
		}
		return eventually(ctx, func() error {
			again := &appsv1.Deployment{}
			if err := direct.Get(ctx, key, again); err != nil {
				return err
			}
			if again.UID == uid {
				return fmt.Errorf("the old one is still there")
			}
			return expect("ready", again.Status.ReadyReplicas, 3)
		})
	})
	claim("a finalizer holds an object, then its children go", func(ctx context.Context) error {
		if err := direct.Delete(ctx, burrow("hill", 0)); err != nil {
			return err
		}
		return eventually(ctx, func() error {
			if err := direct.Get(ctx, key, burrow("", 0)); !apierrors.IsNotFound(err) {
				return fmt.Errorf("the burrow is still there: %w", err)
			}
			pods := &corev1.PodList{}
			if err := direct.List(ctx, pods, client.InNamespace(namespace), client.MatchingLabels{"app": "hill"}); err != nil {
				return err
			}
			return expect("pods", len(pods.Items), 0)
		})
	})
	claim("the cached client lists what the server has", func(ctx context.Context) error {
		cached, listed := &corev1.ConfigMapList{}, &corev1.ConfigMapList{}
		if err := manager.GetClient().List(ctx, cached, client.InNamespace(namespace)); err != nil {
			return err
		}
		if err := direct.List(ctx, listed, client.InNamespace(namespace)); err != nil {
			return err
		}
		return expect("config maps", len(cached.Items), len(listed.Items))
	})
	claim("the manager stops and releases its lease", func(ctx context.Context) error {
		stop()
		select {
		case err := <-ended:
			return err
		case <-time.After(time.Minute):
			return fmt.Errorf("it does not stop")
		}
	})
}
