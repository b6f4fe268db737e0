package dynolith

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"
)

// library has the C face: the native library, or an instance of the WebAssembly module.
type library interface {
	version() string
	open(options string) (handle, error)
	// hasEnded is true of a module that has trapped: nothing in it is to be used any more.
	hasEnded() bool
	// canWait is whether others go on while a call waits in it.
	canWait() bool
}

// handle is an open database of a library, until its close.
type handle interface {
	call(target string, body []byte, accessKey, host string) (answer, error)
	admin(method, path string, body []byte) (answer, error)
	checkpoint(folder string) error
	snapshot(name string) error
	restore(name string) error
	removeSnapshot(name string) error
	fork(snapshot, path string) (handle, error)
	inRegion(region string) (handle, error)
	close()
}

// answer is a response of a library's, copied.
type answer struct {
	status      int
	crc32       uint32
	body        []byte
	contentType string // empty where the answer has none
	requestID   string
	delay       time.Duration
	isDropped   bool
}

// Files, and the variables by which a user names another one.
const (
	nativeName, nativeVariable = "libdynolith.so.0", "DYNOLITH_LIBRARY"
	moduleName, moduleVariable = "dynolith.wasm", "DYNOLITH_WASM"
)

var loading struct {
	sync.Mutex
	loaded library
}

// load is the library of this process, found at the first call; where a module has ended, another instance.
func load() (library, error) {
	loading.Lock()
	defer loading.Unlock()
	if loading.loaded == nil || loading.loaded.hasEnded() {
		found, err := find()
		if err != nil {
			return nil, err
		}
		loading.loaded = found
	}
	return loading.loaded, nil
}

// find prefers the native library. Who names one of them wants that.
func find() (library, error) {
	if os.Getenv(moduleVariable) != "" {
		return loadModule("")
	}
	native, err := loadNative()
	if err == nil {
		return native, nil
	}
	if os.Getenv(nativeVariable) != "" || !hasModule() {
		return nil, &Error{Kind: "NotFound", Message: fmt.Sprintf("%v: set %s to where %s is, or %s to where %s is",
			err, nativeVariable, nativeName, moduleVariable, moduleName)}
	}
	return loadModule(err.Error())
}

// Version is the library's, such as "0.1.0".
func Version() (string, error) {
	loaded, err := load()
	if err != nil {
		return "", err
	}
	return loaded.version(), nil
}

// existingFiles is where a file is beside the program, beside this package, and in a folder of the tree that this is in.
func existingFiles(name, folderInTree string) []string {
	var folders, paths []string
	if program, err := os.Executable(); err == nil {
		folders = append(folders, filepath.Dir(program))
	}
	if _, source, _, known := runtime.Caller(0); known {
		folder := filepath.Dir(source)
		folders = append(folders, folder, filepath.Join(folder, "carried"), filepath.Join(folder, "../../..", folderInTree))
	}
	for _, folder := range folders {
		path := filepath.Join(folder, name)
		if _, err := os.Stat(path); err == nil {
			paths = append(paths, path)
		}
	}
	return paths
}
