#include "engine/base/clock.h"

#include "absl/time/clock.h"

namespace dynolith {
namespace {

class MachineClock final : public Clock {
 public:
  absl::Time Now() const override { return absl::Now(); }
};

}  // namespace

const Clock& SystemClock() {
  static const MachineClock* const clock = new MachineClock;
  return *clock;
}

}  // namespace dynolith
