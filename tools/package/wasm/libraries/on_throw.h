// Who is told what is thrown, where no exception is caught.
#ifndef DYNOLITH_TOOLS_PACKAGE_WASM_LIBRARIES_ON_THROW_H_
#define DYNOLITH_TOOLS_PACKAGE_WASM_LIBRARIES_ON_THROW_H_

namespace dynolith {

// Called with what is thrown, a std::exception, before the module ends; it may end it itself, with
// an exit code. nullptr: nobody is told.
extern void (*on_throw)(void* thrown);

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_PACKAGE_WASM_LIBRARIES_ON_THROW_H_
