// Measures this binding: calls a second in process beside the same SDK over loopback, and the time to the first answered call.
//
//	go run ./measure PROGRAM          PROGRAM: dynolith, which serves the other side
package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"sort"
	"sync"
	"time"

	"dynolith.test/dynolith"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

const (
	rounds      = 9
	roundTime   = 250 * time.Millisecond
	starts      = 15
	firstAnswer = "first-answer" // the argument of the process that starts, answers one call, and ends
)

var ctx = context.Background()

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func median[T ~int64 | ~float64](values []T) T {
	sort.Slice(values, func(i, j int) bool { return values[i] < values[j] })
	return values[len(values)/2]
}

func key(i int) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{"id": &types.AttributeValueMemberS{Value: fmt.Sprint("item", i%1000)}}
}

// side is one way to the same engine.
type side struct {
	name  string
	calls *dynamodb.Client
	rates map[string][]float64
}

func (s *side) prepare() {
	_, err := s.calls.CreateTable(ctx, &dynamodb.CreateTableInput{
		TableName:            aws.String("measured"),
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("id"), AttributeType: types.ScalarAttributeTypeS}},
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("id"), KeyType: types.KeyTypeHash}},
		BillingMode:          types.BillingModePayPerRequest,
	})
	must(err)
	for i := 0; i < 1000; i++ {
		s.put(i)
	}
}

func (s *side) get(i int) {
	_, err := s.calls.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String("measured"), Key: key(i)})
	must(err)
}

func (s *side) put(i int) {
	item := key(i)
	item["text"] = &types.AttributeValueMemberS{Value: "two hundred bytes or so, as items of tests have; two hundred bytes or so, as items of tests have"}
	_, err := s.calls.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String("measured"), Item: item})
	must(err)
}

// rate is calls a second from so many goroutines.
func rate(call func(int), callers int) float64 {
	var all sync.WaitGroup
	counts := make([]int, callers)
	started := time.Now()
	for c := range counts {
		all.Add(1)
		go func(c int) {
			defer all.Done()
			for time.Since(started) < roundTime {
				call(counts[c])
				counts[c]++
			}
		}(c)
	}
	all.Wait()
	sum := 0
	for _, count := range counts {
		sum += count
	}
	return float64(sum) / time.Since(started).Seconds()
}

// serve starts the server, and returns its endpoint and how it is stopped.
func serve(program string) (string, func()) {
	server := exec.Command(program, "serve", "--port", "0")
	output, err := server.StdoutPipe()
	must(err)
	must(server.Start())
	line, err := bufio.NewReader(output).ReadString('\n')
	must(err)
	return regexp.MustCompile(`http://[0-9.:]+[0-9]`).FindString(line), func() {
		must(server.Process.Signal(os.Interrupt))
		server.Wait()
	}
}

func compareRates(program string) {
	db, err := dynolith.Open(nil)
	must(err)
	defer db.Close()
	endpoint, stop := serve(program)
	defer stop()
	loopback := db.Config()
	loopback.BaseEndpoint, loopback.HTTPClient = aws.String(endpoint), nil
	sides := []*side{
		{"in process", dynamodb.NewFromConfig(db.Config()), map[string][]float64{}},
		{"loopback", dynamodb.NewFromConfig(loopback), map[string][]float64{}},
	}
	for _, s := range sides {
		s.prepare()
	}
	kinds := []string{"GetItem, 1 caller", "PutItem, 1 caller", "GetItem, 8 callers", "PutItem, 8 callers"}
	for round := 0; round < rounds; round++ {
		for _, s := range sides {
			for i, kind := range kinds {
				call, callers := s.get, 1
				if i%2 == 1 {
					call = s.put
				}
				if i >= 2 {
					callers = 8
				}
				s.rates[kind] = append(s.rates[kind], rate(call, callers))
			}
		}
	}
	for _, kind := range kinds {
		inside, outside := median(sides[0].rates[kind]), median(sides[1].rates[kind])
		fmt.Printf("%s: %.0f calls/s in process, %.0f over loopback: %.1f times\n", kind, inside, outside, inside/outside)
	}
}

// answerFirst says how long it took from here to the first answer; who started it knows how long the process did.
func answerFirst() {
	started := time.Now()
	_, err := dynolith.Version()
	must(err)
	loaded := time.Since(started)
	db, err := dynolith.Open(nil)
	must(err)
	opened := time.Since(started)
	_, err = dynamodb.NewFromConfig(db.Config()).ListTables(ctx, nil)
	must(err)
	fmt.Println(loaded.Nanoseconds(), (opened - loaded).Nanoseconds(), time.Since(started).Nanoseconds())
	os.Exit(0)
}

func measureStart() {
	self, err := os.Executable()
	must(err)
	var loads, opens, answers, processes []time.Duration
	for i := 0; i < starts; i++ {
		started := time.Now()
		text, err := exec.Command(self, firstAnswer).Output()
		must(err)
		var loaded, opened, answered time.Duration
		_, err = fmt.Sscan(string(text), &loaded, &opened, &answered)
		must(err)
		loads, opens = append(loads, loaded), append(opens, opened)
		answers, processes = append(answers, answered), append(processes, time.Since(started))
	}
	milliseconds := func(times []time.Duration) float64 { return median(times).Seconds() * 1000 }
	fmt.Printf("from nothing to the first answer: %.1f ms, of which the library is %.1f and the database %.1f; the whole process: %.1f ms\n",
		milliseconds(answers), milliseconds(loads), milliseconds(opens), milliseconds(processes))
	db, err := dynolith.Open(nil)
	must(err)
	defer db.Close()
	var more []time.Duration
	for i := 0; i < starts; i++ {
		started := time.Now()
		db, err := dynolith.Open(nil)
		must(err)
		_, err = dynamodb.NewFromConfig(db.Config()).ListTables(ctx, nil)
		must(err)
		more = append(more, time.Since(started))
		must(db.Close())
	}
	fmt.Printf("one more database in the same process, to its first answer: %.2f ms\n", milliseconds(more))
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "measure PROGRAM")
		os.Exit(2)
	}
	if os.Args[1] == firstAnswer {
		answerFirst()
	}
	measureStart()
	compareRates(os.Args[1])
}
