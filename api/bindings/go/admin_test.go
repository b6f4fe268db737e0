// The clock, sweeps and all else of the admin endpoint; snapshots and forks.
package dynolith_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"dynolith.test/dynolith"
	"dynolith.test/dynolith/dynolithtest"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

func TestClockMovesAndItemsExpire(t *testing.T) {
	start := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	db, calls := music(t, dynolith.Options{"clock": "manual", "clock_start": "2026-01-31T12:00:00Z", "ttl_sweep_seconds": 0})
	now, err := db.Now()
	succeed(t, err)
	expect(t, "the start", now.Equal(start), true)
	_, err = calls.UpdateTimeToLive(ctx, &dynamodb.UpdateTimeToLiveInput{
		TableName:               aws.String("music"),
		TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: aws.String("until"), Enabled: aws.Bool(true)},
	})
	succeed(t, err)
	expiring := song("Ray", "Georgia")
	expiring["until"] = &types.AttributeValueMemberN{Value: fmt.Sprint(start.Unix() + 3600)}
	_, err = calls.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String("music"), Item: expiring})
	succeed(t, err)

	now, err = db.AdvanceClock(90*time.Minute + 250*time.Millisecond)
	succeed(t, err)
	expect(t, "an hour and a half later", now.Equal(start.Add(90*time.Minute+250*time.Millisecond)), true)
	now, err = db.SetClock(start.Add(24 * time.Hour))
	succeed(t, err)
	expect(t, "a day later", now.Equal(start.Add(24*time.Hour)), true)
	swept, err := db.Sweep()
	succeed(t, err)
	expect(t, "what has expired", swept, 1)
	expect(t, "is gone", title(t, calls, "Ray"), "")
}

func TestAdminErrors(t *testing.T) {
	db := dynolithtest.Open(t)
	_, err := db.AdvanceClock(time.Second)
	var failure *dynolith.Error
	expect(t, "the machine's clock does not move", errors.As(err, &failure), true)
	expect(t, "words for people", failure.Message != "" && failure.Message[0] != '{', true)
	_, err = db.Admin("GET", "/_dynolith/nothing", nil)
	expect(t, "no such path", errors.Is(err, &dynolith.Error{Kind: "NotFound"}), true)
	_, err = db.Admin("DELETE", "/_dynolith/clock", nil)
	expect(t, "no such method", errors.Is(err, &dynolith.Error{Kind: "InvalidArgument"}), true)
	text, err := db.Admin("GET", "faults", nil)
	succeed(t, err)
	var answer struct{ Faults []any }
	succeed(t, json.Unmarshal(text, &answer))
	expect(t, "no faults", len(answer.Faults), 0)
}

func TestSnapshots(t *testing.T) {
	db, calls := music(t)
	succeed(t, db.Snapshot("empty"))
	put(t, calls, "Ray", "Georgia")
	succeed(t, db.Snapshot("loaded"))
	put(t, calls, "Ray", "Mess Around")
	succeed(t, db.Restore("loaded"))
	expect(t, "as it was", title(t, calls, "Ray"), "Georgia")
	succeed(t, db.Restore("empty"))
	expect(t, "as it was before", title(t, calls, "Ray"), "")
	succeed(t, db.RemoveSnapshot("loaded"))
	expect(t, "it is gone", errors.Is(db.Restore("loaded"), &dynolith.Error{Kind: "NotFound"}), true)
}

func TestForks(t *testing.T) {
	db, calls := music(t)
	succeed(t, db.Snapshot("empty"))
	put(t, calls, "Ray", "Georgia")
	now, before := dynolithtest.Fork(t, db, ""), dynolithtest.Fork(t, db, "empty")
	put(t, client(now), "Ray", "Mess Around")
	expect(t, "the original", title(t, calls, "Ray"), "Georgia")
	expect(t, "the fork", title(t, client(now), "Ray"), "Mess Around")
	expect(t, "the fork of a snapshot", title(t, client(before), "Ray"), "")
	_, err := db.Fork("none", "")
	expect(t, "no such snapshot", errors.Is(err, &dynolith.Error{Kind: "NotFound"}), true)
}
