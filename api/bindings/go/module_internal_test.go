//go:build go1.20

// The end of a WebAssembly module, which library is taken, and the code that is kept.
package dynolith

import (
	"bytes"
	"context"
	"errors"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/tetratelabs/wazero"
)

func moduleText(t *testing.T) []byte {
	t.Helper()
	file := os.Getenv(moduleVariable)
	if file == "" {
		t.Skip("DYNOLITH_WASM says where the module is")
	}
	text, err := os.ReadFile(file)
	succeed(t, err)
	return text
}

func succeed(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func expectError(t *testing.T, err error, kind, part string) {
	t.Helper()
	var found *Error
	if !errors.As(err, &found) || found.Kind != kind || !strings.Contains(found.Message, part) {
		t.Fatalf("expected %s: …%s…, got %v", kind, part, err)
	}
}

const table = `{"TableName":"music","AttributeDefinitions":[{"AttributeName":"artist","AttributeType":"S"}],
	"KeySchema":[{"AttributeName":"artist","KeyType":"HASH"}],"BillingMode":"PAY_PER_REQUEST"}`

func ask(t *testing.T, db *Database, operation, body string) error {
	t.Helper()
	request, err := http.NewRequest("POST", "http://localhost/", strings.NewReader(body))
	succeed(t, err)
	request.Header.Set("X-Amz-Target", "DynamoDB_20120810."+operation)
	_, err = db.Transport().RoundTrip(request)
	return err
}

func TestAModuleThatHasEndedSaysSoAndAnotherBegins(t *testing.T) {
	moduleText(t)
	db, err := Open(nil)
	succeed(t, err)
	other, err := Open(nil)
	succeed(t, err)
	ended := db.opened.(moduleHandle).module
	const words = "the WebAssembly module has ended, with all of its databases: wasm error: out of bounds memory access"
	expectError(t, moduleHandle{ended, 0xFFFFFFF0}.snapshot("s"), "Internal", words)
	expectError(t, ask(t, db, "ListTables", "{}"), "Internal", words)
	expectError(t, other.Snapshot("s"), "Internal", words)
	_, err = db.Fork("", "")
	expectError(t, err, "Internal", words)
	succeed(t, db.Close())
	succeed(t, other.Close())
	again, err := Open(nil)
	succeed(t, err)
	defer again.Close()
	succeed(t, ask(t, again, "ListTables", "{}"))
	if again.opened.(moduleHandle).module == ended {
		t.Fatal("that one has ended")
	}
}

func TestAModuleWithoutMemorySaysSo(t *testing.T) {
	for _, size := range []int{300_000, 30_000} {
		small, err := newModule(moduleText(t), "", 64<<20/65536)
		succeed(t, err)
		opened, err := small.open("{}")
		succeed(t, err)
		db := &Database{opened: opened}
		succeed(t, ask(t, db, "CreateTable", table))
		for i := 0; i < 10_000 && err == nil; i++ {
			err = ask(t, db, "PutItem", `{"TableName":"music","Item":{"artist":{"S":"`+time.Duration(i).String()+`"},"t":{"S":"`+
				strings.Repeat("x", size)+`"}}}`)
		}
		var found *Error
		if !errors.As(err, &found) || !strings.Contains(found.Message, "its memory, of 4 GB at most, is exhausted") &&
			found.Kind != "ResourceExhausted" {
			t.Fatal(err)
		}
		succeed(t, db.Close())
	}
}

func TestTheLastDatabaseEndsTheWorkInTheBackground(t *testing.T) {
	m, err := newModule(moduleText(t), "", memoryPagesMax)
	succeed(t, err)
	isTicking := func() bool {
		m.mutex.Lock()
		defer m.mutex.Unlock()
		return m.ticking != nil
	}
	one, err := m.open("{}")
	succeed(t, err)
	two, err := one.fork("", "")
	succeed(t, err)
	one.close()
	before := isTicking()
	two.close()
	if !before || isTicking() {
		t.Fatal("it goes on while there is a database")
	}
}

// Run by TestProgramsWithoutCgo, and of use wherever there is no native library.
func TestTheModuleIsTakenByItself(t *testing.T) {
	if os.Getenv("DYNOLITH_BY_ITSELF") == "" {
		t.Skip("TestProgramsWithoutCgo runs this")
	}
	_, err := Open(Options{"path": "music"})
	expectError(t, err, "FailedPrecondition", "leave it out, or use the native library (there is none: "+
		"libdynolith.so.0 is for programs with cgo on Linux")
	db, err := Open(nil)
	succeed(t, err)
	succeed(t, ask(t, db, "CreateTable", table))
	succeed(t, db.Close())
	t.Setenv(moduleVariable, "/none.wasm")
	_, err = loadModule("")
	expectError(t, err, "NotFound", "/none.wasm")
	t.Setenv(moduleVariable, "")
	t.Setenv(nativeVariable, "/none.so")
	_, err = find()
	expectError(t, err, "NotFound", "set DYNOLITH_LIBRARY to where libdynolith.so.0 is, or DYNOLITH_WASM to where dynolith.wasm is")
}

// --- code that is kept

// add is a module of one function.
var add = []byte("\x00asm\x01\x00\x00\x00\x01\x07\x01\x60\x02\x7f\x7f\x01\x7f\x03\x02\x01\x00\x07\x07\x01\x03add\x00\x00" +
	"\x0a\x09\x01\x07\x00\x20\x00\x20\x01\x6a\x0b")

// useCache gives this test a cache of its own, whose folder it returns with what loads `add` as a new process would, and gives
// the warning.
func useCache(t *testing.T) (string, func() string) {
	if runtime.GOOS != "linux" || !strings.Contains("amd64 arm64", runtime.GOARCH) {
		t.Skip("wazero compiles elsewhere or not at all")
	}
	above := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", above)
	var warning bytes.Buffer
	former := codes.cache
	log.SetOutput(&warning)
	t.Cleanup(func() {
		log.SetOutput(os.Stderr)
		codes.cache = former
	})
	return filepath.Join(above, "dynolith"), func() string {
		ctx := context.Background()
		codes.cache = nil
		warning.Reset()
		engine, code, err := compiled(ctx, add, 1)
		succeed(t, err)
		defer engine.Close(ctx)
		instance, err := engine.InstantiateModule(ctx, code, wazero.NewModuleConfig())
		succeed(t, err)
		sum, err := instance.ExportedFunction("add").Call(ctx, 1, 2)
		if err != nil || sum[0] != 3 {
			t.Fatal(sum, err)
		}
		return warning.String()
	}
}

// codesIn are the files with code.
func codesIn(t *testing.T, folder string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "go-*", "wazero-*", "*"))
	succeed(t, err)
	return files
}

func TestCodeIsCompiledOnce(t *testing.T) {
	folder, load := useCache(t)
	for i := 0; i < 2; i++ {
		if warning := load(); warning != "" {
			t.Fatal(warning)
		}
		if files := codesIn(t, folder); len(files) != 1 {
			t.Fatal(files)
		}
	}
	state, err := os.Stat(folder)
	succeed(t, err)
	if state.Mode().Perm() != 0o700 {
		t.Fatal(state.Mode())
	}
}

func TestCodeThatIsDamagedIsCompiledAgain(t *testing.T) {
	folder, load := useCache(t)
	load()
	succeed(t, os.WriteFile(codesIn(t, folder)[0], []byte("no code"), 0o600))
	if warning := load(); !strings.Contains(warning, "so this process compiles it") {
		t.Fatal(warning)
	}
	if warning := load(); warning != "" || len(codesIn(t, folder)) != 1 {
		t.Fatal(warning)
	}
}

func TestCodeThatOthersMayHaveWrittenIsNotUsed(t *testing.T) {
	for name, spoil := range map[string]func(folder, code string) error{
		"others may write the folder": func(folder, _ string) error { return os.Chmod(folder, 0o770) },
		"others may write the code":   func(_, code string) error { return os.Chmod(code, 0o602) },
		"the code is elsewhere": func(_, code string) error {
			return errors.Join(os.Rename(code, code+".moved"), os.Symlink(code+".moved", code))
		},
		"somebody else's": func(folder, _ string) error {
			if os.Geteuid() != 0 {
				return os.Chmod(folder, 0o707)
			}
			return os.Chown(folder, 12345, 12345)
		},
		"no folder": func(folder, _ string) error {
			return errors.Join(os.RemoveAll(folder), os.WriteFile(folder, nil, 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			folder, load := useCache(t)
			load()
			succeed(t, spoil(folder, codesIn(t, folder)[0]))
			for i := 0; i < 2; i++ {
				if warning := load(); !strings.Contains(warning, "so this process compiles it") {
					t.Fatal("without a warning")
				}
			}
		})
	}
}

func TestCodeThatNobodyUsesGoes(t *testing.T) {
	folder, load := useCache(t)
	for name, days := range map[string]int{"go-old": 31, "go-new": 1, "libdynolith-old.so": 31} {
		path := filepath.Join(folder, name)
		succeed(t, os.MkdirAll(path, 0o700))
		then := time.Now().Add(time.Duration(-days) * 24 * time.Hour)
		succeed(t, os.Chtimes(path, then, then))
	}
	load()
	for name, isKept := range map[string]bool{"go-old": false, "go-new": true, "libdynolith-old.so": true} {
		if _, err := os.Stat(filepath.Join(folder, name)); (err == nil) != isKept {
			t.Fatal(name, err)
		}
	}
}

// Code of one version of wazero would crash in another.
func TestTheVersionOfWazeroIsKnown(t *testing.T) {
	if !strings.Contains(wazeroVersion(), "github.com/tetratelabs/wazero@v") {
		t.Fatal(wazeroVersion())
	}
}
