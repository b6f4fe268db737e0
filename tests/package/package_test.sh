#!/bin/bash
# Installs the build into a prefix of its own, moves that prefix (nothing in it may remember where it was), and builds and
# runs the programs in outside/ (C++) and c_face/ (C) against it: with CMake's find_package and with pkg-config.
#
#   package_test.sh <build folder> <work folder> <compiler> <build type>
set -euo pipefail
build="$1" work="$2" compiler="$3" build_type="$4"
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
outside="$here/outside"

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

# The library leaves the process to the program that it is linked into. (pthread_sigmask concerns one thread: with it Boost.Asio starts
# the one that resolves names, so that the program's signals never end there.)
library="$(find "$work/prefix" -name libdynolith.a)"
c_library="$(find "$work/prefix" -name libdynolith.so)"
touchy='signal|sigaction|setlocale|std::locale::global|setrlimit|setenv|putenv|chdir|umask|atexit|printf|puts'
meddling="$({ nm -uC "$library"; nm -uDC "$c_library"; } | grep -wE "U ($touchy|std::cout|std::cerr)(@.*)?" || true)"
[[ -z "$meddling" ]] || { echo "the library calls what concerns the whole process:"; echo "$meddling"; exit 1; }

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

# The C face: what it exports, and a program in C that uses all of it, also under the sanitizers and with a search for leaks.
python3 "$here/c_abi_test.py" "$here/../.." "$c_library" "$work/abi"
face="$here/c_face"
cmake -S "$face" -B "$work/cmake_c" -G Ninja -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_BUILD_TYPE="$build_type" >"$work/configure_c.log"
cmake --build "$work/cmake_c" >"$work/build_c.log" || { cat "$work/build_c.log"; exit 1; }
mkdir "$work/folder"
[[ "$("$work/cmake_c/face" "$work/folder")" == ok ]]
strict=(gcc -std=c11 -Wall -Wextra -Werror -pedantic "$face/face.c")
export LD_LIBRARY_PATH="${c_library%/*}"
for sanitizer in "" "-fsanitize=address,undefined -fno-sanitize-recover=all -g"; do
  # shellcheck disable=SC2046,SC2086
  "${strict[@]}" $sanitizer -o "$work/face" $(pkg-config --cflags --libs dynolith-c)
  rm -rf "$work/folder"
  mkdir "$work/folder"
  [[ "$(ASAN_OPTIONS=detect_leaks=1 "$work/face" "$work/folder")" == ok ]]
done

# A library with static thread-local storage cannot be loaded by a process that runs already.
readelf -d "$c_library" | grep -q STATIC_TLS && { echo "libdynolith.so has static thread-local storage"; exit 1; }

# Run-times load it while they run: no other library may have to be there before.
python3 -c '
import ctypes, sys
library = ctypes.CDLL(sys.argv[1])
library.dynolith_version.restype = ctypes.c_char_p
assert library.dynolith_version()
' "$c_library"

# The first piece of C in its README is a whole program.
awk '/^    #include <dynolith/ {inside = 1} inside && /^    cc / {exit} inside {print substr($0, 5)}' "$here/../../api/c/README.md" \
  >"$work/readme.c"
# shellcheck disable=SC2046
gcc -std=c11 -Wall -Wextra -Werror -pedantic "$work/readme.c" -o "$work/readme_c" $(pkg-config --cflags --libs dynolith-c)

echo "built and ran with CMake and with pkg-config"
