package dynolith

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// ChangesFrom says where the changes of a table begin: with none of the members set, now.
type ChangesFrom struct {
	After  string // behind the change with this place
	Oldest bool   // with the oldest that is kept, a day
}

// Change is a change of an item, as the table's stream has it.
type Change struct {
	Place  string          // for ChangesFrom.After
	Record json.RawMessage // as GetRecords has it, in the service's JSON
	Err    error           // the reason for the end; then there is no change
}

const (
	changesWait  = "0.5"                 // seconds that a call waits in the library
	changesPause = 20 * time.Millisecond // between two looks where a call would hold up all others while it waits
)

type changesPage struct {
	From    string
	Place   string
	Changes []Change
	Ended   bool
}

func (d *Database) changesPage(table string, parameters url.Values) (changesPage, error) {
	var page changesPage
	parameters.Set("table", table)
	err := d.adminInto(http.MethodGet, "changes?"+parameters.Encode(), nil, &page)
	return page, err
}

// Changes sends the changes of a table with a stream, in order, and closes the channel when the context is done or the stream has
// ended; before an end with an error it sends that. What is written after the call is seen. Close the database only after that.
func (d *Database) Changes(ctx context.Context, table string, from ChangesFrom) (<-chan Change, error) {
	first, err := d.changesPage(table, url.Values{
		"after": {from.After}, "oldest": {strconv.FormatBool(from.Oldest)}, "most": {"1"},
	})
	if err != nil {
		return nil, err
	}
	wait, pause := changesWait, time.Duration(0)
	if !d.canWait {
		wait, pause = "0", changesPause
	}
	changes := make(chan Change)
	send := func(change Change) bool {
		select {
		case changes <- change:
			return true
		case <-ctx.Done():
			return false
		}
	}
	go func() {
		defer close(changes)
		for place := first.From; ctx.Err() == nil; {
			page, err := d.changesPage(table, url.Values{"after": {place}, "wait": {wait}})
			if err != nil {
				send(Change{Err: err})
				return
			}
			for _, change := range page.Changes {
				if !send(change) {
					return
				}
			}
			if page.Ended {
				return
			}
			place = page.Place
			if len(page.Changes) == 0 && sleep(ctx, pause) != nil {
				return
			}
		}
	}()
	return changes, nil
}
