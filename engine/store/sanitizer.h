// Keeps ThreadSanitizer from watching RocksDB, which Debian builds without it.
#ifndef DYNOLITH_ENGINE_STORE_SANITIZER_H_
#define DYNOLITH_ENGINE_STORE_SANITIZER_H_

#ifdef __SANITIZE_THREAD__
extern "C" {
void AnnotateIgnoreReadsBegin(const char* file, int line);
void AnnotateIgnoreReadsEnd(const char* file, int line);
void AnnotateIgnoreWritesBegin(const char* file, int line);
void AnnotateIgnoreWritesEnd(const char* file, int line);
}
#endif

namespace dynolith {

#ifdef __SANITIZE_THREAD__
inline constexpr bool kWatchesThreads = true;
#else
inline constexpr bool kWatchesThreads = false;
#endif

// While it lives, the thread's reads and writes are ignored. In a group commit RocksDB's leader
// copies the other writers' batches inside std::string code that the linker takes from our
// (instrumented) objects, while the hand-over uses atomics that the sanitizer cannot see.
class UnwatchedScope {
 public:
#ifdef __SANITIZE_THREAD__
  UnwatchedScope() {
    AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
    AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
  }
  ~UnwatchedScope() {
    AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
    AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
  }
#else
  UnwatchedScope() {}
#endif
  UnwatchedScope(const UnwatchedScope&) = delete;
  UnwatchedScope& operator=(const UnwatchedScope&) = delete;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_SANITIZER_H_
