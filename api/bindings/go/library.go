package dynolith

/*
#cgo CFLAGS: -I${SRCDIR}/../../include -I${SRCDIR}/include
#cgo linux LDFLAGS: -ldl
#include <dlfcn.h>
#include <dynolith/dynolith.h>

// The library's functions. They are found while the program runs, so that compiling and linking need no library, and its place
// may be told by an environment variable.
static struct {
  __typeof__(&dynolith_version) version;
  __typeof__(&dynolith_error_kind) error_kind;
  __typeof__(&dynolith_error_message) error_message;
  __typeof__(&dynolith_error_free) error_free;
  __typeof__(&dynolith_open) open;
  __typeof__(&dynolith_region) region;
  __typeof__(&dynolith_close) close;
  __typeof__(&dynolith_checkpoint) checkpoint;
  __typeof__(&dynolith_call_as) call_as;
  __typeof__(&dynolith_admin) admin;
  __typeof__(&dynolith_response_free) response_free;
  __typeof__(&dynolith_snapshot) snapshot;
  __typeof__(&dynolith_restore) restore;
  __typeof__(&dynolith_remove_snapshot) remove_snapshot;
  __typeof__(&dynolith_fork) fork;
} library;

static const struct {
  const char* name;
  void* place;
} symbols[] = {
    {"dynolith_version", &library.version},
    {"dynolith_error_kind", &library.error_kind},
    {"dynolith_error_message", &library.error_message},
    {"dynolith_error_free", &library.error_free},
    {"dynolith_open", &library.open},
    {"dynolith_region", &library.region},
    {"dynolith_close", &library.close},
    {"dynolith_checkpoint", &library.checkpoint},
    {"dynolith_call_as", &library.call_as},
    {"dynolith_admin", &library.admin},
    {"dynolith_response_free", &library.response_free},
    {"dynolith_snapshot", &library.snapshot},
    {"dynolith_restore", &library.restore},
    {"dynolith_remove_snapshot", &library.remove_snapshot},
    {"dynolith_fork", &library.fork},
};

// NULL, or what is wrong; that belongs to the dynamic linker until its next function is called.
static const char* load(const char* path) {
  void* const handle = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  if (handle == NULL) return dlerror();
  for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); ++i) {
    void* const symbol = dlsym(handle, symbols[i].name);
    if (symbol == NULL) return dlerror();
    *(void**)symbols[i].place = symbol;
  }
  return NULL;
}

static const char* version(void) { return library.version(); }
static const char* error_kind(const dynolith_error* error) { return library.error_kind(error); }
static const char* error_message(const dynolith_error* error) { return library.error_message(error); }
static void error_free(dynolith_error* error) { library.error_free(error); }
static void close_database(dynolith_database* database) { library.close(database); }
static void response_free(dynolith_response* response) { library.response_free(response); }

static dynolith_error* open_database(_GoString_ options, dynolith_database** database) {
  return library.open(_GoStringPtr(options), _GoStringLen(options), database);
}

static dynolith_error* region_database(dynolith_database* database, _GoString_ region, dynolith_database** opened) {
  return library.region(database, _GoStringPtr(region), _GoStringLen(region), opened);
}

static dynolith_error* checkpoint(dynolith_database* database, _GoString_ folder) {
  return library.checkpoint(database, _GoStringPtr(folder), _GoStringLen(folder));
}

static dynolith_error* snapshot(dynolith_database* database, _GoString_ name) {
  return library.snapshot(database, _GoStringPtr(name), _GoStringLen(name));
}

static dynolith_error* restore(dynolith_database* database, _GoString_ name) {
  return library.restore(database, _GoStringPtr(name), _GoStringLen(name));
}

static dynolith_error* remove_snapshot(dynolith_database* database, _GoString_ name) {
  return library.remove_snapshot(database, _GoStringPtr(name), _GoStringLen(name));
}

static dynolith_error* fork_database(dynolith_database* database, _GoString_ name, _GoString_ path, dynolith_database** fork) {
  return library.fork(database, _GoStringPtr(name), _GoStringLen(name), _GoStringPtr(path), _GoStringLen(path), fork);
}

static void call(dynolith_database* database, _GoString_ target, const void* body, size_t body_size, _GoString_ access_key,
                 _GoString_ host, dynolith_response* response) {
  library.call_as(database, _GoStringPtr(target), _GoStringLen(target), body, body_size, _GoStringPtr(access_key),
                  _GoStringLen(access_key), _GoStringPtr(host), _GoStringLen(host), response);
}

// `method` ends with a zero.
static void admin(dynolith_database* database, _GoString_ method, _GoString_ path, const void* body, size_t body_size,
                  dynolith_response* response) {
  library.admin(database, _GoStringPtr(method), _GoStringPtr(path), _GoStringLen(path), body, body_size, response);
}
*/
import "C"

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"
	"unsafe"
)

const libraryName = "libdynolith.so.0"

var loading struct {
	once sync.Once
	err  error
}

// load finds the library once for the process.
func load() error {
	loading.once.Do(func() {
		// The dynamic linker's message belongs to the thread that asked.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		var reasons []string
		for _, path := range libraryPaths() {
			name := append([]byte(path), 0)
			reason := C.load((*C.char)(unsafe.Pointer(&name[0])))
			if reason == nil {
				return
			}
			reasons = append(reasons, C.GoString(reason))
		}
		loading.err = &Error{Kind: "NotFound", Message: strings.Join(reasons, "; ") +
			": set DYNOLITH_LIBRARY to where " + libraryName + " is"}
	})
	return loading.err
}

// libraryPaths is where the library may be, the best place first. A place that the user names is the only one.
func libraryPaths() []string {
	if named := os.Getenv("DYNOLITH_LIBRARY"); named != "" {
		return []string{named}
	}
	var folders, paths []string
	if program, err := os.Executable(); err == nil {
		folders = append(folders, filepath.Dir(program))
	}
	// Beside this package, and where its tree is built.
	if _, source, _, known := runtime.Caller(0); known {
		folder := filepath.Dir(source)
		folders = append(folders, folder, filepath.Join(folder, "../../../build/api/c"))
	}
	for _, folder := range folders {
		path := filepath.Join(folder, libraryName)
		if _, err := os.Stat(path); err == nil {
			paths = append(paths, path)
		}
	}
	return append(paths, libraryName) // the system's
}

// Version is the library's, such as "0.1.0".
func Version() (string, error) {
	if err := load(); err != nil {
		return "", err
	}
	return C.GoString(C.version()), nil
}

type handle = *C.dynolith_database

// taken is the error as a value of ours; the library's is freed.
func taken(failure *C.dynolith_error) error {
	if failure == nil {
		return nil
	}
	defer C.error_free(failure)
	return &Error{Kind: C.GoString(C.error_kind(failure)), Message: C.GoString(C.error_message(failure))}
}

func openHandle(options string) (opened handle, err error) {
	err = taken(C.open_database(options, &opened))
	return opened, err
}

func regionHandle(of handle, region string) (opened handle, err error) {
	err = taken(C.region_database(of, region, &opened))
	return opened, err
}

func forkHandle(from handle, snapshot, path string) (forked handle, err error) {
	err = taken(C.fork_database(from, snapshot, path, &forked))
	return forked, err
}

func closeHandle(opened handle)                       { C.close_database(opened) }
func checkpoint(opened handle, folder string) error   { return taken(C.checkpoint(opened, folder)) }
func snapshot(opened handle, name string) error       { return taken(C.snapshot(opened, name)) }
func restore(opened handle, name string) error        { return taken(C.restore(opened, name)) }
func removeSnapshot(opened handle, name string) error { return taken(C.remove_snapshot(opened, name)) }

// answer is a response of the library's, copied.
type answer struct {
	status      int
	crc32       uint32
	body        []byte
	contentType string
	requestID   string
	delay       time.Duration
	isDropped   bool
}

// responseMemory is memory of the library's for one response after the other.
type responseMemory struct {
	response C.dynolith_response
}

var responseMemories = sync.Pool{New: func() any {
	memory := &responseMemory{}
	runtime.SetFinalizer(memory, func(memory *responseMemory) { C.response_free(&memory.response) })
	return memory
}}

// bytesOf is nil where there is nothing to point at.
func bytesOf(body []byte) unsafe.Pointer {
	if len(body) == 0 {
		return nil
	}
	return unsafe.Pointer(&body[0])
}

func callHandle(opened handle, target string, body []byte, accessKey, host string) answer {
	memory := responseMemories.Get().(*responseMemory)
	defer responseMemories.Put(memory)
	C.call(opened, target, bytesOf(body), C.size_t(len(body)), accessKey, host, &memory.response)
	return copied(&memory.response)
}

func adminHandle(opened handle, method, path string, body []byte) answer {
	memory := responseMemories.Get().(*responseMemory)
	defer responseMemories.Put(memory)
	C.admin(opened, method+"\x00", path, bytesOf(body), C.size_t(len(body)), &memory.response)
	return copied(&memory.response)
}

func copied(response *C.dynolith_response) answer {
	return answer{
		status:      int(response.status),
		crc32:       uint32(response.crc32),
		body:        C.GoBytes(unsafe.Pointer(response.body), C.int(response.body_size)),
		contentType: contentType(response.content_type),
		requestID:   C.GoString(&response.request_id[0]),
		delay:       time.Duration(response.delay_nanoseconds),
		isDropped:   response.is_dropped != 0,
	}
}

// contentType is empty where the answer has none.
func contentType(text *C.char) string {
	if text == nil {
		return ""
	}
	return C.GoString(text)
}
