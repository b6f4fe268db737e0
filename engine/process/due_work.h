// Background work where a process has no threads but the caller's.
#ifndef DYNOLITH_ENGINE_PROCESS_DUE_WORK_H_
#define DYNOLITH_ENGINE_PROCESS_DUE_WORK_H_

namespace dynolith {

// Does one piece of background work (background_work.h) if one is due. Returns whether there was
// one. Only in builds without threads (engine/process/alone); others do it on threads.
bool DoDueWork();

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_PROCESS_DUE_WORK_H_
