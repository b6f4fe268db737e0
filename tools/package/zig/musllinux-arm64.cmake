# musl 1.2 and newer, on arm64 (README.md).
set(DYNOLITH_LINUX musllinux-arm64)
include(${CMAKE_CURRENT_LIST_DIR}/toolchain.cmake)
