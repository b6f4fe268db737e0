# glibc 2.28 and newer, on arm64 (README.md).
set(DYNOLITH_LINUX manylinux-arm64)
include(${CMAKE_CURRENT_LIST_DIR}/toolchain.cmake)
