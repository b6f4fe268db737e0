//go:build !go1.20

package dynolith

import "runtime"

func hasModule() bool { return false }

func loadModule(string) (library, error) {
	return nil, &Error{Kind: "FailedPrecondition", Message: moduleName + " needs Go 1.20, and this is " + runtime.Version()}
}
