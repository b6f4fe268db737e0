// Valid names of regions.
#ifndef DYNOLITH_API_SERVICE_REGION_H_
#define DYNOLITH_API_SERVICE_REGION_H_

#include <string_view>

namespace dynolith {

// Whether it can be a part of every ARN: letters, digits and hyphens.
bool IsRegion(std::string_view text);

}  // namespace dynolith

#endif  // DYNOLITH_API_SERVICE_REGION_H_
