# musl 1.2 and newer (README.md).
set(DYNOLITH_LINUX musllinux)
include(${CMAKE_CURRENT_LIST_DIR}/toolchain.cmake)
