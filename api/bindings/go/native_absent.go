//go:build !cgo || windows

package dynolith

import (
	"fmt"
	"runtime"
)

func loadNative() (library, error) {
	return nil, fmt.Errorf("%s is for programs with cgo on Linux, and this is one without for %s/%s",
		nativeName, runtime.GOOS, runtime.GOARCH)
}
