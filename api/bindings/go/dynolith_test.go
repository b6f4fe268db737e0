package dynolith_test

import (
	"context"
	"os"
	"testing"
	"time"

	"dynolith.test/dynolith"
	"dynolith.test/dynolith/dynolithtest"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// What all tests here work on: a table "music" with the key "artist".

var ctx = context.Background()

type item = map[string]types.AttributeValue

func song(artist, title string) item {
	return item{"artist": &types.AttributeValueMemberS{Value: artist}, "title": &types.AttributeValueMemberS{Value: title}}
}

func key(artist string) item {
	return item{"artist": &types.AttributeValueMemberS{Value: artist}}
}

func succeed(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// isModule: with DYNOLITH_WASM all tests run on the WebAssembly module.
func isModule() bool { return os.Getenv("DYNOLITH_WASM") != "" }

func needFolders(t testing.TB) {
	t.Helper()
	if isModule() {
		t.Skip("the WebAssembly module has databases in memory only")
	}
}

func expect[T comparable](t testing.TB, what string, got, wanted T) {
	t.Helper()
	if got != wanted {
		t.Fatalf("%s: expected %v, got %v", what, wanted, got)
	}
}

func client(db *dynolith.Database, options ...func(*dynamodb.Options)) *dynamodb.Client {
	return dynamodb.NewFromConfig(db.Config(), options...)
}

func createMusic(t testing.TB, db *dynolith.Database) *dynamodb.Client {
	t.Helper()
	calls := client(db)
	_, err := calls.CreateTable(ctx, &dynamodb.CreateTableInput{
		TableName:            aws.String("music"),
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("artist"), AttributeType: types.ScalarAttributeTypeS}},
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("artist"), KeyType: types.KeyTypeHash}},
		BillingMode:          types.BillingModePayPerRequest,
	})
	succeed(t, err)
	waiter := dynamodb.NewTableExistsWaiter(calls)
	succeed(t, waiter.Wait(ctx, &dynamodb.DescribeTableInput{TableName: aws.String("music")}, time.Minute))
	return calls
}

func put(t testing.TB, calls *dynamodb.Client, artist, title string) {
	t.Helper()
	_, err := calls.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String("music"), Item: song(artist, title)})
	succeed(t, err)
}

// title is "" where the table has no such item.
func title(t testing.TB, calls *dynamodb.Client, artist string) string {
	t.Helper()
	found, err := calls.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String("music"), Key: key(artist)})
	succeed(t, err)
	if found.Item == nil {
		return ""
	}
	return found.Item["title"].(*types.AttributeValueMemberS).Value
}

func music(t testing.TB, options ...dynolith.Options) (*dynolith.Database, *dynamodb.Client) {
	t.Helper()
	db := dynolithtest.Open(t, options...)
	return db, createMusic(t, db)
}
