// The changes of a table as a channel.
package dynolith_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"dynolith.test/dynolith"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

func switchStream(t *testing.T, calls *dynamodb.Client, on bool) {
	t.Helper()
	stream := &types.StreamSpecification{StreamEnabled: aws.Bool(on)}
	if on {
		stream.StreamViewType = types.StreamViewTypeNewImage
	}
	_, err := calls.UpdateTable(ctx, &dynamodb.UpdateTableInput{TableName: aws.String("music"), StreamSpecification: stream})
	succeed(t, err)
}

func titleOf(t *testing.T, change dynolith.Change) string {
	t.Helper()
	succeed(t, change.Err)
	var record struct {
		DynamoDB struct {
			NewImage struct{ Title struct{ S string } }
		}
	}
	succeed(t, json.Unmarshal(change.Record, &record))
	return record.DynamoDB.NewImage.Title.S
}

func TestChangesComeInOrder(t *testing.T) {
	db, calls := music(t)
	_, err := db.Changes(ctx, "music", dynolith.ChangesFrom{})
	expect(t, "a table without a stream", errors.Is(err, &dynolith.Error{Kind: "InvalidArgument"}), true)
	switchStream(t, calls, true)
	stopping, stop := context.WithCancel(ctx)
	defer stop()
	changes, err := db.Changes(stopping, "music", dynolith.ChangesFrom{})
	succeed(t, err)
	for i := 0; i < 20; i++ {
		put(t, calls, fmt.Sprint("artist ", i%3), fmt.Sprint(i))
	}
	place := ""
	for i := 0; i < 20; i++ {
		change := <-changes
		expect(t, "the order", titleOf(t, change), fmt.Sprint(i))
		if i == 11 {
			place = change.Place
		}
	}
	stop()
	for range changes {
		t.Fatal("there is no other change")
	}
	fromOldest, err := db.Changes(ctx, "music", dynolith.ChangesFrom{Oldest: true})
	succeed(t, err)
	fromPlace, err := db.Changes(ctx, "music", dynolith.ChangesFrom{After: place})
	succeed(t, err)
	switchStream(t, calls, false)
	for next, changes := range map[int]<-chan dynolith.Change{0: fromOldest, 12: fromPlace} {
		for change := range changes {
			expect(t, "from there on", titleOf(t, change), fmt.Sprint(next))
			next++
		}
		expect(t, "until the stream's end", next, 20)
	}
	_, err = db.Changes(ctx, "music", dynolith.ChangesFrom{After: "nowhere"})
	expect(t, "no place", errors.Is(err, &dynolith.Error{Kind: "InvalidArgument"}), true)
}
