#include "tools/files/toml/toml_reader.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "absl/time/time.h"
#include "engine/base/strings.h"
#include "engine/text/nearest_word.h"
#include "tools/files/toml/messages.h"

namespace dynolith {
namespace {

// A number and the letters behind it; nullopt if it does not begin with one.
struct Quantity {
  double number = 0;
  std::string_view unit;
};
std::optional<Quantity> ParseQuantity(std::string_view text) {
  Quantity quantity;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), quantity.number);
  if (error != std::errc() || !std::isfinite(quantity.number)) return std::nullopt;
  quantity.unit = text.substr(static_cast<size_t>(end - text.data()));
  while (quantity.unit.starts_with(' ')) quantity.unit.remove_prefix(1);
  return quantity;
}

constexpr double kMicrosMax = 1e15;  // thirty years
constexpr double kBytesMax = 1e15;

template <typename Integer>
std::optional<Integer> Rounded(double value, double most) {
  if (!(value >= 0) || value > most) return std::nullopt;
  return static_cast<Integer>(std::llround(value));
}

}  // namespace

void TomlErrors::Add(const toml::source_region& where, std::string_view text) {
  Error error{where.begin.line, where.begin.column, std::string(text)};
  if (std::find(errors_.begin(), errors_.end(), error) == errors_.end()) {
    errors_.push_back(std::move(error));
  }
}

absl::Status TomlErrors::status() const {
  if (errors_.empty()) return absl::OkStatus();
  std::vector<Error> sorted = errors_;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Error& left, const Error& right) {
    return std::pair(left.line, left.column) < std::pair(right.line, right.column);
  });
  std::string all;
  for (const Error& error : sorted) {
    if (!all.empty()) all += '\n';
    all += messages::LabErrorAt(file_, error.line, error.column, error.text);
  }
  return absl::InvalidArgumentError(all);
}

absl::StatusOr<toml::table> ParseToml(std::string_view file, std::string_view text) {
  toml::parse_result parsed = toml::parse(text, file);
  if (parsed) return std::move(parsed).table();
  const toml::parse_error& error = parsed.error();
  return absl::InvalidArgumentError(
      messages::LabErrorAt(file, error.source().begin.line, error.source().begin.column,
                           messages::LabNotToml(error.description())));
}

// --- members

std::string TomlTable::MemberPath(std::string_view name) const {
  return path_.empty() ? std::string(name) : Concat(path_, ".", name);
}

const toml::node* TomlTable::Find(std::string_view name) {
  if (std::find(known_.begin(), known_.end(), name) == known_.end()) known_.emplace_back(name);
  return table_.get(name);
}

const toml::node* TomlTable::Need(std::string_view name, std::string_view what) {
  const toml::node* const node = Find(name);
  if (node == nullptr) Error(messages::LabMemberMissing(MemberPath(name), what));
  return node;
}

std::optional<TomlTable> TomlTable::Table(std::string_view name) {
  const toml::node* const node = Find(name);
  if (node == nullptr) return std::nullopt;
  if (const toml::table* const table = node->as_table()) {
    return TomlTable(*table, MemberPath(name), errors_);
  }
  Error(*node, messages::LabWrongKind(MemberPath(name), "a table"));
  return std::nullopt;
}

std::vector<TomlTable> TomlTable::Tables(std::string_view name) {
  std::vector<TomlTable> tables;
  const toml::node* const node = Find(name);
  if (node == nullptr) return tables;
  const toml::array* const array = node->as_array();
  if (array == nullptr) {
    Error(*node, messages::LabWrongKind(MemberPath(name),
                                        Concat("tables, each [[", MemberPath(name), "]]")));
    return tables;
  }
  for (const toml::node& element : *array) {
    const toml::table* const table = element.as_table();
    if (table == nullptr) {
      Error(element, messages::LabWrongKind(MemberPath(name), "a table"));
      continue;
    }
    const std::string own = table->get_as<std::string>("name")
                                ? Concat(name, ".", table->get_as<std::string>("name")->get())
                                : std::string(name);
    tables.push_back(TomlTable(*table, own, errors_));
  }
  return tables;
}

void TomlTable::Text(std::string_view name, std::string* target) {
  const toml::node* const node = Find(name);
  if (node == nullptr) return;
  if (const auto* const text = node->as_string()) {
    *target = text->get();
    return;
  }
  Error(*node, messages::LabWrongKind(MemberPath(name), "a text in quotes"));
}

void TomlTable::Flag(std::string_view name, bool* target) {
  const toml::node* const node = Find(name);
  if (node == nullptr) return;
  if (const auto* const flag = node->as_boolean()) {
    *target = flag->get();
    return;
  }
  Error(*node, messages::LabWrongKind(MemberPath(name), "true or false"));
}

std::optional<int64_t> TomlTable::CountAt(const toml::node& node, std::string_view name,
                                          int64_t least, int64_t most) {
  const auto* const count = node.as_integer();
  if (count != nullptr && count->get() >= least && count->get() <= most) return count->get();
  Error(node, messages::LabNotACount(MemberPath(name), least, most));
  return std::nullopt;
}

void TomlTable::Count(std::string_view name, int64_t* target, int64_t least, int64_t most) {
  const toml::node* const node = Find(name);
  if (node == nullptr) return;
  if (const std::optional<int64_t> count = CountAt(*node, name, least, most)) *target = *count;
}

void TomlTable::Count(std::string_view name, std::optional<int64_t>* target, int64_t least,
                      int64_t most) {
  const toml::node* const node = Find(name);
  if (node == nullptr) return;
  *target = CountAt(*node, name, least, most);
}

void TomlTable::Number(std::string_view name, double* target, double least, double most) {
  const toml::node* const node = Find(name);
  if (node == nullptr) return;
  const std::optional<double> number = node->value<double>();
  if (node->is_number() && number && *number >= least && *number <= most) {
    *target = *number;
    return;
  }
  Error(*node, messages::LabNotANumber(MemberPath(name), least, most));
}

void TomlTable::Number(std::string_view name, std::optional<double>* target, double least,
                       double most) {
  if (Find(name) == nullptr) return;
  double number = target->value_or(least);
  Number(name, &number, least, most);
  *target = number;
}

void TomlTable::Texts(std::string_view name, std::vector<std::string>* target) {
  const toml::node* const node = Find(name);
  if (node == nullptr) return;
  const toml::array* const list = node->as_array();
  if (list == nullptr || !list->is_homogeneous(toml::node_type::string)) {
    return Error(*node, messages::LabWrongKind(MemberPath(name), "a list of texts"));
  }
  target->clear();
  for (const toml::node& text : *list) target->push_back(text.as_string()->get());
}

void TomlTable::Time(std::string_view name, Micros* target, Micros least) {
  const toml::node* const node = Find(name);
  if (node == nullptr) return;
  if (const std::optional<Micros> time = ParseTime(*node); time && *time >= least) {
    *target = *time;
    return;
  }
  Error(*node, messages::LabNotATime(MemberPath(name), least > 0));
}

void TomlTable::Bytes(std::string_view name, int64_t* target, int64_t least) {
  const toml::node* const node = Find(name);
  if (node == nullptr) return;
  if (const std::optional<int64_t> bytes = ParseBytes(*node); bytes && *bytes >= least) {
    *target = *bytes;
    return;
  }
  Error(*node, messages::LabNotBytes(MemberPath(name)));
}

std::optional<size_t> TomlTable::ReadWord(std::string_view name,
                                          const std::vector<std::string>& words) {
  const toml::node* const node = Find(name);
  if (node == nullptr) return std::nullopt;
  const auto* const word = node->as_string();
  const auto found =
      word == nullptr ? words.end() : std::find(words.begin(), words.end(), word->get());
  if (found != words.end()) return static_cast<size_t>(found - words.begin());
  const std::string nearest = word == nullptr ? "" : NearestWord(word->get(), words);
  Error(*node, messages::LabNotAmong(MemberPath(name), word == nullptr ? "" : word->get(), words,
                                     nearest));
  return std::nullopt;
}

void TomlTable::RefuseUnknown() {
  for (const auto& [key, value] : table_) {
    if (std::find(known_.begin(), known_.end(), key.str()) != known_.end()) continue;
    errors_->Add(key.source(), messages::LabUnknownMember(MemberPath(key.str()),
                                                          NearestWord(key.str(), known_), known_));
  }
}

// --- quantities

std::optional<Micros> ParseTime(const toml::node& node) {
  if (node.is_number()) {
    const double seconds = node.value<double>().value_or(-1);
    return Rounded<Micros>(seconds * static_cast<double>(kSecond), kMicrosMax);
  }
  const auto* const text = node.as_string();
  if (text == nullptr) return std::nullopt;
  if (const std::optional<Quantity> days = ParseQuantity(text->get()); days && days->unit == "d") {
    return Rounded<Micros>(days->number * 24 * 60 * static_cast<double>(kMinute), kMicrosMax);
  }
  absl::Duration duration;
  if (!absl::ParseDuration(text->get(), &duration)) return std::nullopt;
  return Rounded<Micros>(absl::ToDoubleMicroseconds(duration), kMicrosMax);
}

std::optional<int64_t> ParseBytes(const toml::node& node) {
  if (const auto* const bytes = node.as_integer()) {
    return Rounded<int64_t>(static_cast<double>(bytes->get()), kBytesMax);
  }
  const auto* const text = node.as_string();
  if (text == nullptr) return std::nullopt;
  const std::optional<Quantity> quantity = ParseQuantity(text->get());
  if (!quantity) return std::nullopt;
  static constexpr std::string_view kUnits[] = {"B", "KB", "MB", "GB", "TB"};
  const auto* const unit = std::find(std::begin(kUnits), std::end(kUnits), quantity->unit);
  if (unit == std::end(kUnits)) return std::nullopt;
  return Rounded<int64_t>(std::ldexp(quantity->number, static_cast<int>(10 * (unit - kUnits))),
                          kBytesMax);
}

}  // namespace dynolith
