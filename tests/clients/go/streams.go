package main

// Steps 6 and 7: every effective write is one record of the stream, and so is the deletion of an expired item.

import (
	"reflect"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	streamtypes "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
)

type change struct {
	kind     streamtypes.OperationType
	old, new Values
}

// streamOfTable is the table's stream. Streams of deleted tables of the same name may be listed beside it for a day.
func streamOfTable() *string {
	latest := describe().LatestStreamArn
	listed, err := streams.ListStreams(ctx, &dynamodbstreams.ListStreamsInput{TableName: table})
	succeed("ListStreams", err)
	found := false
	for _, stream := range listed.Streams {
		found = found || *stream.StreamArn == *latest
	}
	expect("the stream is listed", found, true)
	return latest
}

// readStream is all records so far, shard by shard.
func readStream() []streamtypes.Record {
	arn := streamOfTable()
	described, err := streams.DescribeStream(ctx, &dynamodbstreams.DescribeStreamInput{StreamArn: arn})
	succeed("DescribeStream", err)
	stream := described.StreamDescription
	expect("the table of the stream", *stream.TableName, *table)
	expect("its state", stream.StreamStatus, streamtypes.StreamStatusEnabled)
	expect("its images", stream.StreamViewType, streamtypes.StreamViewTypeNewAndOldImages)
	expect("no more shards", stream.LastEvaluatedShardId, (*string)(nil))
	expect("its keys", []string{*stream.KeySchema[0].AttributeName, *stream.KeySchema[1].AttributeName}, []string{"pk", "sk"})
	records := []streamtypes.Record{}
	for _, shard := range stream.Shards {
		start, err := streams.GetShardIterator(ctx, &dynamodbstreams.GetShardIteratorInput{
			StreamArn: arn, ShardId: shard.ShardId, ShardIteratorType: streamtypes.ShardIteratorTypeTrimHorizon,
		})
		succeed("GetShardIterator", err)
		for iterator := start.ShardIterator; iterator != nil; {
			page, err := streams.GetRecords(ctx, &dynamodbstreams.GetRecordsInput{ShardIterator: iterator, Limit: aws.Int32(20)})
			succeed("GetRecords", err)
			records = append(records, page.Records...)
			// An open shard always goes on; without records its end is reached.
			iterator = page.NextShardIterator
			if len(page.Records) == 0 {
				iterator = nil
			}
		}
	}
	return records
}

func recordsOf(records []streamtypes.Record, key Values) []streamtypes.Record {
	found := []streamtypes.Record{}
	for _, record := range records {
		if reflect.DeepEqual(image(record.Dynamodb.Keys), key) {
			found = append(found, record)
		}
	}
	return found
}

func changesOf(records []streamtypes.Record) []change {
	found := []change{}
	for _, record := range records {
		found = append(found, change{record.EventName, image(record.Dynamodb.OldImage), image(record.Dynamodb.NewImage)})
	}
	return found
}

func followOneItem() {
	small := with(key("river", 1), Values{"width": 3.0})
	wide := with(key("river", 1), Values{"width": 90.0})
	// The second of each pair changes nothing.
	put(small)
	put(small)
	for range [2]int{} {
		_, err := db.UpdateItem(ctx, &dynamodb.UpdateItemInput{
			TableName: table, Key: marshal(key("river", 1)), UpdateExpression: aws.String("SET width = :wide"),
			ExpressionAttributeValues: marshal(Values{":wide": 90}),
		})
		succeed("UpdateItem", err)
	}
	for range [2]int{} {
		_, err := db.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: table, Key: marshal(key("river", 1))})
		succeed("DeleteItem", err)
	}

	records := readStream()
	found := recordsOf(records, key("river", 1))
	expect("the records of one item", changesOf(found), []change{
		{streamtypes.OperationTypeInsert, nil, small}, {streamtypes.OperationTypeModify, small, wide},
		{streamtypes.OperationTypeRemove, wide, nil},
	})
	last := ""
	for _, record := range found {
		expect("the source", *record.EventSource, "aws:dynamodb")
		expect("the region", *record.AwsRegion, "us-east-1")
		expect("nobody but the caller", record.UserIdentity, (*streamtypes.Identity)(nil))
		number := *record.Dynamodb.SequenceNumber
		grows := len(number) > len(last) || (len(number) == len(last) && number > last)
		expect("sequence numbers grow", grows, true)
		last = number
	}
	// 55 items, one painted, three accounts and one more, one river.
	counts := map[streamtypes.OperationType]int{}
	for _, record := range records {
		counts[record.EventName]++
	}
	expect("one record for each write", counts, map[streamtypes.OperationType]int{
		streamtypes.OperationTypeInsert: 61, streamtypes.OperationTypeModify: 7, streamtypes.OperationTypeRemove: 3,
	})
}

func expireItem() {
	_, err := db.UpdateTimeToLive(ctx, &dynamodb.UpdateTimeToLiveInput{
		TableName:               table,
		TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: aws.String("expires"), Enabled: aws.Bool(true)},
	})
	succeed("UpdateTimeToLive", err)
	described, err := db.DescribeTimeToLive(ctx, &dynamodb.DescribeTimeToLiveInput{TableName: table})
	succeed("DescribeTimeToLive", err)
	expect("time to live", described.TimeToLiveDescription.TimeToLiveStatus, types.TimeToLiveStatusEnabled)
	expect("its attribute", *described.TimeToLiveDescription.AttributeName, "expires")

	now := time.Now().Unix()
	old := with(key("leaf", 1), Values{"expires": float64(now - 3600), "color": "brown"})
	fresh := with(key("leaf", 2), Values{"expires": float64(now + 3600), "color": "green"})
	put(old)
	put(fresh)
	for deadline := time.Now().Add(patience); get(key("leaf", 1)) != nil; time.Sleep(50 * time.Millisecond) {
		expect("the expired item goes in time", time.Now().Before(deadline), true)
	}
	expect("the other one stays", get(key("leaf", 2)), fresh)

	found := recordsOf(readStream(), key("leaf", 1))
	expect("the records of the expired item", changesOf(found), []change{
		{streamtypes.OperationTypeInsert, nil, old}, {streamtypes.OperationTypeRemove, old, nil},
	})
	expect("who wrote it", found[0].UserIdentity, (*streamtypes.Identity)(nil))
	who := found[1].UserIdentity
	expect("somebody deleted it", who != nil, true)
	expect("who deleted it", []string{*who.Type, *who.PrincipalId}, []string{"Service", "dynamodb.amazonaws.com"})
}
