package main

// Steps 1, 9 and 10: the table and its indexes come and go.

import (
	"sort"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

const patience = 120 * time.Second

func attribute(name string, kind types.ScalarAttributeType) types.AttributeDefinition {
	return types.AttributeDefinition{AttributeName: aws.String(name), AttributeType: kind}
}

func keySchema(hash, sortKey string) []types.KeySchemaElement {
	return []types.KeySchemaElement{
		{AttributeName: aws.String(hash), KeyType: types.KeyTypeHash},
		{AttributeName: aws.String(sortKey), KeyType: types.KeyTypeRange},
	}
}

func definitions() []types.AttributeDefinition {
	return []types.AttributeDefinition{
		attribute("owner", types.ScalarAttributeTypeS),
		attribute("pk", types.ScalarAttributeTypeS),
		attribute("score", types.ScalarAttributeTypeN),
		attribute("sk", types.ScalarAttributeTypeN),
	}
}

func describe() *types.TableDescription {
	described, err := db.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: table})
	succeed("DescribeTable", err)
	return described.Table
}

func createTable() {
	_, err := db.CreateTable(ctx, &dynamodb.CreateTableInput{
		TableName:            table,
		AttributeDefinitions: definitions(),
		KeySchema:            keySchema("pk", "sk"),
		BillingMode:          types.BillingModePayPerRequest,
		GlobalSecondaryIndexes: []types.GlobalSecondaryIndex{{
			IndexName: aws.String("ByOwner"), KeySchema: keySchema("owner", "sk"),
			Projection: &types.Projection{ProjectionType: types.ProjectionTypeAll},
		}},
		LocalSecondaryIndexes: []types.LocalSecondaryIndex{{
			IndexName: aws.String("ByScore"), KeySchema: keySchema("pk", "score"),
			Projection: &types.Projection{ProjectionType: types.ProjectionTypeKeysOnly},
		}},
		StreamSpecification: &types.StreamSpecification{
			StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewTypeNewAndOldImages,
		},
	})
	succeed("CreateTable", err)
	waiter := dynamodb.NewTableExistsWaiter(db)
	succeed("the table is there", waiter.Wait(ctx, &dynamodb.DescribeTableInput{TableName: table}, patience))
	compare(describe())
}

func compare(found *types.TableDescription) {
	expect("its name", *found.TableName, *table)
	expect("its state", found.TableStatus, types.TableStatusActive)
	expect("its keys", found.KeySchema, keySchema("pk", "sk"))
	attributes := found.AttributeDefinitions
	sort.Slice(attributes, func(i, j int) bool { return *attributes[i].AttributeName < *attributes[j].AttributeName })
	expect("its attributes", attributes, definitions())
	expect("on demand", found.BillingModeSummary.BillingMode, types.BillingModePayPerRequest)
	expect("its stream", *found.StreamSpecification.StreamEnabled, true)
	expect("its images", found.StreamSpecification.StreamViewType, types.StreamViewTypeNewAndOldImages)

	expect("global indexes", len(found.GlobalSecondaryIndexes), 1)
	owner := found.GlobalSecondaryIndexes[0]
	expect("the global index", *owner.IndexName, "ByOwner")
	expect("its keys", owner.KeySchema, keySchema("owner", "sk"))
	expect("its projection", *owner.Projection, types.Projection{ProjectionType: types.ProjectionTypeAll})
	expect("its state", owner.IndexStatus, types.IndexStatusActive)
	expect("local indexes", len(found.LocalSecondaryIndexes), 1)
	score := found.LocalSecondaryIndexes[0]
	expect("the local index", *score.IndexName, "ByScore")
	expect("its keys", score.KeySchema, keySchema("pk", "score"))
	expect("its projection", *score.Projection, types.Projection{ProjectionType: types.ProjectionTypeKeysOnly})
}

// waitForIndexes waits until the table has these global indexes, all of them ready.
func waitForIndexes(wanted string) {
	deadline := time.Now().Add(patience)
	for {
		names, ready := []string{}, true
		for _, index := range describe().GlobalSecondaryIndexes {
			names = append(names, *index.IndexName)
			ready = ready && index.IndexStatus == types.IndexStatusActive
		}
		sort.Strings(names)
		joined := ""
		for _, name := range names {
			joined += name + " "
		}
		if joined == wanted && ready {
			return
		}
		expect("the indexes are ready in time", time.Now().Before(deadline), true)
		time.Sleep(50 * time.Millisecond)
	}
}

func updateIndex(update types.GlobalSecondaryIndexUpdate) {
	_, err := db.UpdateTable(ctx, &dynamodb.UpdateTableInput{
		TableName: table,
		AttributeDefinitions: []types.AttributeDefinition{
			attribute("pk", types.ScalarAttributeTypeS), attribute("sk", types.ScalarAttributeTypeN),
			attribute("team", types.ScalarAttributeTypeS),
		},
		GlobalSecondaryIndexUpdates: []types.GlobalSecondaryIndexUpdate{update},
	})
	succeed("UpdateTable", err)
}

func addAndDeleteIndex() {
	updateIndex(types.GlobalSecondaryIndexUpdate{Create: &types.CreateGlobalSecondaryIndexAction{
		IndexName: aws.String("ByTeam"), KeySchema: keySchema("team", "sk"),
		Projection: &types.Projection{ProjectionType: types.ProjectionTypeKeysOnly},
	}})
	waitForIndexes("ByOwner ByTeam ")
	condition := build(expression.NewBuilder().WithKeyCondition(expression.KeyEqual(expression.Key("team"), expression.Value("team2"))))
	found, err := db.Query(ctx, &dynamodb.QueryInput{
		TableName: table, IndexName: aws.String("ByTeam"), KeyConditionExpression: condition.KeyCondition(),
		ExpressionAttributeNames: condition.Names(), ExpressionAttributeValues: condition.Values(),
	})
	succeed("the new index", err)
	wanted := []Values{}
	for _, sk := range []int{2, 7, 12, 17, 22, 27} {
		wanted = append(wanted, with(key("notes", sk), Values{"team": "team2"}))
	}
	expect("what was there before is in the new index", unmarshalList(found.Items), wanted)

	updateIndex(types.GlobalSecondaryIndexUpdate{Delete: &types.DeleteGlobalSecondaryIndexAction{IndexName: aws.String("ByTeam")}})
	waitForIndexes("ByOwner ")
}

func deleteTable() {
	_, err := db.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: table})
	succeed("DeleteTable", err)
	described := &dynamodb.DescribeTableInput{TableName: table}
	succeed("the table is gone", dynamodb.NewTableNotExistsWaiter(db).Wait(ctx, described, patience))
	_, err = db.DescribeTable(ctx, described)
	missing := fail[*types.ResourceNotFoundException]("describe what is gone", err)
	expect("its message", missing.ErrorMessage(), "Requested resource not found: Table: "+*table+" not found")
	_, err = db.Scan(ctx, &dynamodb.ScanInput{TableName: table})
	missing = fail[*types.ResourceNotFoundException]("read from it", err)
	expect("its message", missing.ErrorMessage(), "Requested resource not found")
}
