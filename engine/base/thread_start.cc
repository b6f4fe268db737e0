#include "engine/base/thread_start.h"

#include <system_error>
#include <utility>

#include "engine/base/messages/program.h"

namespace dynolith {

absl::Status StartThread(std::function<void()> run, std::thread* thread) {
  try {
    *thread = std::thread(std::move(run));
  } catch (const std::system_error& error) {
    return absl::ResourceExhaustedError(messages::ThreadNotStarted(error.code().message()));
  }
  return absl::OkStatus();
}

}  // namespace dynolith
