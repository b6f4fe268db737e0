package main

// Steps 2 to 4: items written, read, changed under conditions, queried and scanned.

import (
	"fmt"
	"sort"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/transport/http"
)

const conditionFailed = "The conditional request failed"

// note is one of 30: three owners, five teams, each score from 0 to 29 once.
func note(number int) Values {
	return with(key("notes", number), Values{
		"owner": fmt.Sprintf("owner%d", number%3), "score": float64(number * 7 % 30),
		"team": fmt.Sprintf("team%d", number%5), "text": fmt.Sprintf("note %d", number),
	})
}

// other is one of 25 items, five in each of five partitions.
func other(number int) Values {
	return with(key(fmt.Sprintf("other%d", number/5), number%5), Values{"text": fmt.Sprintf("other %d", number)})
}

func several(count int, one func(int) Values) []Values {
	all := []Values{}
	for number := 0; number < count; number++ {
		all = append(all, one(number))
	}
	return all
}

func keyOf(item Values) Values {
	return Values{"pk": item["pk"], "sk": item["sk"]}
}

func put(item Values) {
	answer, err := db.PutItem(ctx, &dynamodb.PutItemInput{TableName: table, Item: marshal(item)})
	succeed("PutItem", err)
	expect("no old item", answer.Attributes, Item(nil))
}

func get(key Values) Values {
	answer, err := db.GetItem(ctx, &dynamodb.GetItemInput{TableName: table, Key: marshal(key), ConsistentRead: aws.Bool(true)})
	succeed("GetItem", err)
	return unmarshal(answer.Item)
}

func byKey(items []Values) []Values {
	sort.Slice(items, func(i, j int) bool {
		if items[i]["pk"] != items[j]["pk"] {
			return items[i]["pk"].(string) < items[j]["pk"].(string)
		}
		return items[i]["sk"].(float64) < items[j]["sk"].(float64)
	})
	return items
}

func fillTable() {
	for _, item := range several(30, note) {
		put(item)
	}
	requests := []types.WriteRequest{}
	for _, item := range several(25, other) {
		requests = append(requests, types.WriteRequest{PutRequest: &types.PutRequest{Item: marshal(item)}})
	}
	written, err := db.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{
		RequestItems: map[string][]types.WriteRequest{*table: requests},
	})
	succeed("BatchWriteItem", err)
	expect("all of the batch is written", len(written.UnprocessedItems), 0)
	for _, number := range []int{0, 17, 29} {
		expect("a note reads back", get(key("notes", number)), note(number))
	}
	expect("what is not there", get(key("notes", 30)), Values(nil))

	wanted := append(several(10, note), several(10, other)...)
	keys := []Item{}
	for _, item := range wanted {
		keys = append(keys, marshal(keyOf(item)))
	}
	read, err := db.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{
		RequestItems: map[string]types.KeysAndAttributes{*table: {Keys: keys, ConsistentRead: aws.Bool(true)}},
	})
	succeed("BatchGetItem", err)
	expect("all of the batch is read", len(read.UnprocessedKeys), 0)
	// The service leaves the order open.
	expect("the batch", byKey(unmarshalList(read.Responses[*table])), byKey(wanted))
}

func writeConditionally() {
	wanted := with(key("paint", 1), Values{"color": "blue", "count": 1.0, "tags": []any{"a"}})
	absent := build(expression.NewBuilder().WithCondition(expression.AttributeNotExists(expression.Name("pk"))))
	input := &dynamodb.PutItemInput{
		TableName: table, Item: marshal(wanted), ConditionExpression: absent.Condition(), ExpressionAttributeNames: absent.Names(),
	}
	_, err := db.PutItem(ctx, input)
	succeed("put what is not there", err)
	_, err = db.PutItem(ctx, input)
	failed := fail[*types.ConditionalCheckFailedException]("put it again", err)
	expect("its message", failed.ErrorMessage(), conditionFailed)
	expect("no item unless asked for", unmarshal(failed.Item), Values(nil))
	input.ReturnValuesOnConditionCheckFailure = types.ReturnValuesOnConditionCheckFailureAllOld
	_, err = db.PutItem(ctx, input)
	failed = fail[*types.ConditionalCheckFailedException]("put it again", err)
	expect("the item of the error", unmarshal(failed.Item), wanted)
	updateConditionally()
	deleteConditionally()
}

func update(builder expression.Builder) (Values, error) {
	built := build(builder)
	answer, err := db.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: table, Key: marshal(key("paint", 1)), UpdateExpression: built.Update(), ConditionExpression: built.Condition(),
		ExpressionAttributeNames: built.Names(), ExpressionAttributeValues: built.Values(), ReturnValues: types.ReturnValueUpdatedNew,
	})
	if err != nil {
		return nil, err
	}
	return unmarshal(answer.Attributes), nil
}

func updateConditionally() {
	name, value := expression.Name, expression.Value
	repaint := expression.NewBuilder().WithUpdate(expression.Set(name("color"), value("red"))).WithCondition(name("color").Equal(value("blue")))
	changed, err := update(repaint)
	succeed("repaint", err)
	expect("what was updated", changed, Values{"color": "red"})
	_, err = update(repaint)
	fail[*types.ConditionalCheckFailedException]("repaint again", err)

	for _, step := range []struct{ by, wanted float64 }{{5, 6}, {-2, 4}} {
		changed, err = update(expression.NewBuilder().WithUpdate(expression.Add(name("count"), value(step.by))))
		succeed("count", err)
		expect("the counter", changed, Values{"count": step.wanted})
	}
	appended := expression.Set(name("tags"), expression.ListAppend(name("tags"), value([]string{"b", "c"})))
	changed, err = update(expression.NewBuilder().WithUpdate(appended))
	succeed("append", err)
	expect("the list", changed, Values{"tags": []any{"a", "b", "c"}})
}

func deleteConditionally() {
	remove := func(color string) (*dynamodb.DeleteItemOutput, error) {
		condition := build(expression.NewBuilder().WithCondition(expression.Name("color").Equal(expression.Value(color))))
		return db.DeleteItem(ctx, &dynamodb.DeleteItemInput{
			TableName: table, Key: marshal(key("paint", 1)), ConditionExpression: condition.Condition(),
			ExpressionAttributeNames: condition.Names(), ExpressionAttributeValues: condition.Values(), ReturnValues: types.ReturnValueAllOld,
			ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
		})
	}
	wanted := with(key("paint", 1), Values{"color": "red", "count": 4.0, "tags": []any{"a", "b", "c"}})
	_, err := remove("blue")
	failed := fail[*types.ConditionalCheckFailedException]("delete what is blue", err)
	expect("the item of the error", unmarshal(failed.Item), wanted)
	answer, err := remove("red")
	succeed("delete what is red", err)
	expect("what was deleted", unmarshal(answer.Attributes), wanted)
	expect("it is gone", get(key("paint", 1)), Values(nil))
}

func notes() *dynamodb.QueryInput {
	return &dynamodb.QueryInput{
		TableName: table, KeyConditionExpression: aws.String("pk = :pk"),
		ExpressionAttributeValues: marshal(Values{":pk": "notes"}),
	}
}

func query() {
	input := notes()
	input.Limit = aws.Int32(7)
	sizes, found := []int{}, []Values{}
	for pages := dynamodb.NewQueryPaginator(db, input); pages.HasMorePages(); {
		page, err := pages.NextPage(ctx)
		succeed("Query", err)
		sizes = append(sizes, len(page.Items))
		found = append(found, unmarshalList(page.Items)...)
	}
	expect("pages", sizes, []int{7, 7, 7, 7, 2})
	expect("every note once, in order", found, several(30, note))

	input = notes()
	input.ScanIndexForward, input.Limit = aws.Bool(false), aws.Int32(4)
	answer, err := db.Query(ctx, input)
	succeed("backwards", err)
	expect("the last four notes", unmarshalList(answer.Items), []Values{note(29), note(28), note(27), note(26)})
	expect("where to go on", unmarshal(answer.LastEvaluatedKey), key("notes", 26))

	input = notes()
	input.FilterExpression = aws.String("score < :few")
	input.ExpressionAttributeValues = marshal(Values{":pk": "notes", ":few": 5})
	answer, err = db.Query(ctx, input)
	succeed("a filter", err)
	expect("notes with a low score", unmarshalList(answer.Items), []Values{note(0), note(9), note(13), note(22), note(26)})
	expect("all were looked at", []int32{answer.Count, answer.ScannedCount}, []int32{5, 30})
}

// scanCompressed asks for compression, which only HTTP has; the client compares the body's checksum before it decompresses it.
func scanCompressed() {
	answer, err := db.Scan(ctx, &dynamodb.ScanInput{TableName: table}, func(options *dynamodb.Options) {
		options.EnableAcceptEncodingGzip = true
	})
	succeed("Scan", err)
	expect("every item", byKey(unmarshalList(answer.Items)), append(several(30, note), several(25, other)...))
	response := middleware.GetRawResponse(answer.ResultMetadata).(*http.Response)
	encoding := "gzip"
	if isInProcess {
		encoding = ""
	}
	expect("how the body was compressed", response.Header.Get("Content-Encoding"), encoding)
}

func queryIndexes() {
	keyOf, value := expression.Key, expression.Value
	owned := build(expression.NewBuilder().WithKeyCondition(keyOf("owner").Equal(value("owner1")).And(keyOf("sk").GreaterThan(value(20)))))
	answer, err := db.Query(ctx, &dynamodb.QueryInput{
		TableName: table, IndexName: aws.String("ByOwner"), KeyConditionExpression: owned.KeyCondition(),
		ExpressionAttributeNames: owned.Names(), ExpressionAttributeValues: owned.Values(),
	})
	succeed("the global index", err)
	expect("whole items", unmarshalList(answer.Items), []Values{note(22), note(25), note(28)})

	scored := expression.NewBuilder().WithKeyCondition(
		keyOf("pk").Equal(value("notes")).And(keyOf("score").Between(value(10), value(12))))
	queryScores := func(builder expression.Builder) []Values {
		built := build(builder)
		answer, err := db.Query(ctx, &dynamodb.QueryInput{
			TableName: table, IndexName: aws.String("ByScore"), KeyConditionExpression: built.KeyCondition(),
			ProjectionExpression: built.Projection(), ExpressionAttributeNames: built.Names(), ExpressionAttributeValues: built.Values(),
		})
		succeed("the local index", err)
		return unmarshalList(answer.Items)
	}
	entry := func(sk, score int) Values { return with(key("notes", sk), Values{"score": float64(score)}) }
	expect("keys only", queryScores(scored), []Values{entry(10, 10), entry(23, 11), entry(6, 12)})
	line := func(score, number int) Values {
		return Values{"score": float64(score), "text": fmt.Sprintf("note %d", number)}
	}
	scored = scored.WithProjection(expression.NamesList(expression.Name("score"), expression.Name("text")))
	expect("the text is fetched", queryScores(scored), []Values{line(10, 10), line(11, 23), line(12, 6)})
}

func scanInSegments() {
	found := []Values{}
	for segment := int32(0); segment < 4; segment++ {
		pages := dynamodb.NewScanPaginator(db, &dynamodb.ScanInput{
			TableName: table, Segment: aws.Int32(segment), TotalSegments: aws.Int32(4), Limit: aws.Int32(10),
		})
		for pages.HasMorePages() {
			page, err := pages.NextPage(ctx)
			succeed("Scan", err)
			found = append(found, unmarshalList(page.Items)...)
		}
	}
	expect("every item once", byKey(found), append(several(30, note), several(25, other)...))
}
