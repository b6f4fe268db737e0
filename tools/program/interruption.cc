#include "tools/program/interruption.h"

#include <csignal>

namespace dynolith {
namespace {

volatile std::sig_atomic_t has_come = 0;

extern "C" void OnInterrupt(int) {
  has_come = 1;
  std::signal(SIGINT, SIG_DFL);
}

}  // namespace

Interruption::Interruption() { std::signal(SIGINT, OnInterrupt); }
Interruption::~Interruption() { std::signal(SIGINT, SIG_DFL); }

bool Interruption::HasCome() { return has_come != 0; }

}  // namespace dynolith
