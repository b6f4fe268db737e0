//go:build go1.20

package dynolith

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/binary"
	"math"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

// The C face in the WebAssembly module (tools/package/wasm), by wazero: where there is no native library. It has one thread, so
// one call runs at a time, whichever goroutine makes it. A trap ends the module, as what it was doing is half done.

const (
	// dynolith_response of dynolith.h where pointers have 4 bytes.
	responseBytes                                              = 96
	statusAt, crc32At, bodyAt, bodySizeAt                      = 0, 4, 8, 12
	contentTypeAt, delayAt, isDroppedAt, requestIDAt, memoryAt = 20, 24, 32, 36, 92
	placeBytes                                                 = 4
	// Bytes that are kept for texts of calls; longer ones get memory of their own.
	keptBytes = 64 << 10
	// The most arguments of a function: call_as has ten.
	argumentsMax = 10
	// How often work that no call triggers is looked for: sweeps of expired items.
	tick = 250 * time.Millisecond
	// Pages of a module's memory, 4 GB.
	memoryPagesMax = 1 << 16
)

// carriedModule is what the program has in itself (carried.go), nil: nothing.
var carriedModule []byte

func modulePaths() []string {
	if named := os.Getenv(moduleVariable); named != "" {
		return []string{named}
	}
	return existingFiles(moduleName, "build-wasm")
}

func hasModule() bool { return carriedModule != nil || len(modulePaths()) > 0 }

// loadModule begins an instance. `reason`: why there is no native library, for errors of what only that can do; empty: not asked.
func loadModule(reason string) (library, error) {
	text := carriedModule
	if text == nil || os.Getenv(moduleVariable) != "" {
		var err error
		if text, err = os.ReadFile(modulePaths()[0]); err != nil {
			return nil, &Error{Kind: "NotFound", Message: err.Error()}
		}
	}
	return newModule(text, reason, memoryPagesMax)
}

type moduleFunction struct {
	api.Function
	returns bool
}

// module is an instance of the module, with the databases in it.
type module struct {
	reason string
	isOver atomic.Bool

	mutex     sync.Mutex // guards all below, and what is in the module
	runtime   wazero.Runtime
	memory    api.Memory
	functions map[string]moduleFunction
	arguments [argumentsMax]uint64
	// Its memory for answers, for what a function makes, and for texts.
	response, place, kept uint32
	databases             int
	ticking               *time.Timer // while there are any
	end                   error       // after which nothing in it is to be trusted
}

func newModule(text []byte, reason string, pagesMax uint32) (*module, error) {
	ctx := context.Background()
	runtime, code, err := compiled(ctx, text, pagesMax)
	if err != nil {
		return nil, &Error{Kind: "InvalidArgument", Message: moduleName + ": " + firstLine(err)}
	}
	m := &module{reason: reason, runtime: runtime, functions: map[string]moduleFunction{}}
	if err := m.begin(ctx, code); err != nil {
		_ = runtime.Close(ctx)
		return nil, err
	}
	return m, nil
}

func (m *module) begin(ctx context.Context, code wazero.CompiledModule) error {
	if _, err := wasi_snapshot_preview1.Instantiate(ctx, m.runtime); err != nil {
		return &Error{Kind: "Internal", Message: firstLine(err)}
	}
	config := wazero.NewModuleConfig().WithSysWalltime().WithSysNanotime().WithRandSource(rand.Reader).WithStderr(os.Stderr).
		WithStartFunctions("_initialize")
	instance, err := m.runtime.InstantiateModule(ctx, code, config)
	if err != nil {
		return &Error{Kind: "Internal", Message: firstLine(err)}
	}
	m.memory = instance.Memory()
	for name, definition := range code.ExportedFunctions() {
		m.functions[strings.TrimPrefix(name, "dynolith_")] =
			moduleFunction{instance.ExportedFunction(name), len(definition.ResultTypes()) > 0}
	}
	if m.response, err = m.allot(responseBytes + placeBytes + keptBytes); err != nil {
		return err
	}
	m.place, m.kept = m.response+responseBytes, m.response+responseBytes+placeBytes
	m.memory.Write(m.response, make([]byte, responseBytes))
	return nil
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

func (m *module) hasEnded() bool { return m.isOver.Load() }
func (m *module) canWait() bool  { return false }

func (m *module) version() string {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	place, err := m.do("version")
	if err != nil {
		return ""
	}
	return m.textAt(place)
}

func (m *module) open(options string) (handle, error) { return m.made("open", text(options)) }

// --- one call, of who has the mutex

// argument is what a function of the face gets, as Go has it.
type argument struct {
	text    string
	number  uint32
	isText  bool // a place and a size
	hasSize bool
}

func text(text string) argument { return argument{text: text, isText: true, hasSize: true} }

// word is a text whose size a function sees by the zero after it.
func word(text string) argument     { return argument{text: text, isText: true} }
func number(number uint32) argument { return argument{number: number} }

// run calls a function of the face. The error is also what that returns.
func (m *module) run(function string, given ...argument) error {
	// While no call uses a database, for whose end some of it waits.
	if _, err := m.do("do_due_work"); err != nil {
		return err
	}
	bytes := 0
	for _, each := range given {
		bytes += len(each.text) + 1
	}
	at := m.kept
	if bytes > keptBytes {
		allotted, err := m.allot(bytes)
		if err != nil {
			return err
		}
		defer m.do("free", uint64(allotted))
		at = allotted
	}
	var arguments [argumentsMax]uint64
	count := 0
	add := func(number uint32) {
		arguments[count] = uint64(number)
		count++
	}
	for _, each := range given {
		if !each.isText {
			add(each.number)
			continue
		}
		m.memory.WriteString(at, each.text)
		m.memory.WriteByte(at+uint32(len(each.text)), 0)
		add(at)
		if each.hasSize {
			add(uint32(len(each.text)))
		}
		at += uint32(len(each.text)) + 1
	}
	failure, err := m.do(function, arguments[:count]...)
	if err == nil && failure != 0 {
		err = m.taken(failure)
	}
	return err
}

// taken is an error of the module's as a value of ours; that is freed.
func (m *module) taken(failure uint32) error {
	kind, err := m.do("error_kind", uint64(failure))
	if err != nil {
		return err
	}
	message, err := m.do("error_message", uint64(failure))
	if err != nil {
		return err
	}
	found := &Error{Kind: m.textAt(kind), Message: m.textAt(message)}
	// What the module cannot do, such as folders, the native library can.
	if found.Kind == "FailedPrecondition" && m.reason != "" {
		found.Message += " (there is none: " + m.reason + ")"
	}
	if _, err := m.do("error_free", uint64(failure)); err != nil {
		return err
	}
	return found
}

// do calls a function with numbers; its result is 0 if it has none.
func (m *module) do(function string, arguments ...uint64) (uint32, error) {
	if m.end != nil {
		return 0, m.end
	}
	called := m.functions[function]
	copy(m.arguments[:], arguments)
	if err := called.CallWithStack(context.Background(), m.arguments[:]); err != nil {
		m.endBy(err)
		return 0, m.end
	}
	if !called.returns {
		return 0, nil
	}
	return uint32(m.arguments[0]), nil
}

// endBy keeps why: the module's own words, if it has ended itself.
func (m *module) endBy(trap error) {
	reason := firstLine(trap)
	if err := m.functions["end_reason"].CallWithStack(context.Background(), m.arguments[:]); err == nil {
		if own := m.textAt(uint32(m.arguments[0])); own != "" {
			reason = own
		}
	}
	m.end = &Error{Kind: "Internal", Message: "the WebAssembly module has ended, with all of its databases: " + reason}
	m.isOver.Store(true)
	m.stopTicking()
	_ = m.runtime.Close(context.Background())
}

func (m *module) allot(bytes int) (place uint32, err error) {
	if bytes <= math.MaxInt32 {
		place, err = m.do("malloc", uint64(bytes))
	}
	if err == nil && place == 0 {
		err = &Error{Kind: "ResourceExhausted", Message: "the module has no memory for this call"}
	}
	return place, err
}

// textAt is empty where there is none.
func (m *module) textAt(place uint32) string {
	if place == 0 || place >= m.memory.Size() {
		return ""
	}
	rest, _ := m.memory.Read(place, m.memory.Size()-place)
	size := bytes.IndexByte(rest, 0)
	if size < 0 {
		return ""
	}
	return string(rest[:size])
}

func (m *module) answer() answer {
	response, _ := m.memory.Read(m.response, responseBytes)
	at := func(member int) uint32 { return binary.LittleEndian.Uint32(response[member:]) }
	var body []byte
	if found, isThere := m.memory.Read(at(bodyAt), at(bodySizeAt)); isThere {
		body = append(make([]byte, 0, len(found)), found...)
	}
	requestID, _, _ := bytes.Cut(response[requestIDAt:memoryAt], []byte{0})
	return answer{
		status:      int(int32(at(statusAt))),
		crc32:       at(crc32At),
		body:        body,
		contentType: m.textAt(at(contentTypeAt)),
		requestID:   string(requestID),
		delay:       time.Duration(binary.LittleEndian.Uint64(response[delayAt:])),
		isDropped:   at(isDroppedAt) != 0,
	}
}

// --- databases

// made is a new database, of a function that fills a place for it.
func (m *module) made(function string, given ...argument) (handle, error) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if err := m.run(function, append(given, number(m.place))...); err != nil {
		return nil, err
	}
	database, _ := m.memory.ReadUint32Le(m.place)
	if m.databases++; m.databases == 1 {
		m.ticking = time.AfterFunc(tick, m.doDueWork)
	}
	return moduleHandle{m, database}, nil
}

// doDueWork is called from time to time while there are databases.
func (m *module) doDueWork() {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if m.ticking == nil {
		return
	}
	if _, err := m.do("do_due_work"); err == nil {
		m.ticking.Reset(tick)
	}
}

func (m *module) stopTicking() {
	if m.ticking != nil {
		m.ticking.Stop()
		m.ticking = nil
	}
}

func (m *module) ask(function string, given ...argument) (answer, error) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if err := m.run(function, append(given, number(m.response))...); err != nil {
		return answer{}, err
	}
	return m.answer(), nil
}

type moduleHandle struct {
	module   *module
	database uint32
}

func (h moduleHandle) call(target string, body []byte, accessKey, host string) (answer, error) {
	return h.module.ask("call_as", number(h.database), text(target), text(string(body)), text(accessKey), text(host))
}

func (h moduleHandle) admin(method, path string, body []byte) (answer, error) {
	return h.module.ask("admin", number(h.database), word(method), text(path), text(string(body)))
}

func (h moduleHandle) fork(snapshot, path string) (handle, error) {
	return h.module.made("fork", number(h.database), text(snapshot), text(path))
}

func (h moduleHandle) inRegion(region string) (handle, error) {
	return h.module.made("region", number(h.database), text(region))
}

func (h moduleHandle) do(function, name string) error {
	h.module.mutex.Lock()
	defer h.module.mutex.Unlock()
	return h.module.run(function, number(h.database), text(name))
}

func (h moduleHandle) checkpoint(folder string) error   { return h.do("checkpoint", folder) }
func (h moduleHandle) snapshot(name string) error       { return h.do("snapshot", name) }
func (h moduleHandle) restore(name string) error        { return h.do("restore", name) }
func (h moduleHandle) removeSnapshot(name string) error { return h.do("remove_snapshot", name) }

// close of a module that has ended does nothing.
func (h moduleHandle) close() {
	m := h.module
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if m.run("close", number(h.database)) != nil {
		return
	}
	if m.databases--; m.databases == 0 {
		m.stopTicking()
	}
}
