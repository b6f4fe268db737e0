// What the SDK does around a call works as over HTTP: errors, retries, waiters, paginators, checksums, contexts.
package dynolith_test

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"dynolith.test/dynolith"
	"dynolith.test/dynolith/dynolithtest"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

func TestErrorsAreTheSDKs(t *testing.T) {
	_, calls := music(t)
	_, err := calls.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String("none"), Key: key("Ray")})
	var missing *types.ResourceNotFoundException
	expect(t, "no such table", errors.As(err, &missing), true)
	expect(t, "the message", missing.ErrorMessage(), "Requested resource not found")

	put(t, calls, "Ray", "Hit the Road Jack")
	_, err = calls.PutItem(ctx, &dynamodb.PutItemInput{
		TableName: aws.String("music"), Item: song("Ray", "Mess Around"), ConditionExpression: aws.String("attribute_not_exists(artist)"),
	})
	var failed *types.ConditionalCheckFailedException
	expect(t, "the condition", errors.As(err, &failed), true)
	expect(t, "nothing is done", title(t, calls, "Ray"), "Hit the Road Jack")
}

func TestPages(t *testing.T) {
	_, calls := music(t)
	for i := 0; i < 10; i++ {
		put(t, calls, fmt.Sprint("artist", i), "a song")
	}
	pages, items := 0, 0
	all := dynamodb.NewScanPaginator(calls, &dynamodb.ScanInput{TableName: aws.String("music"), Limit: aws.Int32(3)})
	for all.HasMorePages() {
		page, err := all.NextPage(ctx)
		succeed(t, err)
		pages, items = pages+1, items+len(page.Items)
	}
	expect(t, "items", items, 10)
	expect(t, "pages", pages, 4)
}

// fault makes a rule by which calls fail on purpose.
func fault(t *testing.T, db *dynolith.Database, rule map[string]any) {
	t.Helper()
	_, err := db.Admin("POST", "/_dynolith/faults", rule)
	succeed(t, err)
}

// quick retries without waiting.
func quick(options *dynamodb.Options) {
	options.Retryer = retry.NewStandard(func(standard *retry.StandardOptions) {
		standard.Backoff = retry.BackoffDelayerFunc(func(int, error) (time.Duration, error) { return 0, nil })
	})
}

func TestDroppedConnectionsAreTriedAgain(t *testing.T) {
	for _, kind := range []string{"dropped_connection", "answer_lost", "unavailable", "throttle"} {
		db, _ := music(t)
		calls := client(db, quick)
		fault(t, db, map[string]any{"fault": kind, "operation": "PutItem", "hits_max": 2})
		done, err := calls.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String("music"), Item: song("Ray", "Georgia")})
		succeed(t, err)
		tried, _ := retry.GetAttemptResults(done.ResultMetadata)
		expect(t, kind+": attempts", len(tried.Results), 3)
		expect(t, kind+": done", title(t, calls, "Ray"), "Georgia")
	}
}

func TestDroppedConnectionWithoutRetries(t *testing.T) {
	db, _ := music(t)
	fault(t, db, map[string]any{"fault": "answer_lost", "operation": "PutItem"})
	calls := client(db, func(options *dynamodb.Options) { options.Retryer = aws.NopRetryer{} })
	_, err := calls.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String("music"), Item: song("Ray", "Georgia")})
	expect(t, "the answer is lost", strings.Contains(fmt.Sprint(err), "connection reset"), true)
	expect(t, "but it was done", title(t, calls, "Ray"), "Georgia")
}

func TestDelayHoldsUpNobodyElse(t *testing.T) {
	db, calls := music(t)
	fault(t, db, map[string]any{"fault": "latency", "latency": 0.3, "operation": "PutItem"})
	started := time.Now()
	done := make(chan time.Duration)
	go func() {
		calls.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String("music"), Item: song("Ray", "Georgia")})
		done <- time.Since(started)
	}()
	title(t, calls, "Otis")
	expect(t, "a read beside it", time.Since(started) < 300*time.Millisecond, true)
	expect(t, "the write", <-done >= 300*time.Millisecond, true)
	expect(t, "is done", title(t, calls, "Ray"), "Georgia")
}

func TestContextEnds(t *testing.T) {
	db, calls := music(t)
	fault(t, db, map[string]any{"fault": "latency", "latency": 600, "operation": "PutItem"})
	soon, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
	defer cancel()
	_, err := calls.PutItem(soon, &dynamodb.PutItemInput{TableName: aws.String("music"), Item: song("Ray", "Georgia")})
	expect(t, "the caller returns", errors.Is(err, context.DeadlineExceeded), true)
	expect(t, "the call was done", title(t, calls, "Ray"), "Georgia")

	over, cancel := context.WithCancel(ctx)
	cancel()
	_, err = calls.PutItem(over, &dynamodb.PutItemInput{TableName: aws.String("music"), Item: song("Otis", "Respect")})
	expect(t, "a context that is over", errors.Is(err, context.Canceled), true)
	expect(t, "is not called", title(t, calls, "Otis"), "")
}

// A call whose caller has gone still works on the database.
func TestCloseWaits(t *testing.T) {
	db, calls := music(t)
	put(t, calls, "Ray", "Georgia")
	var callers sync.WaitGroup
	for i := 0; i < 50; i++ {
		callers.Add(1)
		go func(wait time.Duration) {
			defer callers.Done()
			soon, cancel := context.WithTimeout(ctx, wait)
			defer cancel()
			calls.Scan(soon, &dynamodb.ScanInput{TableName: aws.String("music")})
		}(time.Duration(i) * 10 * time.Microsecond)
	}
	succeed(t, db.Close())
	callers.Wait()
}

// Any http.Client works, and requests that no SDK would make are answered as over HTTP.
func TestPlainHTTP(t *testing.T) {
	db := dynolithtest.Open(t)
	plain := http.Client{Transport: db.Transport()}
	request, err := http.NewRequest("POST", "http://localhost/", strings.NewReader("{}"))
	succeed(t, err)
	request.Header.Set("X-Amz-Target", "DynamoDB_20120810.ListTables")
	response, err := plain.Do(request)
	succeed(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	succeed(t, err)
	expect(t, "the answer", string(body), `{"TableNames":[]}`)
	expect(t, "its status", response.Status, "200 OK")
	expect(t, "its type", response.Header.Get("Content-Type"), "application/x-amz-json-1.0")
	expect(t, "its id", len(response.Header.Get("x-amzn-RequestId")), 52)
	expect(t, "its checksum", response.Header.Get("x-amz-crc32"), fmt.Sprint(crc32.ChecksumIEEE(body)))

	response, err = plain.Post("http://localhost/", "", nil)
	succeed(t, err)
	expect(t, "no target", response.StatusCode, 400)
}

func TestManyAtOnce(t *testing.T) {
	_, calls := music(t)
	t.Run("callers", func(t *testing.T) {
		for i := 0; i < 16; i++ {
			caller := i
			t.Run(fmt.Sprint(caller), func(t *testing.T) {
				t.Parallel()
				for j := 0; j < 50; j++ {
					artist := fmt.Sprintf("%d of %d", j, caller)
					put(t, calls, artist, "song of "+artist)
					expect(t, "what was put", title(t, calls, artist), "song of "+artist)
				}
			})
		}
	})
}
