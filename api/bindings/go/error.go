package dynolith

import "fmt"

// Error is what a Database says of everything but calls, whose errors are the SDK's.
type Error struct {
	// Kind is the exception's name where it is the service's, else a canonical code: "InvalidArgument", "NotFound",
	// "AlreadyExists", "FailedPrecondition", "Unavailable", "DataLoss" and so on.
	Kind string
	// Message is for people.
	Message string
}

func (e *Error) Error() string { return fmt.Sprintf("dynolith: %s: %s", e.Kind, e.Message) }

// Is tells whether the other is an Error of the same kind, whose message is empty or the same.
func (e *Error) Is(other error) bool {
	wanted, ok := other.(*Error)
	return ok && wanted.Kind == e.Kind && (wanted.Message == "" || wanted.Message == e.Message)
}

// RetryableError keeps the SDK from trying again what cannot succeed: a call of a closed database.
func (e *Error) RetryableError() bool { return false }

// ErrClosed is what everything answers after Close.
var ErrClosed = &Error{Kind: "FailedPrecondition", Message: "the database is closed"}
