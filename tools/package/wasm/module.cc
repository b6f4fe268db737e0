// What the module exports beside the C face.
#include <new>

#include "engine/process/due_work.h"
#include "engine/process/messages.h"

namespace {

// When the module begins.
[[maybe_unused]] const auto former_handler =
    std::set_new_handler([] { dynolith::EndModule(dynolith::messages::MemoryExhausted()); });

}  // namespace

// Does what is due in the background: hosts call it from time to time, as the module has no thread
// that would. Every call does it, too.
extern "C" void dynolith_do_due_work() {
  // Bounded, as a work may have more to do again and again.
  constexpr int kPiecesMax = 100;
  for (int i = 0; i < kPiecesMax && dynolith::DoDueWork(); ++i) {
  }
}

// Why the module has ended itself, in words for people: a host asks when a call has trapped. Empty:
// it did not do so itself. Static.
extern "C" const char* dynolith_end_reason() { return dynolith::EndReason(); }
