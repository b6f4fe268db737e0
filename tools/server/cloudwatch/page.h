// Cuts a listing into pages.
#ifndef DYNOLITH_TOOLS_SERVER_CLOUDWATCH_PAGE_H_
#define DYNOLITH_TOOLS_SERVER_CLOUDWATCH_PAGE_H_

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <system_error>

namespace dynolith::cloudwatch {

inline constexpr size_t kTokenBytesMax = 1024;

// A token is the number of entries on earlier pages: the listing is made again for each page.
class Page {
 public:
  Page(const std::optional<std::string>& token, size_t entries_max) : entries_max_(entries_max) {
    if (!token) return;
    const char* const end = token->data() + token->size();
    const auto parsed = std::from_chars(token->data(), end, before_);
    is_valid_ = parsed.ec == std::errc() && parsed.ptr == end && !token->empty();
  }
  bool is_valid() const { return is_valid_; }

  enum class Place : uint8_t { kBefore, kWithin, kAfter };
  // The place of the listing's next entry.
  Place Next() {
    const size_t number = seen_++;
    if (number < before_) return Place::kBefore;
    return number - before_ < entries_max_ ? Place::kWithin : Place::kAfter;
  }
  // After the listing's last entry; nullopt: there are no more pages.
  std::optional<std::string> NextToken() const {
    if (seen_ <= before_ || seen_ - before_ <= entries_max_) return std::nullopt;
    return std::to_string(before_ + entries_max_);
  }

 private:
  const size_t entries_max_;
  size_t before_ = 0;
  size_t seen_ = 0;
  bool is_valid_ = true;
};

}  // namespace dynolith::cloudwatch

#endif  // DYNOLITH_TOOLS_SERVER_CLOUDWATCH_PAGE_H_
