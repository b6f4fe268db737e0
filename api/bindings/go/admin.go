package dynolith

import (
	"encoding/json"
	"math"
	"net/http"
	"time"
)

// Admin does what the server's admin endpoint does with a database: the clock, sweeps, faults, staleness, capacity, hot keys and
// heat. The path is the endpoint's, such as "/_dynolith/faults", or "faults"; the body becomes JSON, nil is none. An answer that
// is no success is an *Error.
func (d *Database) Admin(method, path string, body any) (json.RawMessage, error) {
	var text []byte
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			return nil, &Error{Kind: "InvalidArgument", Message: err.Error()}
		}
	}
	var found answer
	err := d.whileOpen(func(opened handle) (err error) {
		found, err = opened.admin(method, path, text)
		return err
	})
	if err != nil {
		return nil, err
	}
	if found.status != http.StatusOK {
		return nil, adminError(found)
	}
	return found.body, nil
}

// adminKinds are the endpoint's statuses as kinds of errors.
var adminKinds = map[int]string{
	http.StatusBadRequest:       "InvalidArgument",
	http.StatusNotFound:         "NotFound",
	http.StatusMethodNotAllowed: "InvalidArgument",
	http.StatusConflict:         "AlreadyExists",
	http.StatusGone:             "TrimmedDataAccessException",
}

func adminError(found answer) error {
	kind, known := adminKinds[found.status]
	if !known {
		kind = "Internal"
	}
	var members struct{ Error string }
	if json.Unmarshal(found.body, &members) != nil || members.Error == "" {
		members.Error = string(found.body)
	}
	return &Error{Kind: kind, Message: members.Error}
}

func (d *Database) adminInto(method, path string, body, into any) error {
	text, err := d.Admin(method, path, body)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

func (d *Database) clock(method, path string, body any) (time.Time, error) {
	var clock struct{ Now float64 }
	if err := d.adminInto(method, path, body, &clock); err != nil {
		return time.Time{}, err
	}
	return time.UnixMilli(int64(math.Round(clock.Now * 1000))), nil
}

// Now is what the database's clock shows, to the millisecond.
func (d *Database) Now() (time.Time, error) { return d.clock(http.MethodGet, "clock", nil) }

// AdvanceClock moves a manual clock, and returns when all that this has made due is done.
func (d *Database) AdvanceClock(by time.Duration) (time.Time, error) {
	return d.clock(http.MethodPost, "clock/advance", map[string]any{"seconds": by.Seconds()})
}

// SetClock moves a manual clock to a later moment.
func (d *Database) SetClock(to time.Time) (time.Time, error) {
	return d.clock(http.MethodPost, "clock/set", map[string]any{"now": to.UTC().Format(time.RFC3339Nano)})
}

// Sweep deletes items whose time to live has passed, and says how many.
func (d *Database) Sweep() (int, error) {
	var swept struct{ Deleted int }
	err := d.adminInto(http.MethodPost, "ttl/sweep", nil, &swept)
	return swept.Deleted, err
}
