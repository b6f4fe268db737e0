// The screen of `dynolith top`: two samples of a server as lines of text.
#ifndef DYNOLITH_TOOLS_PROGRAM_TOP_TOP_FRAME_H_
#define DYNOLITH_TOOLS_PROGRAM_TOP_TOP_FRAME_H_

#include <string>
#include <string_view>
#include <vector>

#include "tools/program/top/top_sample.h"

namespace dynolith {

// Columns are characters; lines are cut there. Every section shows the busiest `rows` at most.
struct TopSize {
  size_t columns = 100;
  size_t rows = 8;
};

// The activity between the samples, per second.
std::vector<std::string> TopFrame(std::string_view url, const TopSample& before,
                                  const TopSample& after, const TopSize& size);

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_PROGRAM_TOP_TOP_FRAME_H_
