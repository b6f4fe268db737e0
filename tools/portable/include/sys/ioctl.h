// The size of a terminal's window, which WASI's C library does not have: the host's, where the
// module has been told it (tools/portable/absent_system.cc).
#ifndef DYNOLITH_TOOLS_PORTABLE_INCLUDE_SYS_IOCTL_H_
#define DYNOLITH_TOOLS_PORTABLE_INCLUDE_SYS_IOCTL_H_

struct winsize {
  unsigned short ws_row, ws_col;
};
enum { TIOCGWINSZ };

extern "C" int dynolith_window_size(int descriptor, winsize* size);
inline int ioctl(int descriptor, int /*request*/, winsize* size) {
  return dynolith_window_size(descriptor, size);
}

#endif  // DYNOLITH_TOOLS_PORTABLE_INCLUDE_SYS_IOCTL_H_
