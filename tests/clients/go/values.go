package main

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"runtime"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	streamtypes "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
)

// Values is an item as the SDK's attributevalue package sees it; every number is a float64.
type Values = map[string]any

// Item is an item on its way.
type Item = map[string]types.AttributeValue

func key(pk string, sk int) Values {
	return Values{"pk": pk, "sk": float64(sk)}
}

// with is the key with these attributes added or replaced.
func with(base, added Values) Values {
	whole := Values{}
	for _, part := range []Values{base, added} {
		for name, value := range part {
			whole[name] = value
		}
	}
	return whole
}

func marshal(values Values) Item {
	item, err := attributevalue.MarshalMap(values)
	succeed("marshal", err)
	return item
}

// unmarshal is nil when there is no item.
func unmarshal(item Item) Values {
	if item == nil {
		return nil
	}
	values := Values{}
	succeed("unmarshal", attributevalue.UnmarshalMap(item, &values))
	return values
}

func unmarshalList(items []Item) []Values {
	list := []Values{}
	for _, item := range items {
		list = append(list, unmarshal(item))
	}
	return list
}

// image is an image of a stream, whose client has attribute types of its own.
func image(found map[string]streamtypes.AttributeValue) Values {
	if found == nil {
		return nil
	}
	item, err := attributevalue.FromDynamoDBStreamsMap(found)
	succeed("image", err)
	return unmarshal(item)
}

func build(builder expression.Builder) expression.Expression {
	built, err := builder.Build()
	succeed("expression", err)
	return built
}

// end says where the program stands, and ends it.
func end(what, wanted, got string) {
	_, file, line, _ := runtime.Caller(2)
	fmt.Printf("%s:%d: %s:\n  expected %s\n  got      %s\n", file, line, what, wanted, got)
	os.Exit(1)
}

// expect ends the program unless the answer is exactly the one that is wanted.
func expect(what string, got, wanted any) {
	if !reflect.DeepEqual(got, wanted) {
		end(what, fmt.Sprintf("%#v", wanted), fmt.Sprintf("%#v", got))
	}
}

func succeed(what string, err error) {
	if err != nil {
		end(what, "success", err.Error())
	}
}

// fail is the error of a call that must fail in this way.
func fail[T error](what string, err error) T {
	var wanted T
	if err == nil {
		end(what, fmt.Sprintf("%T", wanted), "success")
	}
	if !errors.As(err, &wanted) {
		end(what, fmt.Sprintf("%T", wanted), err.Error())
	}
	return wanted
}
