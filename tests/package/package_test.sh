#!/bin/bash
# Installs the build into a prefix of its own, moves that prefix (nothing in it may remember where it was), and builds and
# runs the program in outside/ against it twice: with CMake's find_package and with pkg-config.
#
#   package_test.sh <build folder> <work folder> <compiler> <build type>
set -euo pipefail
build="$1" work="$2" compiler="$3" build_type="$4"
outside="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/outside"

rm -rf "$work"
mkdir -p "$work"
cmake --install "$build" --prefix "$work/first" >"$work/install.log"
mv "$work/first" "$work/prefix"

# The program is a part of what is installed.
if [[ -e "$build/tools/dynolith" ]]; then
  [[ "$("$work/prefix/bin/dynolith" --version)" == "$("$build/tools/dynolith" --version)" ]]
fi

cmake -S "$outside" -B "$work/cmake" -G Ninja -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_CXX_COMPILER="$compiler" \
  -DCMAKE_BUILD_TYPE="$build_type" >"$work/configure.log"
cmake --build "$work/cmake" >"$work/build.log" || { cat "$work/build.log"; exit 1; }
"$work/cmake/outside"

# The library leaves the process to the program that it is linked into.
library="$(find "$work/prefix" -name libdynolith.a)"
touchy='signal|sigaction|pthread_sigmask|setlocale|std::locale::global|setrlimit|setenv|putenv|chdir|umask|atexit|printf|puts'
meddling="$(nm -uC "$library" | grep -wE "U ($touchy|std::cout|std::cerr)" || true)"
[[ -z "$meddling" ]] || { echo "libdynolith.a calls what concerns the whole process:"; echo "$meddling"; exit 1; }

pc="$(dirname "$(find "$work/prefix" -name dynolith.pc)")"
export PKG_CONFIG_PATH="$pc"
# Word splitting is meant: these are flags.
# shellcheck disable=SC2046
"$compiler" "$outside/outside.cc" -o "$work/outside" $(pkg-config --cflags --libs dynolith)
"$work/outside"

# The README's first piece of C++ is a program, every later one the body of a function, behind what it includes.
readme="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)/README.md"
awk '/^```cpp$/ {inside = 1; is_open = !pieces++; next}
     /^```$/ {if (inside && pieces > 1) print "}"; inside = 0}
     inside && !is_open && !/^#include/ {print "void Piece" pieces "() {"; is_open = 1}
     inside' "$readme" >"$work/readme.cc"
# shellcheck disable=SC2046
"$compiler" "$work/readme.cc" -o "$work/readme" $(pkg-config --cflags --libs dynolith)
[[ "$("$work/readme")" == Hi ]]

echo "built and ran with CMake and with pkg-config"
