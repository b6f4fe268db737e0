// The common scenario, with the AWS SDK for Go v2. Each step leaves the table as the next one expects it.
package main

import (
	"context"
	"os"

	"dynolith.test/dynolith"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
)

var (
	table   = aws.String("scenario_go")
	ctx     = context.Background()
	db      *dynamodb.Client
	streams *dynamodbstreams.Client
	// Whether the database is in this process instead of behind DYNOLITH_ENDPOINT.
	isInProcess = os.Getenv("DYNOLITH_IN_PROCESS") == "1"
)

func connect() {
	if isInProcess {
		opened, err := dynolith.Open(nil)
		succeed("open", err)
		db = dynamodb.NewFromConfig(opened.Config())
		streams = dynamodbstreams.NewFromConfig(opened.Config())
		return
	}
	endpoint := aws.String(os.Getenv("DYNOLITH_ENDPOINT"))
	local := aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{AccessKeyID: "local", SecretAccessKey: "local"}, nil
	})
	config := aws.Config{Region: "us-east-1", Credentials: local}
	db = dynamodb.NewFromConfig(config, func(options *dynamodb.Options) { options.BaseEndpoint = endpoint })
	streams = dynamodbstreams.NewFromConfig(config, func(options *dynamodbstreams.Options) { options.BaseEndpoint = endpoint })
}

func main() {
	connect()
	createTable()
	fillTable()
	writeConditionally()
	query()
	queryIndexes()
	scanInSegments()
	scanCompressed()
	writeTransaction()
	cancelTransaction()
	replayTransaction()
	followOneItem()
	expireItem()
	executeStatements()
	executeBatchAndTransaction()
	addAndDeleteIndex()
	deleteTable()
}
