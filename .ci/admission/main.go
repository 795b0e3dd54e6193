// Admission says of Kubernetes manifests what an API server would: it decodes them strictly, sets
// defaults and validates by the API server's own code, and holds pods to the Pod Security Standard
// "restricted". It needs no cluster.
package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/autoscaling/install"
	"k8s.io/kubernetes/pkg/apis/core"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/networking/install"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	"k8s.io/kubernetes/pkg/registry/apps/deployment"
	"k8s.io/kubernetes/pkg/registry/autoscaling/horizontalpodautoscaler"
	"k8s.io/kubernetes/pkg/registry/core/service"
	"k8s.io/kubernetes/pkg/registry/networking/networkpolicy"
	"k8s.io/kubernetes/pkg/registry/policy/poddisruptionbudget"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
)

// How an object of each kind is created. A kind that is not here is refused.
var strategies = map[string]rest.RESTCreateStrategy{
	"Deployment":              deployment.Strategy,
	"HorizontalPodAutoscaler": horizontalpodautoscaler.Strategy,
	"NetworkPolicy":           networkpolicy.Strategy,
	"PodDisruptionBudget":     poddisruptionbudget.Strategy,
	"Service":                 service.Strategy,
}

var codecs = serializer.NewCodecFactory(legacyscheme.Scheme, serializer.EnableStrict)

func main() {
	failed := false
	for _, path := range os.Args[1:] {
		kinds, err := admit(path)
		if err != nil {
			fmt.Printf("%s: %v\n", path, err)
			failed = true
		} else {
			fmt.Printf("%s: %v\n", path, kinds)
		}
	}
	if failed || len(os.Args) == 1 {
		os.Exit(1)
	}
}

// admit gives the kinds of the objects in a file, all of which are fit to be created.
func admit(path string) (kinds []string, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	documents := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return kinds, nil
		}
		if err != nil {
			return nil, err
		}
		kind, err := admitObject(document)
		if err != nil {
			return nil, err
		}
		kinds = append(kinds, kind)
	}
}

// admitObject gives the kind of an object that is fit to be created.
func admitObject(document []byte) (string, error) {
	written, version, err := codecs.UniversalDeserializer().Decode(document, nil, nil)
	if err != nil {
		return "", err
	}
	if deployment, ok := written.(*appsv1.Deployment); ok {
		if err := restricted(deployment); err != nil {
			return "", err
		}
	}
	strategy, ok := strategies[version.Kind]
	if !ok {
		return "", fmt.Errorf("no strategy for %s", version.Kind)
	}
	object, err := runtime.Decode(codecs.UniversalDecoder(), document)
	if err != nil {
		return "", err
	}
	// Addresses are given by the API server's storage, before it validates.
	if service, ok := object.(*core.Service); ok && service.Spec.ClusterIP == core.ClusterIPNone {
		service.Spec.ClusterIPs = []string{core.ClusterIPNone}
	}
	return version.Kind, create(strategy, version, object)
}

// create does what comes before an object is stored. What is only warned of is refused here.
func create(strategy rest.RESTCreateStrategy, version *schema.GroupVersionKind, object runtime.Object) error {
	metadata, err := meta.Accessor(object)
	if err != nil {
		return err
	}
	rest.FillObjectMetaSystemFields(metadata)
	ctx := request.WithNamespace(context.Background(), "default")
	ctx = request.WithRequestInfo(ctx, &request.RequestInfo{
		Verb: "create", APIGroup: version.Group, APIVersion: version.Version,
	})
	if err := rest.BeforeCreate(strategy, ctx, object); err != nil {
		return err
	}
	if warnings := strategy.WarningsOnCreate(ctx, object); len(warnings) > 0 {
		return fmt.Errorf("warnings: %v", warnings)
	}
	return nil
}

func restricted(deployment *appsv1.Deployment) error {
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		return err
	}
	level := api.LevelVersion{Level: api.LevelRestricted, Version: api.LatestVersion()}
	pod := deployment.Spec.Template
	result := policy.AggregateCheckResults(evaluator.EvaluatePod(level, &pod.ObjectMeta, &pod.Spec))
	if !result.Allowed {
		return fmt.Errorf("not restricted: %s", result.ForbiddenDetail())
	}
	return nil
}
