//go:build cgo && !windows

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
	"errors"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"
	"unsafe"
)

// nativeLibrary is libdynolith.so.0, of which a process has one.
type nativeLibrary struct{}

var nativeLoading struct {
	once sync.Once
	err  error
}

// loadNative finds the native library once for the process. The error is why there is none.
func loadNative() (library, error) {
	nativeLoading.once.Do(func() {
		// The dynamic linker's message belongs to the thread that asked.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		var reasons []string
		for _, path := range nativePaths() {
			name := append([]byte(path), 0)
			reason := C.load((*C.char)(unsafe.Pointer(&name[0])))
			if reason == nil {
				return
			}
			reasons = append(reasons, C.GoString(reason))
		}
		nativeLoading.err = errors.New(strings.Join(reasons, "; "))
	})
	return nativeLibrary{}, nativeLoading.err
}

// nativePaths is where the library may be, the best place first. A place that the user names is the only one.
func nativePaths() []string {
	if named := os.Getenv(nativeVariable); named != "" {
		return []string{named}
	}
	return append(existingFiles(nativeName, "build/api/c"), nativeName) // the system's
}

func (nativeLibrary) version() string { return C.GoString(C.version()) }
func (nativeLibrary) hasEnded() bool  { return false }
func (nativeLibrary) canWait() bool   { return true }

func (nativeLibrary) open(options string) (handle, error) {
	return made(func(place **C.dynolith_database) *C.dynolith_error { return C.open_database(options, place) })
}

// made is a new database, of a function that fills a place for it.
func made(fill func(**C.dynolith_database) *C.dynolith_error) (handle, error) {
	var opened *C.dynolith_database
	if err := taken(fill(&opened)); err != nil {
		return nil, err
	}
	return nativeHandle{opened}, nil
}

// taken is the error as a value of ours; the library's is freed.
func taken(failure *C.dynolith_error) error {
	if failure == nil {
		return nil
	}
	defer C.error_free(failure)
	return &Error{Kind: C.GoString(C.error_kind(failure)), Message: C.GoString(C.error_message(failure))}
}

type nativeHandle struct{ database *C.dynolith_database }

func (h nativeHandle) inRegion(region string) (handle, error) {
	return made(func(place **C.dynolith_database) *C.dynolith_error {
		return C.region_database(h.database, region, place)
	})
}

func (h nativeHandle) fork(snapshot, path string) (handle, error) {
	return made(func(place **C.dynolith_database) *C.dynolith_error {
		return C.fork_database(h.database, snapshot, path, place)
	})
}

func (h nativeHandle) close()                         { C.close_database(h.database) }
func (h nativeHandle) checkpoint(folder string) error { return taken(C.checkpoint(h.database, folder)) }
func (h nativeHandle) snapshot(name string) error     { return taken(C.snapshot(h.database, name)) }
func (h nativeHandle) restore(name string) error      { return taken(C.restore(h.database, name)) }
func (h nativeHandle) removeSnapshot(name string) error {
	return taken(C.remove_snapshot(h.database, name))
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

func (h nativeHandle) call(target string, body []byte, accessKey, host string) (answer, error) {
	memory := responseMemories.Get().(*responseMemory)
	defer responseMemories.Put(memory)
	C.call(h.database, target, bytesOf(body), C.size_t(len(body)), accessKey, host, &memory.response)
	return copied(&memory.response), nil
}

func (h nativeHandle) admin(method, path string, body []byte) (answer, error) {
	memory := responseMemories.Get().(*responseMemory)
	defer responseMemories.Put(memory)
	C.admin(h.database, method+"\x00", path, bytesOf(body), C.size_t(len(body)), &memory.response)
	return copied(&memory.response), nil
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
