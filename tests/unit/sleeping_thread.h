// A thread of which a test knows that it waits for something: so no test has to guess how long it
// takes to come that far.
#ifndef DYNOLITH_TESTS_UNIT_SLEEPING_THREAD_H_
#define DYNOLITH_TESTS_UNIT_SLEEPING_THREAD_H_

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <utility>

namespace dynolith::testing {

class SleepingThread {
 public:
  template <typename Body>
  explicit SleepingThread(Body body)
      : thread_([this, body = std::move(body)] {
          id_ = gettid();
          body();
          has_ended_ = true;
        }) {}
  ~SleepingThread() { Join(); }

  void Join() {
    if (thread_.joinable()) thread_.join();
  }

  // Returns when the thread sleeps in the kernel, for the third look in a row; false if it has
  // ended instead.
  bool Sleeps() const {
    for (int looks = 0; looks < 3;) {
      if (has_ended_) return false;
      looks = State() == 'S' ? looks + 1 : 0;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return !has_ended_;
  }

 private:
  // As proc(5) has it, behind the name in parentheses; 0 before the thread has begun.
  char State() const {
    std::ifstream file("/proc/self/task/" + std::to_string(id_) + "/stat");
    const std::string text(std::istreambuf_iterator<char>(file), {});
    const size_t name_end = text.rfind(") ");
    return name_end == std::string::npos ? '\0' : text[name_end + 2];
  }

  std::atomic<pid_t> id_ = 0;
  std::atomic<bool> has_ended_ = false;
  std::thread thread_;
};

}  // namespace dynolith::testing

#endif  // DYNOLITH_TESTS_UNIT_SLEEPING_THREAD_H_
