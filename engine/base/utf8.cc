#include "engine/base/utf8.h"

namespace dynolith {

void AppendUtf8(uint32_t code, std::string* out) {
  const auto add = [out](uint32_t byte) { *out += static_cast<char>(byte); };
  const auto tail = [&](int shift) { add(0x80 | ((code >> shift) & 0x3f)); };
  if (code < 0x80) {
    add(code);
  } else if (code < 0x800) {
    add(0xc0 | (code >> 6));
    tail(0);
  } else if (code < 0x10000) {
    add(0xe0 | (code >> 12));
    tail(6);
    tail(0);
  } else {
    add(0xf0 | (code >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

}  // namespace dynolith
