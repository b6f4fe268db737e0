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

# behind_endpoint PROGRAM: runs it with the address of a server of the installed program.
behind_endpoint() {
  [[ -e "$work/prefix/bin/dynolith" ]] || return 0
  rm -f "$work/served.log"
  "$work/prefix/bin/dynolith" serve --memory --port 0 >"$work/served.log" 2>&1 &
  local server=$!
  local url=""
  while [[ -z "$url" ]]; do
    kill -0 "$server" || { cat "$work/served.log"; return 1; }
    sleep 0.05
    url="$(grep -soE 'http://[0-9.]+:[0-9]+' "$work/served.log" | head -1 || true)"
  done
  local result=0
  "$1" "$url" || result=1
  kill "$server"
  wait "$server" || true
  return "$result"
}
behind_endpoint "$work/cmake/outside_endpoint"
# Without the library for it, Open says what is missing.
refused="$("$work/cmake/outside" http://127.0.0.1:9 2>&1 || true)"
[[ "$refused" == *"not linked with the library dynolith::endpoint"* ]]

# The library leaves the process to the program that it is linked into. (pthread_sigmask concerns one thread: with it Boost.Asio starts
# the one that resolves names, so that the program's signals never end there.)
library="$(find "$work/prefix" -name libdynolith.a)"
endpoint_library="$(find "$work/prefix" -name libdynolith_endpoint.a)"
c_library="$(find "$work/prefix" -name libdynolith.so)"
touchy='signal|sigaction|setlocale|std::locale::global|setrlimit|setenv|putenv|chdir|umask|atexit|printf|puts'
meddling="$({ nm -uC "$library" "$endpoint_library"; nm -uDC "$c_library"; } | grep -wE "U ($touchy|std::cout|std::cerr)(@.*)?" || true)"
[[ -z "$meddling" ]] || { echo "the library calls what concerns the whole process:"; echo "$meddling"; exit 1; }

pc="$(dirname "$(find "$work/prefix" -name dynolith.pc)")"
export PKG_CONFIG_PATH="$pc"
# Word splitting is meant: these are flags.
# shellcheck disable=SC2046
"$compiler" "$outside/outside.cc" -o "$work/outside" $(pkg-config --cflags --libs dynolith)
"$work/outside"
# shellcheck disable=SC2046
"$compiler" "$outside/outside.cc" -o "$work/outside_endpoint" $(pkg-config --cflags --libs dynolith-endpoint)
behind_endpoint "$work/outside_endpoint"

# The README's first piece of C++ is a program, every later one the body of a function, behind what it includes.
readme="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)/README.md"
awk '/^```cpp$/ {inside = 1; is_open = !pieces++; next}
     /^```$/ {if (inside && pieces > 1) print "}"; inside = 0}
     inside && !is_open && !/^#include/ {print "void Piece" pieces "() {"; is_open = 1}
     inside' "$readme" >"$work/readme.cc"
# shellcheck disable=SC2046
"$compiler" "$work/readme.cc" -o "$work/readme" $(pkg-config --cflags --libs dynolith)
[[ "$("$work/readme")" == Hi ]]

# The C++ of the manual's page about structs is a program. What its types do not allow does not compile, and the compiler says why.
awk '/^```cpp$/ {inside = 1; next} /^```$/ {inside = 0} inside' "$here/../../tools/manual/structs.md" >"$work/structs.cc"
# shellcheck disable=SC2046
"$compiler" "$work/structs.cc" -o "$work/structs" $(pkg-config --cflags --libs dynolith)
[[ "$("$work/structs" 2>&1)" == $'Hi\n1' ]]
# shellcheck disable=SC2046
python3 "$here/refused.py" "$outside/refused.cc" "$compiler" $(pkg-config --cflags dynolith)

# The C++ of the manual's page about endpoints is a program.
awk '/^```cpp$/ {inside = 1; next} /^```$/ {inside = 0} inside' "$here/../../tools/manual/leaving.md" >"$work/leaving.cc"
# shellcheck disable=SC2046
"$compiler" "$work/leaving.cc" -o "$work/leaving" $(pkg-config --cflags --libs dynolith-endpoint)
leave() {
  [[ "$(ENDPOINT="$1" "$work/leaving")" == 70 && "$(ENDPOINT="" "$work/leaving")" == 70 ]]
}
behind_endpoint leave

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
