// The WebAssembly module where it is not as the native library. Everything else is in the other tests, which run on it with
// DYNOLITH_WASM.
package dynolith_test

import (
	"errors"
	"fmt"
	"net/http"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"dynolith.test/dynolith"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

func needModule(t testing.TB) {
	t.Helper()
	if !isModule() {
		t.Skip("DYNOLITH_WASM says where the module is")
	}
}

func TestWhatNeedsAFolderOrANetworkSaysSo(t *testing.T) {
	needModule(t)
	for what, options := range map[string]dynolith.Options{
		"a database in the folder /data/music":              {"path": "/data/music"},
		"a database behind the endpoint http://localhost:1": {"endpoint": "http://localhost:1"},
		"buckets in the folder /data":                       {"buckets": "/data"},
	} {
		_, err := dynolith.Open(options)
		message := "this build of Dynolith has databases in memory only, and so cannot have " + what +
			": leave it out, or use the native library"
		expect(t, what, errors.Is(err, &dynolith.Error{Kind: "FailedPrecondition", Message: message}), true)
	}
	db, _ := music(t)
	expect(t, "a copy", errors.Is(db.Checkpoint("/data/copy"), &dynolith.Error{Kind: "FailedPrecondition"}), true)
	_, err := db.Fork("", "/data/copy")
	expect(t, "a fork", errors.Is(err, &dynolith.Error{Kind: "InvalidArgument"}), true)
}

func TestItemsExpireWhileNobodyCalls(t *testing.T) {
	needModule(t)
	db, calls := music(t, dynolith.Options{"ttl_sweep_seconds": 0.05})
	_, err := calls.UpdateTimeToLive(ctx, &dynamodb.UpdateTimeToLiveInput{
		TableName:               aws.String("music"),
		TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: aws.String("until"), Enabled: aws.Bool(true)},
	})
	succeed(t, err)
	expiring := song("Ray", "Georgia")
	expiring["until"] = &types.AttributeValueMemberN{Value: fmt.Sprint(time.Now().Unix() - 60)}
	_, err = calls.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String("music"), Item: expiring})
	succeed(t, err)
	time.Sleep(400 * time.Millisecond)
	swept, err := db.Sweep()
	succeed(t, err)
	expect(t, "left to be swept", swept, 0)
}

func TestAnIndexIsFilled(t *testing.T) {
	needModule(t)
	_, calls := music(t)
	for i := 0; i < 100; i++ {
		put(t, calls, fmt.Sprint(i), []string{"even", "odd"}[i%2])
	}
	_, err := calls.UpdateTable(ctx, &dynamodb.UpdateTableInput{
		TableName: aws.String("music"),
		AttributeDefinitions: []types.AttributeDefinition{
			{AttributeName: aws.String("artist"), AttributeType: types.ScalarAttributeTypeS},
			{AttributeName: aws.String("title"), AttributeType: types.ScalarAttributeTypeS},
		},
		GlobalSecondaryIndexUpdates: []types.GlobalSecondaryIndexUpdate{{Create: &types.CreateGlobalSecondaryIndexAction{
			IndexName: aws.String("titles"), Projection: &types.Projection{ProjectionType: types.ProjectionTypeKeysOnly},
			KeySchema: []types.KeySchemaElement{{AttributeName: aws.String("title"), KeyType: types.KeyTypeHash}},
		}}},
	})
	succeed(t, err)
	for i := 0; i < 50; i++ {
		described, err := calls.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: aws.String("music")})
		succeed(t, err)
		if described.Table.GlobalSecondaryIndexes[0].IndexStatus == types.IndexStatusActive {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	found, err := calls.Query(ctx, &dynamodb.QueryInput{
		TableName: aws.String("music"), IndexName: aws.String("titles"), KeyConditionExpression: aws.String("title = :t"),
		ExpressionAttributeValues: item{":t": &types.AttributeValueMemberS{Value: "odd"}},
	})
	succeed(t, err)
	expect(t, "odd ones", found.Count, int32(50))
}

func TestAWaitForChangesHoldsUpNobody(t *testing.T) {
	needModule(t)
	db, calls := music(t)
	switchStream(t, calls, true)
	changes, err := db.Changes(ctx, "music", dynolith.ChangesFrom{})
	succeed(t, err)
	time.Sleep(100 * time.Millisecond)
	begun := time.Now()
	for i := 0; i < 20; i++ {
		put(t, calls, fmt.Sprint(i), fmt.Sprint(i))
	}
	expect(t, "at once", time.Since(begun) < 5*time.Second, true)
	for i := 0; i < 20; i++ {
		expect(t, "the change", titleOf(t, <-changes), fmt.Sprint(i))
	}
	switchStream(t, calls, false)
	for range changes {
		t.Fatal("there is no other change")
	}
}

// answered is the status of a request that no SDK would make.
func answered(t *testing.T, db *dynolith.Database, operation, body string) int {
	t.Helper()
	request, err := http.NewRequest("POST", "http://localhost/", strings.NewReader(body))
	succeed(t, err)
	request.Header.Set("X-Amz-Target", "DynamoDB_20120810."+operation)
	response, err := db.Transport().RoundTrip(request)
	succeed(t, err)
	return response.StatusCode
}

func TestMemoryGrowsAndLargeBodiesPass(t *testing.T) {
	needModule(t)
	db, calls := music(t)
	long := strings.Repeat("ü", 190_000)
	for i := 0; i < 100; i++ {
		put(t, calls, fmt.Sprint(i), long)
	}
	expect(t, "what was put", title(t, calls, "99") == long, true)
	expect(t, "too large a body", answered(t, db, "PutItem", strings.Repeat(" ", 16<<20+1)), http.StatusRequestEntityTooLarge)
}

func TestDeepNestingIsTheEnginesToRefuse(t *testing.T) {
	needModule(t)
	db, _ := music(t)
	nested := func(levels int) string {
		return `{"TableName":"music","Item":{"artist":{"S":"a"},"m":` + strings.Repeat(`{"L":[`, levels) +
			strings.Repeat("]}", levels) + "}}"
	}
	for levels, status := range map[int]int{31: 200, 40: 400, 100_000: 400} {
		expect(t, fmt.Sprint(levels, " levels"), answered(t, db, "PutItem", nested(levels)), status)
	}
	filter := strings.Repeat("(", 2000) + "a = :a" + strings.Repeat(")", 2000)
	body := `{"TableName":"music","FilterExpression":"` + filter + `","ExpressionAttributeValues":{":a":{"S":"a"}}}`
	expect(t, "parentheses", answered(t, db, "Scan", body), 400)
}

// Databases open and close beside calls of others: whoever is the last ends the work in the background.
func TestManyDatabasesAtOnce(t *testing.T) {
	needModule(t)
	var all sync.WaitGroup
	for i := 0; i < 8; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			for j := 0; j < 10; j++ {
				db, err := dynolith.Open(nil)
				if err == nil {
					_, err = client(db).ListTables(ctx, nil)
				}
				if err != nil {
					t.Error(err)
					return
				}
				db.Close()
			}
		}()
	}
	all.Wait()
}

// A program without cgo takes the module by itself, and says what else there would be.
func TestProgramsWithoutCgo(t *testing.T) {
	needModule(t)
	if testing.Short() {
		t.Skip("compiles everything once more")
	}
	test := exec.Command("go", "test", "-count=1", "-short", "-run", "^TestTheModuleIsTakenByItself$", ".")
	test.Env = append(test.Environ(), "CGO_ENABLED=0", "DYNOLITH_WASM=", "DYNOLITH_LIBRARY=", "DYNOLITH_BY_ITSELF=1")
	output, err := test.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, output)
	}
}
