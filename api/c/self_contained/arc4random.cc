// The archive of g++'s library was built for C libraries of 2022 and later, which have this
// function; libdynolith.so must also load with older ones.
#include <sys/random.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>

// Returns a random number of the kernel; it never fails once the machine has started.
extern "C" uint32_t arc4random() noexcept {
  uint32_t number = 0;
  while (getrandom(&number, sizeof(number), 0) != static_cast<ssize_t>(sizeof(number))) {
    if (errno != EINTR) std::abort();
  }
  return number;
}
