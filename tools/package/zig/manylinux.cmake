# glibc 2.28 and newer (README.md).
set(DYNOLITH_LINUX manylinux)
include(${CMAKE_CURRENT_LIST_DIR}/toolchain.cmake)
