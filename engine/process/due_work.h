// Background work where a process has no threads but the caller's, and the end where that is not
// enough.
#ifndef DYNOLITH_ENGINE_PROCESS_DUE_WORK_H_
#define DYNOLITH_ENGINE_PROCESS_DUE_WORK_H_

namespace dynolith {

// Does one piece of background work (background_work.h) if one is due. Returns whether there was
// one. Only in builds without threads (engine/process/alone); others do it on threads.
bool DoDueWork();

// Ends the module because of `reason`, a text that is never destroyed: nothing can be thrown there.
[[noreturn]] void EndModule(const char* reason);
// The same for a wait that nothing can end.
[[noreturn]] void EndWait();
// Why EndModule was called, for a host, which finds the module trapped; empty before.
const char* EndReason();

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_PROCESS_DUE_WORK_H_
