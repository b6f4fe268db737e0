// A limit of this process, as long as it lives: how a disk that takes a part of a write, or an
// operating system that opens no file, comes about without one.
#ifndef DYNOLITH_TESTS_UNIT_STORE_PROCESS_LIMIT_H_
#define DYNOLITH_TESTS_UNIT_STORE_PROCESS_LIMIT_H_

#include <sys/resource.h>

#include <csignal>

namespace dynolith::testing {

// RLIMIT_FSIZE: a write takes what fits, the next one answers EFBIG. RLIMIT_NOFILE: EMFILE.
class ProcessLimit {
 public:
  ProcessLimit(__rlimit_resource resource, rlim_t limit)
      : resource_(resource), signal_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(resource_, &before_);
    const rlimit now = {limit, before_.rlim_max};
    setrlimit(resource_, &now);
  }
  ProcessLimit(const ProcessLimit&) = delete;
  ProcessLimit& operator=(const ProcessLimit&) = delete;
  ~ProcessLimit() {
    setrlimit(resource_, &before_);
    std::signal(SIGXFSZ, signal_);
  }

 private:
  const __rlimit_resource resource_;
  void (*const signal_)(int);
  rlimit before_ = {};
};

}  // namespace dynolith::testing

#endif  // DYNOLITH_TESTS_UNIT_STORE_PROCESS_LIMIT_H_
