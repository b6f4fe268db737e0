//go:build go1.20 && !unix

package dynolith

import "io/fs"

// isOwn: the folders of caches are their users' own there.
func isOwn(fs.FileInfo) bool { return true }
