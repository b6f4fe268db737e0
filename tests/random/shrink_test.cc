// What happens to a program that fails is seen only when one does, so here the model is made to
// lie: little of the program must be left, and its text must do what the program did.
#include "tests/random/shrink.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>

#include "tests/datadriven/block_file.h"
#include "tests/datadriven/text_runner.h"
#include "tests/random/generator.h"
#include "tests/random/text_test.h"

namespace dynolith::random {
namespace {

using datadriven::Block;

class ShrinkTest : public ::testing::Test {
 protected:
  ShrinkTest() {
    options_.scratch =
        (std::filesystem::temp_directory_path() /
         ("dynolith_shrink_" + std::to_string(::testing::UnitTest::GetInstance()->random_seed())))
            .string();
    std::filesystem::create_directories(options_.scratch);
    options_.configurations = {{.name = "memory", .in_memory = true}};
  }
  ~ShrinkTest() override { std::filesystem::remove_all(options_.scratch); }

  // The smallest program that fails, of the first seed with which one does.
  Program ShrunkProgram() {
    for (uint64_t seed = 1; seed < 20; ++seed) {
      const Program program = MakeProgram(seed, 300);
      const auto failure = RunProgram(program, options_);
      if (!failure) continue;
      return Shrink(program, FailsLike(program, *failure, options_), 2000);
    }
    ADD_FAILURE() << "no program meets what the model lies about";
    return {};
  }

  std::string ProgramText(const Program& program) {
    const auto failure = RunProgram(program, options_);
    EXPECT_TRUE(failure);
    return failure ? TextTest(program, *failure, options_.scratch) : "";
  }

  RunOptions options_;
};

// How many calls of a text are answered as it says, and how many are not.
std::pair<int, int> RunText(const std::string& text) {
  std::string fault;
  const std::vector<Block> blocks = datadriven::ReadBlocks(text, &fault);
  EXPECT_EQ(fault, "");
  datadriven::TextRunner runner;
  EXPECT_TRUE(runner.Open(blocks).ok());
  std::pair<int, int> answers;
  for (const Block& block : blocks) {
    if (block.kind == Block::Kind::kCommand) {
      EXPECT_EQ(runner.Run(block), "") << block.text;
    }
    if (block.kind != Block::Kind::kCall) continue;
    const bool matches = runner.Matches(block.expected, runner.Answer(block));
    ++(matches ? answers.first : answers.second);
  }
  return answers;
}

TEST_F(ShrinkTest, AWrongItemNeedsItsTableAndItsWrite) {
  options_.on_expected = [](const model::Operation& operation, model::Outcome* outcome) {
    if (!std::holds_alternative<model::GetOp>(operation) || !outcome->attributes) return;
    outcome->attributes->erase("n");
  };
  const Program program = ShrunkProgram();
  ASSERT_EQ(program.size(), 3);
  EXPECT_TRUE(std::get<model::CreateTableOp>(program[0]).table.indexes.empty());
  const std::string text = ProgramText(program);
  EXPECT_EQ(RunText(text), std::pair(2, 1)) << text;
  EXPECT_NE(text.find("# The model says: ok {"), std::string::npos) << text;
}

TEST_F(ShrinkTest, AWrongErrorOfATransactionNeedsOneAction) {
  options_.on_expected = [](const model::Operation& operation, model::Outcome* outcome) {
    const auto* transaction = std::get_if<model::TransactOp>(&operation);
    if (!transaction || transaction->as_statements) return;
    if (!outcome->parts.empty() && outcome->parts[0].error == "ConditionalCheckFailed") {
      *outcome = {.error = "ValidationException"};
    }
  };
  const Program program = ShrunkProgram();
  ASSERT_LE(program.size(), 3);
  EXPECT_EQ(std::get<model::TransactOp>(program.back()).actions.size(), 1);
  const std::string text = ProgramText(program);
  EXPECT_EQ(RunText(text).second, 1) << text;
  EXPECT_NE(text.find("\n400 ValidationException\n"), std::string::npos) << text;
}

TEST_F(ShrinkTest, AWrongRestoreNeedsItsBackup) {
  options_.on_expected = [](const model::Operation& operation, model::Outcome* outcome) {
    if (std::holds_alternative<model::RestoreOp>(operation) && outcome->error.empty()) {
      outcome->error = "BackupNotFoundException";
    }
  };
  const Program program = ShrunkProgram();
  // The backup's table, the backup, mostly the end of the table, the restore.
  ASSERT_GE(program.size(), 3);
  EXPECT_LE(program.size(), 4);
  const std::string text = ProgramText(program);
  EXPECT_EQ(RunText(text).second, 1) << text;
  EXPECT_NE(text.find("\"BackupArn\": \"${backup_"), std::string::npos) << text;
}

// Every kind of step stands in a text as it was run: what was recorded is answered again, and has
// come to the items that the model has.
TEST_F(ShrinkTest, ALongTextIsAnsweredAsTheProgramWas) {
  for (const bool reopens : {false, true}) {
    const Configuration configuration = {
        .name = "text", .in_memory = !reopens, .reopens = reopens, .followed = reopens};
    Program program = MakeProgram(3, 400);
    model::Model model;
    for (const model::Operation& operation : program) model.Run(operation);
    const std::string table = model.TableNames()[0];
    program.emplace_back(model::ReadOp{.table = table, .count_only = true});
    const Failure counted = {.step = program.size() - 1,
                             .configuration = configuration,
                             .expected = model.Run(program.back())};
    EXPECT_GT(counted.expected.count, 5);
    const std::string text = TextTest(program, counted, options_.scratch);
    const auto [answered, otherwise] = RunText(text);
    EXPECT_GT(answered, 400);
    EXPECT_EQ(otherwise, 0) << text;
    EXPECT_EQ(text.find("!reopen") != std::string::npos, reopens);
    EXPECT_NE(text.find("\n!check\n"), std::string::npos);
    EXPECT_EQ(text, TextTest(program, counted, options_.scratch));
  }
}

TEST(MakeProgramTest, ASeedIsAProgram) {
  const auto text = [](uint64_t seed) {
    const Failure end = {.step = 60, .configuration = {.name = "seed", .in_memory = true}};
    return TextTest(MakeProgram(seed, 60), end, std::filesystem::temp_directory_path().string());
  };
  EXPECT_EQ(text(1), text(1));
  EXPECT_NE(text(1), text(2));
}

}  // namespace
}  // namespace dynolith::random
