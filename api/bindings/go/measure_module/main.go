//go:build unix

// Measures the WebAssembly module beside the native library, in turns: calls as the wire has them and by the SDK, the time to a
// first answer, and memory. Times are the processor's, of all threads, which other programs do not lengthen much; medians.
//
//	go run ./measure_module MODULE          the native library as the package finds it
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"syscall"
	"time"

	"dynolith.test/dynolith"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

const (
	rounds, calls, starts, coldStarts = 9, 4000, 20, 3
	// What a process of these does is its argument.
	answerFirst, callMany = "first-answer", "calls"
)

var kinds = []string{"GetItem", "PutItem", "GetItem by the SDK", "PutItem by the SDK"}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func processorTime() time.Duration {
	var used syscall.Rusage
	must(syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

func median(values []float64) float64 {
	sorted := append([]float64(nil), values...)
	sort.Float64s(sorted)
	return sorted[len(sorted)/2]
}

// --- in a process of its own

var (
	ctx  = context.Background()
	key  = map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: "a"}}
	item = map[string]types.AttributeValue{
		"pk": key["pk"], "text": &types.AttributeValueMemberS{Value: strings.Repeat("x", 180)},
	}
)

func open() (*dynolith.Database, *dynamodb.Client) {
	db, err := dynolith.Open(nil)
	must(err)
	return db, dynamodb.NewFromConfig(db.Config())
}

// asWire makes a call without the SDK.
func asWire(transport http.RoundTripper, operation, body string) func() {
	return func() {
		request, err := http.NewRequest("POST", "http://dynolith.invalid/", strings.NewReader(body))
		must(err)
		request.Header.Set("X-Amz-Target", "DynamoDB_20120810."+operation)
		response, err := transport.RoundTrip(request)
		must(err)
		if response.StatusCode != http.StatusOK {
			must(fmt.Errorf("%s: %s", operation, response.Status))
		}
		_, err = io.Copy(io.Discard, response.Body)
		must(err)
	}
}

// callAll prints the microseconds of each kind; of two rounds the first warms up.
func callAll() {
	db, client := open()
	_, err := client.CreateTable(ctx, &dynamodb.CreateTableInput{
		TableName:            aws.String("music"),
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("pk"), AttributeType: types.ScalarAttributeTypeS}},
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("pk"), KeyType: types.KeyTypeHash}},
		BillingMode:          types.BillingModePayPerRequest,
	})
	must(err)
	body := `{"TableName":"music","Item":{"pk":{"S":"a"},"text":{"S":"` + strings.Repeat("x", 180) + `"}}}`
	put := asWire(db.Transport(), "PutItem", body)
	put()
	works := []func(){
		asWire(db.Transport(), "GetItem", `{"TableName":"music","Key":{"pk":{"S":"a"}}}`),
		put,
		func() {
			_, err := client.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String("music"), Key: key})
			must(err)
		},
		func() {
			_, err := client.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String("music"), Item: item})
			must(err)
		},
	}
	times := make([]float64, len(works))
	for round := 0; round < 2; round++ {
		for i, work := range works {
			began := processorTime()
			for n := 0; n < calls; n++ {
				work()
			}
			times[i] = float64((processorTime() - began).Nanoseconds()) / calls / 1000
		}
	}
	must(json.NewEncoder(os.Stdout).Encode(times))
}

// --- in the process that compares

type side struct {
	name        string
	environment []string
}

// run is what a process of a side has printed, its processor time in milliseconds and its memory in megabytes at most.
func run(of side, work string, environment ...string) (output []byte, used, memory float64) {
	self, err := os.Executable()
	must(err)
	command := exec.Command(self, work)
	command.Env = append(append(os.Environ(), of.environment...), environment...)
	command.Stderr = os.Stderr
	output, err = command.Output()
	must(err)
	state := command.ProcessState
	resources := state.SysUsage().(*syscall.Rusage)
	return output, float64((state.UserTime() + state.SystemTime()).Microseconds()) / 1000, float64(resources.Maxrss) / 1024
}

func compare(what, unit string, native, module []float64) {
	before, now := median(native), median(module)
	fmt.Printf("%s: native %.1f %s, module %.1f, %.1f times as much\n", what, before, unit, now, now/before)
}

func measureStarts(native, module side) {
	used, memory := map[string][]float64{}, map[string][]float64{}
	for i := 0; i <= starts; i++ {
		for _, each := range []side{native, module} {
			_, time, most := run(each, answerFirst)
			if i > 0 { // the first one may have compiled
				used[each.name], memory[each.name] = append(used[each.name], time), append(memory[each.name], most)
			}
		}
	}
	compare("a process with one answer", "ms", used[native.name], used[module.name])
	compare("its memory", "MB", memory[native.name], memory[module.name])
	var cold, most []float64
	for i := 0; i < coldStarts; i++ {
		folder, err := os.MkdirTemp("", "dynolith")
		must(err)
		_, time, memory := run(module, answerFirst, "XDG_CACHE_HOME="+folder, "HOME="+folder)
		must(os.RemoveAll(folder))
		cold, most = append(cold, time/1000), append(most, memory)
	}
	fmt.Printf("the first time: %.1f s, %.0f MB\n", median(cold), median(most))
}

func measureCalls(native, module side) {
	times := map[string][][]float64{}
	for i := 0; i < rounds; i++ {
		for _, each := range []side{native, module} {
			output, _, _ := run(each, callMany)
			var found []float64
			must(json.Unmarshal(output, &found))
			times[each.name] = append(times[each.name], found)
		}
	}
	for i, kind := range kinds {
		column := func(of side) (values []float64) {
			for _, round := range times[of.name] {
				values = append(values, round[i])
			}
			return values
		}
		compare(kind, "µs", column(native), column(module))
	}
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "measure_module MODULE")
		os.Exit(2)
	}
	switch os.Args[1] {
	case answerFirst:
		_, client := open()
		_, err := client.ListTables(ctx, nil)
		must(err)
	case callMany:
		callAll()
	default:
		file, err := filepath.Abs(os.Args[1])
		must(err)
		native, module := side{"native", []string{"DYNOLITH_WASM="}}, side{"module", []string{"DYNOLITH_WASM=" + file}}
		measureStarts(native, module)
		measureCalls(native, module)
	}
}
