//go:build go1.20

package dynolith

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/tetratelabs/wazero"
)

// The module as this machine's code: compiled once, and kept in a folder that only its user can write. Whoever can write there
// decides what runs in this process. So the folder and what is in it must belong to the user, and nobody else may write them; else
// the module is compiled in each process.

const (
	codePrefix = "go-"
	// Code that no process has used for so long is removed when another program's is used.
	codeKept = 30 * 24 * time.Hour
)

// A process keeps the code for its instances.
var codes struct {
	sync.Mutex
	cache wazero.CompilationCache
}

// compiled is a run-time with the module's code; the first time takes seconds.
func compiled(ctx context.Context, text []byte, pagesMax uint32) (wazero.Runtime, wazero.CompiledModule, error) {
	codes.Lock()
	defer codes.Unlock()
	if codes.cache == nil {
		folder, err := codeFolder(text)
		if err == nil {
			engine, code, failure := compiledIn(ctx, text, pagesMax, folder)
			if failure == nil {
				return engine, code, nil
			}
			// Damaged, or of a disk that is full: the next process finds none.
			err = failure
			_ = os.RemoveAll(folder)
		}
		log.Printf("dynolith: the code of %s is not kept, so this process compiles it: %v", moduleName, err)
		codes.cache = wazero.NewCompilationCache()
	}
	return compiledWith(ctx, text, pagesMax, codes.cache)
}

// compiledIn takes the code from a folder, or keeps it there.
func compiledIn(ctx context.Context, text []byte, pagesMax uint32, folder string) (wazero.Runtime, wazero.CompiledModule, error) {
	cache, err := wazero.NewCompilationCacheWithDir(folder)
	if err != nil {
		return nil, nil, err
	}
	engine, code, err := compiledWith(ctx, text, pagesMax, cache)
	if err != nil {
		_ = cache.Close(ctx)
		return nil, nil, err
	}
	codes.cache = cache
	return engine, code, nil
}

func compiledWith(ctx context.Context, text []byte, pagesMax uint32, cache wazero.CompilationCache) (
	wazero.Runtime, wazero.CompiledModule, error) {
	config := wazero.NewRuntimeConfig().WithCompilationCache(cache).WithMemoryLimitPages(pagesMax).WithDebugInfoEnabled(false)
	engine := wazero.NewRuntimeWithConfig(ctx, config)
	code, err := engine.CompileModule(ctx, text)
	if err != nil {
		_ = engine.Close(ctx)
		return nil, nil, err
	}
	return engine, code, nil
}

// codeFolder is where the code of this module is, or will be, in the user's caches. wazero itself tells processors apart.
func codeFolder(text []byte) (string, error) {
	base, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	if !filepath.IsAbs(base) {
		return "", fmt.Errorf("%s is not an absolute path", base)
	}
	all := filepath.Join(base, "dynolith")
	version := wazeroVersion()
	if version == "" {
		return "", errors.New("the version of wazero is not known")
	}
	hash := sha256.Sum256(append([]byte(version), text...))
	folder := filepath.Join(all, fmt.Sprintf("%s%x", codePrefix, hash[:16]))
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", err
	}
	if err := checkOwn(all); err != nil {
		return "", err
	}
	err = filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return checkOwn(path)
	})
	if err != nil {
		return "", err
	}
	now := time.Now()
	if err := os.Chtimes(folder, now, now); err != nil {
		return "", err
	}
	removeOld(all)
	return folder, nil
}

// wazeroVersion is that of the module that this was compiled with, in the path of its sources or else in what the program says of
// itself; empty: not known. wazero's own answer is the same for all versions in a test program, whose code another would run.
func wazeroVersion() string {
	start := reflect.ValueOf(wazero.NewRuntimeWithConfig).Pointer()
	if file, _ := runtime.FuncForPC(start).FileLine(start); strings.Contains(file, "/wazero@v") {
		return file
	}
	if info, isKnown := debug.ReadBuildInfo(); isKnown {
		for _, each := range info.Deps {
			if each.Path == "github.com/tetratelabs/wazero" && each.Replace == nil {
				return each.Version
			}
		}
	}
	return ""
}

// removeOld is as good as it can be: what remains takes room, and nothing else.
func removeOld(all string) {
	entries, _ := os.ReadDir(all)
	for _, entry := range entries {
		state, err := entry.Info()
		if err == nil && strings.HasPrefix(entry.Name(), codePrefix) && time.Since(state.ModTime()) > codeKept {
			_ = os.RemoveAll(filepath.Join(all, entry.Name()))
		}
	}
}

// checkOwn is an error where somebody else may have written.
func checkOwn(path string) error {
	state, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if !state.IsDir() && !state.Mode().IsRegular() {
		return fmt.Errorf("%s is neither a folder nor a file", path)
	}
	if !isOwn(state) {
		return fmt.Errorf("%s belongs to another user, or others may write it", path)
	}
	return nil
}
