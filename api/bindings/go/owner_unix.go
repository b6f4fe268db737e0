//go:build go1.20 && unix

package dynolith

import (
	"io/fs"
	"os"
	"syscall"
)

// isOwn: it belongs to the user of this process, and nobody else may write it.
func isOwn(state fs.FileInfo) bool {
	owner, isKnown := state.Sys().(*syscall.Stat_t)
	return isKnown && int(owner.Uid) == os.Geteuid() && state.Mode().Perm()&0o022 == 0
}
