// Why: a filter runs once per row of a page, and its text may hold hundreds of tests of a large
// attribute. What a test costs is bounded and counted, so that a page can end before it takes long.
#include <gtest/gtest.h>
#include <time.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "engine/base/strings.h"
#include "tests/unit/expr/sample_request.h"

namespace dynolith {
namespace {

// `text` and the values of the sample, of which :s is `part`.
class Work {
 public:
  Work(std::string_view text, std::string_view part) {
    Item values = {{":s", Value::S(part)}, {":n", Value::N(1)}};
    sample_.values = std::move(values);
    Placeholders used = sample_.placeholders();
    condition_.emplace(*Condition::Parse(text, ExpressionKind::kFilter, &used));
  }
  size_t Of(const Item& item) const {
    size_t work = 0;
    condition_->Matches(item.view(), &work);
    EXPECT_LE(work, condition_->WorkAtMost(item.view()));
    return work;
  }

 private:
  SampleRequest sample_;
  std::optional<Condition> condition_;
};

// Of this thread: what else the machine does takes none of it.
double CpuSeconds() {
  timespec now = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

TEST(ConditionWork, ASearchTakesTimeInProportion) {
  // The search that gives up late at every place: 400 KB times 200 KB if done plainly.
  const std::string text(400'000, 'a');
  const std::string part = std::string(200'000, 'a') + "b";
  SampleRequest request;
  request.values = {{":s", Value::S(part)}};
  Placeholders used = request.placeholders();
  const auto condition = Condition::Parse("contains(a, :s)", ExpressionKind::kFilter, &used);
  ASSERT_TRUE(condition.ok()) << condition.status();
  const Item item = {{"a", Value::S(text)}};
  const double before = CpuSeconds();
  EXPECT_FALSE(condition->Matches(item.view()));
  EXPECT_LT(CpuSeconds() - before, 0.5);
}

TEST(ConditionWork, FindsWhatAStringViewFinds) {
  const std::string text = std::string("abracad\0abra", 12);
  for (size_t begin = 0; begin <= text.size(); ++begin) {
    for (size_t size = 0; begin + size <= text.size(); ++size) {
      const std::string part = text.substr(begin, size);
      for (const std::string& sought : {part, part + "x", "c" + part}) {
        SampleRequest request;
        request.values = {{":s", Value::S(sought)}};
        Placeholders used = request.placeholders();
        const auto condition = Condition::Parse("contains(a, :s)", ExpressionKind::kFilter, &used);
        const Item item = {{"a", Value::S(text)}};
        EXPECT_EQ(condition->Matches(item.view()), text.find(sought) != std::string::npos)
            << sought;
      }
    }
  }
}

TEST(ConditionWork, IsWhatHasBeenLookedAt) {
  constexpr size_t kOperand = Condition::kOperandWork;
  const Item large = {{"a", Value::S(std::string(10'000, 'a'))}};
  EXPECT_EQ(Work("a = :s", "aaa").Of(large), 2 * kOperand + 3);
  EXPECT_EQ(Work("contains(a, :s)", "aaa").Of(large), 2 * kOperand + 10'000);
  EXPECT_EQ(Work("begins_with(a, :s)", "aaa").Of(large), 2 * kOperand + 3);
  EXPECT_EQ(Work("attribute_exists(a) AND a <> :s", "aaa").Of(large), 3 * kOperand + 3);
  EXPECT_EQ(Work("attribute_exists(b) AND contains(a, :s)", "x").Of(large), kOperand);
  EXPECT_EQ(Work("contains(b, :s)", "x").Of(large), 2 * kOperand);
}

TEST(ConditionWork, IsAddedUp) {
  const Item large = {{"a", Value::S(std::string(10'000, 'a'))}};
  const size_t once = Work("contains(a, :s)", "x").Of(large);
  EXPECT_EQ(Work("contains(a, :s)" + Repeat(" OR contains(a, :s)", 9), "x").Of(large), 10 * once);
}

}  // namespace
}  // namespace dynolith
