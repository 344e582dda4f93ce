package main

import (
	"context"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"sync"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	applycore "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
)

// answers notes the content types of answers.
type answers struct {
	next  http.RoundTripper
	mu    *sync.Mutex
	types map[string]int
}

func (a answers) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := a.next.RoundTrip(request)
	if err == nil {
		a.mu.Lock()
		a.types[strings.Split(response.Header.Get("Content-Type"), ";")[0]]++
		a.mu.Unlock()
	}
	return response, err
}

func deployment(name string, replicas int32) *appsv1.Deployment {
	labels := map[string]string{"app": name}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: name, Image: "nginx"}}},
			},
		},
	}
}

func typed(config *rest.Config) {
	json := kubernetes.NewForConfigOrDie(config)
	seen := answers{mu: &sync.Mutex{}, types: map[string]int{}}
	counted := protobuf(config)
	counted.Wrap(func(next http.RoundTripper) http.RoundTripper {
		seen.next = next
		return seen
	})
	proto := kubernetes.NewForConfigOrDie(counted)

	claim("client-go discovers the server's resources", func(context.Context) error {
		client := discovery.NewDiscoveryClientForConfigOrDie(config)
		version, err := client.ServerVersion()
		if err != nil {
			return err
		}
		groups, err := restmapper.GetAPIGroupResources(client)
		if err != nil {
			return err
		}
		mapping, err := restmapper.NewDiscoveryRESTMapper(groups).RESTMapping(appsv1.SchemeGroupVersion.WithKind("Deployment").GroupKind())
		if err != nil {
			return err
		}
		if err := expect("resource", mapping.Resource.Resource, "deployments"); err != nil {
			return err
		}
		return expect("version", version.Major+"."+version.Minor, "1.35")
	})
	claim("client-go creates in protobuf what it reads in JSON", func(ctx context.Context) error {
		ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}
		if _, err := proto.CoreV1().Namespaces().Create(ctx, ns, metav1.CreateOptions{}); err != nil {
			return err
		}
		if _, err := proto.AppsV1().Deployments(namespace).Create(ctx, deployment("web", 2), metav1.CreateOptions{}); err != nil {
			return err
		}
		inJSON, err := json.AppsV1().Deployments(namespace).Get(ctx, "web", metav1.GetOptions{ResourceVersion: "0"})
		if err != nil {
			return err
		}
		inProto, err := proto.AppsV1().Deployments(namespace).Get(ctx, "web", metav1.GetOptions{ResourceVersion: "0"})
		if err != nil {
			return err
		}
		if inJSON.ResourceVersion == inProto.ResourceVersion && !reflect.DeepEqual(inJSON, inProto) {
			return fmt.Errorf("JSON and protobuf differ:\n%v\n%v", inJSON, inProto)
		}
		seen.mu.Lock()
		defer seen.mu.Unlock()
		if seen.types["application/vnd.kubernetes.protobuf"] == 0 {
			return fmt.Errorf("no answer was protobuf: %v", seen.types)
		}
		return nil
	})
	claim("client-go reads the lists of every built-in kind in protobuf", func(ctx context.Context) error {
		lists, err := discovery.NewDiscoveryClientForConfigOrDie(config).ServerPreferredResources()
		if err != nil {
			return err
		}
		count := 0
		for _, list := range lists {
			for _, resource := range list.APIResources {
				path := "/apis/" + list.GroupVersion
				if !strings.Contains(list.GroupVersion, "/") {
					path = "/api/" + list.GroupVersion
				}
				if !strings.Contains(strings.Join(resource.Verbs, ","), "list") || strings.Contains(path, "apiregistration") {
					continue
				}
				result := proto.CoreV1().RESTClient().Get().AbsPath(path + "/" + resource.Name).Do(ctx)
				if err := result.Error(); err != nil {
					return fmt.Errorf("%s/%s: %w", path, resource.Name, err)
				}
				count++
			}
		}
		if count < 40 {
			return fmt.Errorf("only %d kinds", count)
		}
		return nil
	})
	claim("client-go recognizes the server's errors", func(ctx context.Context) error {
		maps := proto.CoreV1().ConfigMaps(namespace)
		if _, err := maps.Get(ctx, "none", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
			return fmt.Errorf("NotFound expected: %w", err)
		}
		made, err := maps.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "made-"}}, metav1.CreateOptions{})
		if err != nil {
			return err
		}
		if _, err := maps.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: made.Name}}, metav1.CreateOptions{}); !apierrors.IsAlreadyExists(err) {
			return fmt.Errorf("AlreadyExists expected: %w", err)
		}
		made.ResourceVersion = "1"
		if _, err := maps.Update(ctx, made, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
			return fmt.Errorf("Conflict expected: %w", err)
		}
		if _, err := maps.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "Bad"}}, metav1.CreateOptions{}); !apierrors.IsInvalid(err) {
			return fmt.Errorf("Invalid expected: %w", err)
		}
		uid := types.UID("other")
		options := metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &uid}}
		if err := maps.Delete(ctx, made.Name, options); !apierrors.IsConflict(err) {
			return fmt.Errorf("Conflict expected: %w", err)
		}
		return maps.Delete(ctx, made.Name, metav1.DeleteOptions{})
	})
	claim("client-go watches in protobuf", func(ctx context.Context) error {
		maps := proto.CoreV1().ConfigMaps(namespace)
		list, err := maps.List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		watcher, err := maps.Watch(ctx, metav1.ListOptions{ResourceVersion: list.ResourceVersion})
		if err != nil {
			return err
		}
		defer watcher.Stop()
		if _, err := maps.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "seen"}}, metav1.CreateOptions{}); err != nil {
			return err
		}
		if err := maps.Delete(ctx, "seen", metav1.DeleteOptions{}); err != nil {
			return err
		}
		for _, kind := range []watch.EventType{watch.Added, watch.Deleted} {
			event := <-watcher.ResultChan()
			if err := expect("event", event.Type, kind); err != nil {
				return err
			}
			if err := expect("name", event.Object.(*corev1.ConfigMap).Name, "seen"); err != nil {
				return err
			}
		}
		return nil
	})
	claim("client-go applies, meets a conflict, and forces", func(ctx context.Context) error {
		maps := proto.CoreV1().ConfigMaps(namespace)
		first := applycore.ConfigMap("applied", namespace).WithData(map[string]string{"a": "1"})
		if _, err := maps.Apply(ctx, first, metav1.ApplyOptions{FieldManager: "one"}); err != nil {
			return err
		}
		second := applycore.ConfigMap("applied", namespace).WithData(map[string]string{"a": "2"})
		_, err := maps.Apply(ctx, second, metav1.ApplyOptions{FieldManager: "two"})
		if !apierrors.IsConflict(err) {
			return fmt.Errorf("Conflict expected: %w", err)
		}
		if err := expect("message", err.Error(), `Apply failed with 1 conflict: conflict with "one": .data.a`); err != nil {
			return err
		}
		forced, err := maps.Apply(ctx, second, metav1.ApplyOptions{FieldManager: "two", Force: true})
		if err != nil {
			return err
		}
		extracted, err := applycore.ExtractConfigMap(forced, "two")
		if err != nil {
			return err
		}
		return expect("extracted", extracted.Data["a"], "2")
	})
	claim("client-go scales, and reads metadata only", func(ctx context.Context) error {
		scale, err := proto.AppsV1().Deployments(namespace).GetScale(ctx, "web", metav1.GetOptions{})
		if err != nil {
			return err
		}
		scale.Spec.Replicas = 3
		if _, err := proto.AppsV1().Deployments(namespace).UpdateScale(ctx, "web", scale, metav1.UpdateOptions{}); err != nil {
			return err
		}
		partial := metadata.NewForConfigOrDie(config).Resource(appsv1.SchemeGroupVersion.WithResource("deployments"))
		list, err := partial.Namespace(namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		if err := expect("metadata", list.Items[0].Name, "web"); err != nil {
			return err
		}
		return eventually(ctx, func() error {
			web, err := proto.AppsV1().Deployments(namespace).Get(ctx, "web", metav1.GetOptions{})
			if err != nil {
				return err
			}
			return expect("available replicas", web.Status.AvailableReplicas, 3)
		})
	})
}
