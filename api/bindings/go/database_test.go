// A database is opened, closed, kept on disk, and its errors are the language's own.
package dynolith_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"dynolith.test/dynolith"
	"dynolith.test/dynolith/dynolithtest"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

func TestDatabasesDoNotMeet(t *testing.T) {
	for _, artist := range []string{"Ray", "Aretha", "Otis", "Nina"} {
		artist := artist
		t.Run(artist, func(t *testing.T) {
			t.Parallel()
			_, calls := music(t)
			put(t, calls, artist, "of "+artist)
			found, err := calls.Scan(ctx, &dynamodb.ScanInput{TableName: aws.String("music")})
			succeed(t, err)
			expect(t, "items", found.Count, int32(1))
			expect(t, "the item", title(t, calls, artist), "of "+artist)
		})
	}
}

func TestDatabaseOnDisk(t *testing.T) {
	needFolders(t)
	folder, copied := filepath.Join(t.TempDir(), "data"), filepath.Join(t.TempDir(), "copy")
	db, err := dynolith.Open(dynolith.Options{"path": folder, "region": "eu-west-1"})
	succeed(t, err)
	calls := createMusic(t, db)
	put(t, calls, "Ray", "What'd I Say")
	described, err := calls.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: aws.String("music")})
	succeed(t, err)
	expect(t, "in its region", strings.HasPrefix(*described.Table.TableArn, "arn:aws:dynamodb:eu-west-1:"), true)

	_, err = dynolith.Open(dynolith.Options{"path": folder})
	expect(t, "a second opener is refused", errors.Is(err, &dynolith.Error{Kind: "Unavailable"}), true)
	succeed(t, db.Checkpoint(copied))
	succeed(t, db.Close())
	for _, kept := range []string{folder, copied} {
		again := dynolithtest.Open(t, dynolith.Options{"path": kept})
		expect(t, "what was put", title(t, client(again), "Ray"), "What'd I Say")
	}
}

// A program that was started meanwhile has nothing of the folder.
func TestFolderOutlivedByAChild(t *testing.T) {
	needFolders(t)
	folder := filepath.Join(t.TempDir(), "data")
	db, err := dynolith.Open(dynolith.Options{"path": folder})
	succeed(t, err)
	put(t, createMusic(t, db), "Ray", "What'd I Say")
	child := exec.Command("sleep", "1000")
	succeed(t, child.Start())
	defer func() {
		_ = child.Process.Kill()
		_ = child.Wait()
	}()
	succeed(t, db.Close())
	succeed(t, exec.Command("flock", "--nonblock", folder, "true").Run())
	again := dynolithtest.Open(t, dynolith.Options{"path": folder})
	expect(t, "what was put", title(t, client(again), "Ray"), "What'd I Say")
}

func TestWrongOptions(t *testing.T) {
	_, err := dynolith.Open(dynolith.Options{"pth": "music"})
	expect(t, "an unknown member", errors.Is(err, &dynolith.Error{Kind: "InvalidArgument"}), true)
	expect(t, "is named", strings.Contains(err.Error(), "pth"), true)
	_, err = dynolith.Open(dynolith.Options{"path": func() {}})
	expect(t, "what is no JSON", errors.Is(err, &dynolith.Error{Kind: "InvalidArgument"}), true)
}

func TestClosed(t *testing.T) {
	db, calls := music(t)
	succeed(t, db.Close())
	succeed(t, db.Close())
	_, err := calls.ListTables(ctx, nil)
	expect(t, "a call", errors.Is(err, dynolith.ErrClosed), true)
	expect(t, "a snapshot", errors.Is(db.Snapshot("loaded"), dynolith.ErrClosed), true)
	_, err = db.Now()
	expect(t, "its clock", errors.Is(err, dynolith.ErrClosed), true)
}

// The version stands in one place, the project's.
func TestVersion(t *testing.T) {
	version, err := dynolith.Version()
	succeed(t, err)
	project, err := os.ReadFile("../../../CMakeLists.txt")
	succeed(t, err)
	expect(t, version, strings.Contains(string(project), "project(dynolith VERSION "+version+" "), true)
}

// A global table over two regions of this process: what is written in one is in the other once it is settled.
func TestRegions(t *testing.T) {
	east := dynolithtest.Open(t, dynolith.Options{"regions": []string{"us-east-1", "eu-west-1"}})
	west, err := east.InRegion("eu-west-1")
	succeed(t, err)
	t.Cleanup(func() { west.Close() })
	calls := createMusic(t, east)
	_, err = calls.UpdateTable(ctx, &dynamodb.UpdateTableInput{
		TableName: aws.String("music"),
		StreamSpecification: &types.StreamSpecification{
			StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewTypeNewAndOldImages,
		},
	})
	succeed(t, err)
	_, err = calls.UpdateTable(ctx, &dynamodb.UpdateTableInput{
		TableName: aws.String("music"),
		ReplicaUpdates: []types.ReplicationGroupUpdate{
			{Create: &types.CreateReplicationGroupMemberAction{RegionName: aws.String("eu-west-1")}},
		},
	})
	succeed(t, err)
	put(t, calls, "Ray", "Georgia")
	_, err = west.Admin("POST", "regions/settle", nil)
	succeed(t, err)
	expect(t, "the replica", title(t, client(west), "Ray"), "Georgia")
	described, err := client(west).DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: aws.String("music")})
	succeed(t, err)
	expect(t, "its region", strings.HasPrefix(*described.Table.TableArn, "arn:aws:dynamodb:eu-west-1:"), true)
	expect(t, "the region of its client", client(west).Options().Region, "eu-west-1")
	succeed(t, east.Close())
	expect(t, "without the first", title(t, client(west), "Ray"), "Georgia")
	_, err = west.InRegion("moon")
	expect(t, "no such region", errors.Is(err, &dynolith.Error{Kind: "NotFound"}), true)
}
