// Prints JSON value by value.
#ifndef DYNOLITH_TOOLS_LAB_TEXT_JSON_TEXT_H_
#define DYNOLITH_TOOLS_LAB_TEXT_JSON_TEXT_H_

#include <concepts>
#include <string>
#include <string_view>
#include <utility>

#include "engine/base/strings.h"
#include "engine/text/json_string.h"
#include "tools/lab/text/figures_text.h"

namespace dynolith::lab {

// Prints values in turn, and the commas between them.
class JsonText {
 public:
  void Begin(char bracket) {
    Separate();
    text_ += bracket;
    is_first_ = true;
  }
  void End(char bracket) {
    text_ += bracket;
    is_first_ = false;
  }
  void Name(std::string_view name) {
    Value(name);
    text_ += ':';
    is_first_ = true;
  }
  void Value(std::string_view value) {
    Separate();
    AppendJsonString(value, &text_);
  }
  void Value(bool value) {
    Separate();
    text_ += value ? "true" : "false";
  }
  void Value(double value) {
    Separate();
    text_ += ExactText(value);
  }
  // With three digits.
  void RoughValue(double value) {
    Separate();
    text_ += RoughText(value);
  }
  template <std::integral Integer>
  requires(!std::same_as<Integer, bool>) void Value(Integer value) {
    Separate();
    text_ += Concat(value);
  }
  template <typename Content>
  void Member(std::string_view name, const Content& value) {
    Name(name);
    Value(value);
  }
  // A list with `of(element)` for each element.
  template <typename Elements, typename Of>
  void List(std::string_view name, const Elements& elements, const Of& of) {
    Name(name);
    Begin('[');
    for (const auto& element : elements) Value(of(element));
    End(']');
  }

  std::string Take() { return std::move(text_); }

 private:
  void Separate() {
    if (!is_first_) text_ += ',';
    is_first_ = false;
  }

  std::string text_;
  bool is_first_ = true;
};

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_TEXT_JSON_TEXT_H_
