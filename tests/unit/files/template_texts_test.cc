// Templates as strangers write them, each with the calls that it becomes or with what is said of
// it: the texts of tests/templates/. Of what a template says at a table nothing may be left out in
// silence, so that each text shows all calls and all findings.
//
//   DYNOLITH_REWRITE=1 files_test --gtest_filter=TemplateTexts.*
//
// replaces what is expected by what was found; read the difference.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/unit/text_parts.h"
#include "tests/unit/under_sanitizer.h"
#include "tools/files/design/design_file.h"
#include "tools/files/messages.h"
#include "tools/files/table/json_parts.h"

namespace dynolith::designs {
namespace {

namespace fs = std::filesystem;

using testing::PrintParts;
using testing::ReadTextFile;
using testing::SplitParts;
using testing::SplitWords;
using Part = testing::TextPart;

std::string ShownCall(const TableCall& call) {
  const std::string owner = call.arn_of == ArnOf::kStream  ? "of its stream: "
                            : call.arn_of == ArnOf::kTable ? "of itself: "
                                                           : "";
  return owner + call.operation + " " + PrintJson(call.input);
}

std::string ShownReplicas(const TableDesign& table) {
  std::string text;
  if (table.strong) text += "  with strong consistency\n";
  for (const std::string& region : table.witnesses) text += "  witness in " + region + "\n";
  if (!table.replicas.empty() && !table.scaling.members.empty()) {
    text += "  UpdateTableReplicaAutoScaling " + PrintJson(table.scaling) + "\n";
  }
  for (const ReplicaDesign& replica : table.replicas) {
    text += "  replica " + PrintJson(replica.create) + "\n";
    for (const TableCall& call : replica.calls) text += "    " + ShownCall(call) + "\n";
    for (const Finding& finding : replica.findings) {
      text += "    " + std::to_string(finding.place.line) + ": " + finding.text + "\n";
    }
  }
  return text;
}

std::string Shown(const DesignFiles& files) {
  std::string text;
  for (const TableDesign& table : files.tables) {
    text += "table " + table.name + "\n";
    for (const auto& [name, value] : table.create.members) {
      if (name != "TableName") text += "  " + name + ": " + PrintJson(value) + "\n";
    }
    for (const TableCall& call : table.calls) {
      text += "  " + ShownCall(call) + "\n";
    }
    text += ShownReplicas(table);
  }
  return text;
}

// Of `load FILE [--parameter NAME=VALUE | --leave-out NAME | --region REGION]…`.
ReadOptions MakeOptions(const std::vector<std::string>& words) {
  ReadOptions options;
  for (size_t i = 2; i + 1 < words.size(); i += 2) {
    const std::string& value = words[i + 1];
    const size_t equals = value.find('=');
    if (words[i] == "--parameter") {
      options.parameters[value.substr(0, equals)] = value.substr(equals + 1);
    }
    if (words[i] == "--leave-out") options.left_out.insert(value);
    if (words[i] == "--region") options.region = value;
  }
  return options;
}

// What becomes of a file in `folder`.
std::string Load(const fs::path& folder, const std::string& name, const ReadOptions& options) {
  DesignFiles files;
  Findings findings;
  ReadDesignFile((folder / name).string(), options, &files, &findings);
  std::string text = findings.errors() == 0 ? Shown(files) : "";
  for (const Finding& finding : findings.list()) {
    text += messages::DesignFinding(
        fs::path(finding.place.file).lexically_relative(folder).string(), finding.place.line,
        finding.place.column, finding.is_error, finding.text);
  }
  return text + "\n";
}

// "case" begins anew, "file" writes one, and for each "load" `load` is called.
void RunText(const fs::path& path, const fs::path& folder, std::vector<Part>* parts,
             const std::function<void(const std::string& title, Part* part)>& load) {
  int loads = 0;
  std::string title;
  for (Part& part : *parts) {
    const std::vector<std::string> words = SplitWords(part.head);
    if (words.empty()) continue;
    if (words[0] == "case") {
      title = path.filename().string() + ": " + part.head;
      fs::remove_all(folder);
      fs::create_directories(folder);
    } else if (words[0] == "file") {
      fs::create_directories((folder / words[1]).parent_path());
      std::ofstream(folder / words[1], std::ios::binary) << part.body;
    } else {
      ASSERT_EQ(words[0], "load") << path;
      load(title + ": " + part.head, &part);
      ++loads;
    }
  }
  EXPECT_GT(loads, 0) << path << " loads nothing";
}

// The lines that are errors.
std::string LoadErrors(const std::string& text) {
  std::istringstream stream(text);
  std::string errors;
  for (std::string line; std::getline(stream, line);) {
    if (line.find(": error: ") != std::string::npos) errors += line + "\n";
  }
  return errors;
}

// What stands in `text` between these two.
std::vector<std::string> Between(const std::string& text, std::string_view begin,
                                 std::string_view end) {
  std::vector<std::string> found;
  for (size_t at = text.find(begin); at != std::string::npos; at = text.find(begin, at)) {
    at += begin.size();
    found.push_back(text.substr(at, text.find(end, at) - at));
  }
  return found;
}

class TemplateTexts : public ::testing::Test {
 protected:
  TemplateTexts() {
    setenv("DYNOLITH_TEMPLATE_TEST", "from-the-environment", 1);
    unsetenv("DYNOLITH_TEMPLATE_NONE");
    fs::create_directories(folder_);
  }
  ~TemplateTexts() override { fs::remove_all(folder_); }

  const std::set<fs::path> texts_ = testing::TextFiles(DYNOLITH_TEMPLATES);
  const fs::path folder_ =
      fs::path(::testing::TempDir()) / ("dynolith_templates_" + std::to_string(getpid()));
};

TEST_F(TemplateTexts, AreLoadedAsTheySay) {
  ASSERT_FALSE(texts_.empty());
  const bool is_rewrite = std::getenv("DYNOLITH_REWRITE") != nullptr;
  for (const fs::path& path : texts_) {
    std::vector<Part> parts = SplitParts(ReadTextFile(path));
    RunText(path, folder_, &parts, [&](const std::string& title, Part* part) {
      const std::vector<std::string> words = SplitWords(part->head);
      const std::string got = Load(folder_, words[1], MakeOptions(words));
      EXPECT_TRUE(is_rewrite || got == part->body) << title << "\n" << got;
      part->body = got;
    });
    if (is_rewrite) std::ofstream(path, std::ios::binary) << PrintParts(parts);
  }
}

// A message that says which option helps is believed: the option is given, and what it was to help
// against is said no more.
TEST_F(TemplateTexts, OptionsThatMessagesNameHelp) {
  int named = 0;
  for (const fs::path& path : texts_) {
    std::vector<Part> parts = SplitParts(ReadTextFile(path));
    RunText(path, folder_, &parts, [&](const std::string& title, Part* part) {
      const std::vector<std::string> words = SplitWords(part->head);
      ReadOptions options = MakeOptions(words);
      bool is_news = true;
      for (int round = 0; is_news; ++round) {
        ASSERT_LT(round, 10) << title;
        is_news = false;
        const std::string got = LoadErrors(Load(folder_, words[1], options));
        const std::set<std::string> left_out_before = options.left_out;
        const std::map<std::string, std::string> parameters_before = options.parameters;
        for (const std::string& name : Between(got, "--parameter '", "=VALUE'")) {
          EXPECT_EQ(parameters_before.count(name), 0U) << title << ": " << name << "\n" << got;
          is_news |= options.parameters.emplace(name, "7").second;
        }
        for (const std::string& name : Between(got, " --leave-out ", " loads the rest")) {
          EXPECT_EQ(left_out_before.count(name), 0U) << title << ": " << name << "\n" << got;
          is_news |= options.left_out.insert(name).second;
        }
        for (const std::string& region : Between(got, "; --region ", " loads this one")) {
          EXPECT_NE(options.region, region) << title << "\n" << got;
          is_news |= options.region != region;
          options.region = region;
        }
        named += is_news ? 1 : 0;
      }
    });
  }
  EXPECT_GT(named, 20);
}

// Whoever is still writing loads half a file, and a half is no reason to crash or to go on for
// ever.
// Whole lines, and with a sanitizer each eighth of them.
TEST_F(TemplateTexts, EveryBeginningOfAFileEnds) {
  constexpr int kEvery = dynolith::testing::kUnderSanitizer ? 8 : 1;
  int lines = 0;
  for (const fs::path& path : texts_) {
    for (const Part& part : SplitParts(ReadTextFile(path))) {
      const std::vector<std::string> words = SplitWords(part.head);
      if (words.size() < 2 || words[0] != "file") continue;
      const std::string name = fs::path(words[1]).filename().string();
      for (size_t end = part.body.find('\n'); end != std::string::npos;
           end = part.body.find('\n', end + 1)) {
        if (lines++ % kEvery != 0) continue;
        std::ofstream(folder_ / name, std::ios::binary) << part.body.substr(0, end);
        EXPECT_FALSE(Load(folder_, name, {}).empty());
      }
    }
  }
  EXPECT_GT(lines, 500);
}

}  // namespace
}  // namespace dynolith::designs
