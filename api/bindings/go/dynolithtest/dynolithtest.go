// Package dynolithtest has databases for tests.
package dynolithtest

import (
	"testing"

	"dynolith.test/dynolith"
)

// Open is a fresh database for one test, in memory unless an option says otherwise. It is closed when the test ends.
func Open(t testing.TB, options ...dynolith.Options) *dynolith.Database {
	t.Helper()
	all := dynolith.Options{}
	for _, some := range options {
		for name, value := range some {
			all[name] = value
		}
	}
	db, err := dynolith.Open(all)
	return closedWith(t, db, err)
}

// Fork is a database for one test that begins as a snapshot of another, or with an empty name as the other is now: tables and
// items that many tests need are loaded once.
func Fork(t testing.TB, from *dynolith.Database, snapshot string) *dynolith.Database {
	t.Helper()
	db, err := from.Fork(snapshot, "")
	return closedWith(t, db, err)
}

func closedWith(t testing.TB, db *dynolith.Database, err error) *dynolith.Database {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}
