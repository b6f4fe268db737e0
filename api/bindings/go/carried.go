//go:build go1.20 && !(linux && cgo)

package dynolith

import "embed"

// A program that cannot load the native library has the module in itself, if the package has it.

//go:embed carried
var carriedFiles embed.FS

func init() { carriedModule, _ = carriedFiles.ReadFile("carried/" + moduleName) }
