// As a stranger would begin: the module and the SDK, nothing else of Dynolith.
package answer

import (
	"context"
	"testing"

	"dynolith.test/dynolith/dynolithtest"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

func TestAnswers(t *testing.T) {
	client := dynamodb.NewFromConfig(dynolithtest.Open(t).Config())
	ctx := context.Background()
	if _, err := client.CreateTable(ctx, &dynamodb.CreateTableInput{
		TableName:            aws.String("music"),
		BillingMode:          types.BillingModePayPerRequest,
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("artist"), KeyType: types.KeyTypeHash}},
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("artist"), AttributeType: types.ScalarAttributeTypeS}},
	}); err != nil {
		t.Fatal(err)
	}
	key := map[string]types.AttributeValue{"artist": &types.AttributeValueMemberS{Value: "Ray"}}
	if _, err := client.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String("music"), Item: key}); err != nil {
		t.Fatal(err)
	}
	if got, err := client.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String("music"), Key: key}); err != nil || len(got.Item) != 1 {
		t.Fatal(got, err)
	}
}
