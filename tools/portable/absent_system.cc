// What the program's commands ask of a system, where there is none: the host says how wide its
// terminals are, and ends an instance when it likes; memory is as it is.
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>

namespace {

using Handler = void (*)(int);

// By descriptor; 0: it is no terminal.
int columns[3] = {};

bool IsTerminal(int descriptor) {
  return descriptor >= 0 && descriptor < 3 && columns[descriptor] > 0;
}

}  // namespace

extern "C" {

// How wide the terminals behind standard output and standard error are; 0: there is none. With one
// of standard error the command shows its progress there.
void dynolith_lab_terminal(int output_columns, int error_columns) {
  columns[STDOUT_FILENO] = output_columns;
  columns[STDERR_FILENO] = error_columns;
}

int isatty(int descriptor) {
  if (IsTerminal(descriptor)) return 1;
  errno = ENOTTY;
  return 0;
}

int dynolith_window_size(int descriptor, winsize* size) {
  if (!IsTerminal(descriptor)) return -1;
  size->ws_col = static_cast<unsigned short>(columns[descriptor]);
  return 0;
}

int madvise(void* /*at*/, size_t /*bytes*/, int /*advice*/) { return 0; }

Handler signal(int /*number*/, Handler /*handler*/) { return SIG_DFL; }
}
