// Package dynolith is a database with Amazon DynamoDB's semantics inside the program's own process, behind the AWS SDK for Go v2:
//
//	db, err := dynolith.Open(nil)
//	client := dynamodb.NewFromConfig(db.Config())
//
// Everything may be called from many goroutines at once.
package dynolith

import (
	"encoding/json"
	"sync"
)

// Options are what a database is opened with: the members that dynolith.h has at dynolith_open, such as {"path": folder},
// {"clock": "manual"} or {"capacity": map[string]any{"mode": "enforce"}}. None: in memory, on the machine's clock.
type Options map[string]any

// Database is an open database. It is closed with Close.
type Database struct {
	gate   sync.RWMutex // held shared while the library works, so that Close waits
	opened handle       // nil after Close

	region     string
	isInMemory bool
	canWait    bool // whether others go on while a call waits in the library
}

// Open opens a database. Its error is an *Error.
func Open(options Options) (*Database, error) {
	loaded, err := load()
	if err != nil {
		return nil, err
	}
	text := []byte("{}")
	if options != nil {
		if text, err = json.Marshal(options); err != nil {
			return nil, &Error{Kind: "InvalidArgument", Message: err.Error()}
		}
	}
	opened, err := loaded.open(string(text))
	if err != nil {
		return nil, err
	}
	return &Database{
		opened: opened, region: firstRegion(text), isInMemory: options["path"] == nil, canWait: loaded.canWait(),
	}, nil
}

// firstRegion is the region of a database with these options, which are valid.
func firstRegion(options []byte) string {
	var given struct {
		Region  string   `json:"region"`
		Regions []string `json:"regions"`
	}
	_ = json.Unmarshal(options, &given)
	switch {
	case given.Region != "":
		return given.Region
	case len(given.Regions) > 0:
		return given.Regions[0]
	}
	return "us-east-1"
}

// InRegion opens the database of one of the option "regions": tables have replicas in each other, and the one that Open gave is
// that of the first region. It is closed like every other one; the regions stay open until the last of their databases is closed.
func (d *Database) InRegion(region string) (*Database, error) {
	other := &Database{region: region, isInMemory: d.isInMemory, canWait: d.canWait}
	err := d.whileOpen(func(opened handle) (err error) {
		other.opened, err = opened.inRegion(region)
		return err
	})
	if err != nil {
		return nil, err
	}
	return other, nil
}

// Close waits for what is under way, also for calls whose callers have gone, and closes. A second one does nothing.
func (d *Database) Close() error {
	d.gate.Lock()
	defer d.gate.Unlock()
	if d.opened != nil {
		d.opened.close()
		d.opened = nil
	}
	return nil
}

// whileOpen runs work on the open database.
func (d *Database) whileOpen(work func(handle) error) error {
	d.gate.RLock()
	defer d.gate.RUnlock()
	if d.opened == nil {
		return ErrClosed
	}
	return work(d.opened)
}

// Checkpoint makes a consistent copy of a database on disk in a folder that is made, or is empty.
func (d *Database) Checkpoint(folder string) error {
	return d.whileOpen(func(opened handle) error { return opened.checkpoint(folder) })
}

// Snapshot keeps the present state of the whole database under a name.
func (d *Database) Snapshot(name string) error {
	return d.whileOpen(func(opened handle) error { return opened.snapshot(name) })
}

// Restore goes back to a state that Snapshot kept.
func (d *Database) Restore(name string) error {
	return d.whileOpen(func(opened handle) error { return opened.restore(name) })
}

// RemoveSnapshot forgets a state.
func (d *Database) RemoveSnapshot(name string) error {
	return d.whileOpen(func(opened handle) error { return opened.removeSnapshot(name) })
}

// Fork opens a database of its own that begins as a snapshot is, or with an empty name as this one is now. It lives in memory
// with an empty path, as this one then has to.
func (d *Database) Fork(snapshot, path string) (*Database, error) {
	fork := &Database{region: d.region, isInMemory: path == "", canWait: d.canWait}
	err := d.whileOpen(func(opened handle) (err error) {
		fork.opened, err = opened.fork(snapshot, path)
		return err
	})
	if err != nil {
		return nil, err
	}
	return fork, nil
}
