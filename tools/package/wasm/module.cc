// What the module exports beside the C face.
#include "engine/process/due_work.h"

// Does what is due in the background: hosts call it from time to time, as the module has no thread
// that would. Every call does it, too.
extern "C" void dynolith_do_due_work() {
  // Bounded, as a work may have more to do again and again.
  constexpr int kPiecesMax = 100;
  for (int i = 0; i < kPiecesMax && dynolith::DoDueWork(); ++i) {
  }
}
