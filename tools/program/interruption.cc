#include "tools/program/interruption.h"

#include <atomic>
#include <csignal>

namespace dynolith {
namespace {

// Written by a signal handler, read by any thread.
std::atomic<bool> has_come = false;
static_assert(std::atomic<bool>::is_always_lock_free);

extern "C" void OnInterrupt(int) {
  has_come = true;
  std::signal(SIGINT, SIG_DFL);
}

}  // namespace

Interruption::Interruption() { std::signal(SIGINT, OnInterrupt); }
Interruption::~Interruption() { std::signal(SIGINT, SIG_DFL); }

bool Interruption::HasCome() { return has_come; }

}  // namespace dynolith
