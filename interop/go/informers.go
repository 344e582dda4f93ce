package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// requests notes the URLs asked for.
type requests struct {
	next http.RoundTripper
	mu   *sync.Mutex
	urls *[]string
}

func (r requests) RoundTrip(request *http.Request) (*http.Response, error) {
	r.mu.Lock()
	*r.urls = append(*r.urls, request.URL.String())
	r.mu.Unlock()
	return r.next.RoundTrip(request)
}

func informerClaims(name string, config *rest.Config) {
	claim("an informer lists by a watch, and stays in step, in "+name, func(ctx context.Context) error {
		urls := []string{}
		noted := requests{mu: &sync.Mutex{}, urls: &urls}
		counted := rest.CopyConfig(config)
		counted.Wrap(func(next http.RoundTripper) http.RoundTripper {
			noted.next = next
			return noted
		})
		client := kubernetes.NewForConfigOrDie(counted)
		plain := kubernetes.NewForConfigOrDie(config).CoreV1().ConfigMaps(namespace)
		for i := range 20 {
			object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("%s-%d", name, i), Labels: map[string]string{"set": name}}}
			if _, err := plain.Create(ctx, object, metav1.CreateOptions{}); err != nil {
				return err
			}
		}
		factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(namespace),
			informers.WithTweakListOptions(func(options *metav1.ListOptions) { options.LabelSelector = "set=" + name }))
		informer := factory.Core().V1().ConfigMaps().Informer()
		events := make(chan string, 100)
		_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc:    func(object any) { events <- "add " + object.(*corev1.ConfigMap).Name },
			UpdateFunc: func(_, object any) { events <- "update " + object.(*corev1.ConfigMap).Name },
			DeleteFunc: func(object any) { events <- "delete " + object.(*corev1.ConfigMap).Name },
		})
		if err != nil {
			return err
		}
		factory.Start(ctx.Done())
		if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
			return fmt.Errorf("it does not sync")
		}
		if err := expect("objects", len(informer.GetStore().ListKeys()), 20); err != nil {
			return err
		}
		noted.mu.Lock()
		asked := strings.Join(urls, "\n")
		noted.mu.Unlock()
		if !strings.Contains(asked, "sendInitialEvents=true") || strings.Contains(asked, "limit=") {
			return fmt.Errorf("it fell back to a list:\n%s", asked)
		}
		for range 20 {
			<-events
		}
		first, err := plain.Get(ctx, name+"-0", metav1.GetOptions{})
		if err != nil {
			return err
		}
		first.Data = map[string]string{"a": "b"}
		if _, err := plain.Update(ctx, first, metav1.UpdateOptions{}); err != nil {
			return err
		}
		if err := plain.Delete(ctx, name+"-1", metav1.DeleteOptions{}); err != nil {
			return err
		}
		unlabelled := `{"metadata":{"labels":null}}`
		if _, err := plain.Patch(ctx, name+"-2", "application/merge-patch+json", []byte(unlabelled), metav1.PatchOptions{}); err != nil {
			return err
		}
		for _, expected := range []string{"update " + name + "-0", "delete " + name + "-1", "delete " + name + "-2"} {
			select {
			case event := <-events:
				if err := expect("event", event, expected); err != nil {
					return err
				}
			case <-time.After(time.Minute):
				return fmt.Errorf("no event, expected %s", expected)
			}
		}
		return nil
	})
}

func watchLists(config *rest.Config) {
	informerClaims("json", config)
	informerClaims("protobuf", protobuf(config))
}

func elections(config *rest.Config) {
	claim("a leader is elected, releases, and the next one leads", func(ctx context.Context) error {
		client := kubernetes.NewForConfigOrDie(config)
		lead := func(ctx context.Context, identity string, leading chan<- string) {
			lock := &resourcelock.LeaseLock{
				LeaseMeta:  metav1.ObjectMeta{Namespace: namespace, Name: "leader"},
				Client:     client.CoordinationV1(),
				LockConfig: resourcelock.ResourceLockConfig{Identity: identity},
			}
			leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
				Lock: lock, ReleaseOnCancel: true, Name: "interop",
				LeaseDuration: 30 * time.Second, RenewDeadline: 20 * time.Second, RetryPeriod: 200 * time.Millisecond,
				Callbacks: leaderelection.LeaderCallbacks{
					OnStartedLeading: func(context.Context) { leading <- identity },
					OnStoppedLeading: func() {},
				},
			})
		}
		leading := make(chan string, 2)
		firstCtx, stopFirst := context.WithCancel(ctx)
		go lead(firstCtx, "first", leading)
		if err := expect("leader", <-leading, "first"); err != nil {
			stopFirst()
			return err
		}
		go lead(ctx, "second", leading)
		lease, err := client.CoordinationV1().Leases(namespace).Get(ctx, "leader", metav1.GetOptions{})
		if err != nil {
			stopFirst()
			return err
		}
		if err := expect("holder", *lease.Spec.HolderIdentity, "first"); err != nil {
			stopFirst()
			return err
		}
		stopFirst()
		select {
		case leader := <-leading:
			return expect("leader", leader, "second")
		case <-time.After(time.Minute):
			return fmt.Errorf("the second does not take over")
		}
	})
}
