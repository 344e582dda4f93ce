package main

import (
	"fmt"
	"os"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
)

const namespace = "gophers"

func main() {
	ctrl.SetLogger(klog.NewKlogr())
	klog.LogToStderr(true)
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	config.QPS = 200
	config.Burst = 400
	typed(config)
	watchLists(config)
	elections(config)
	reconcilers(config)
	fmt.Println("done")
}

// protobuf returns the configuration for protobuf bodies, as the components of Kubernetes themselves use.
func protobuf(config *rest.Config) *rest.Config {
	copied := rest.CopyConfig(config)
	copied.ContentType = "application/vnd.kubernetes.protobuf"
	copied.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	return copied
}
