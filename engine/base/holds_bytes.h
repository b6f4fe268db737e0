// Whether a text holds another one.
#ifndef DYNOLITH_ENGINE_BASE_HOLDS_BYTES_H_
#define DYNOLITH_ENGINE_BASE_HOLDS_BYTES_H_

#include <string_view>

namespace dynolith {

// Takes time linear in both lengths. string_view::find can take their product, as it begins anew at
// each position.
bool HoldsBytes(std::string_view text, std::string_view part);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_BASE_HOLDS_BYTES_H_
