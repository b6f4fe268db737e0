// The tree of rows against std::map, with copies that are kept while it changes.
#include "engine/store/rows/row_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace dynolith {
namespace {

using Rows = std::map<std::string, std::string>;

Rows ReadRows(const RowTree& tree) {
  Rows rows;
  RowTree::Walk walk(tree, "", "");
  for (walk.SeekAtOrAfter(""); walk.is_valid(); walk.Next()) {
    EXPECT_TRUE(rows.empty() || rows.rbegin()->first < walk.key());
    rows.emplace(walk.key(), walk.value());
  }
  return rows;
}

uint64_t CountBytes(const Rows& rows) {
  uint64_t bytes = 0;
  for (const auto& [key, value] : rows) bytes += key.size() + value.size();
  return bytes;
}

// Half of a value's place may be unused.
void ExpectBytes(const Rows& rows, uint64_t bytes) {
  uint64_t most = 0;
  for (const auto& [key, value] : rows) most += key.size() + 2 * value.size() + 1;
  EXPECT_GE(bytes, CountBytes(rows));
  EXPECT_LE(bytes, most);
}

void ExpectSame(const RowTree& tree, const Rows& rows) {
  EXPECT_EQ(ReadRows(tree), rows);
  EXPECT_EQ(tree.totals().rows, rows.size());
  ExpectBytes(rows, tree.totals().bytes);
  RowTree::Walk walk(tree, "", "");
  auto row = rows.rbegin();
  for (walk.SeekBefore(""); walk.is_valid(); walk.Previous(), ++row) {
    ASSERT_NE(row, rows.rend());
    EXPECT_EQ(walk.key(), row->first);
  }
  EXPECT_EQ(row, rows.rend());
}

// Keys of a few kinds: what they share is short, longer than a node remembers, or all but a zero.
std::string RandomKey(std::mt19937* random, int kind) {
  const std::string number = std::to_string((*random)() % 3000);
  switch (kind) {
    case 0:
      return number;
    case 1:
      return std::string(60, 'p') + std::string((*random)() % 3, 'q') + number;
    case 2:
      return std::string((*random)() % 40, '\0');
    default:
      return std::string("id\0\1", 4) + static_cast<char>((*random)()) + number;
  }
}

class RowTreeTest : public ::testing::TestWithParam<int> {};

INSTANTIATE_TEST_SUITE_P(KindsOfKeys, RowTreeTest, ::testing::Values(0, 1, 2, 3));

TEST_P(RowTreeTest, DoesWhatAMapDoesAndSoDoItsCopies) {
  std::mt19937 random(static_cast<unsigned>(GetParam()));
  RowTree tree;
  Rows rows;
  std::vector<std::pair<RowTree, Rows>> copies;
  for (int step = 0; step < 60'000; ++step) {
    // Grows for a while, then shrinks.
    const bool grows = step / 10'000 % 2 == 0;
    const std::string key = RandomKey(&random, GetParam());
    const auto what = random() % 1000;
    if (what < (grows ? 700 : 200)) {
      const std::string value(random() % 20, static_cast<char>('a' + random() % 26));
      RowTree::Position place;
      if (random() % 2 == 0) {
        tree.Put(key, value);
      } else if (tree.Overwrite(key, value, nullptr, &place) == RowTree::Overwritten::kDone) {
        EXPECT_TRUE(rows.contains(key));
      } else {
        SharedRow row = SharedRow::Of(key, value);
        if (random() % 4 == 0) place.Forget();
        EXPECT_TRUE(tree.PutRow(&row, place, nullptr));
        EXPECT_EQ(row ? row.value() : "none", rows.contains(key) ? rows[key] : "none");
      }
      rows[key] = value;
    } else if (what < 990 && random() % 2 == 0) {
      EXPECT_EQ(tree.Remove(key), rows.erase(key) == 1);
    } else if (what < 990) {
      RowTree::Position place = tree.FindPosition(key);
      if (random() % 4 == 0) place.Forget();
      const auto before = rows.find(key);
      const bool is_there = before != rows.end(), lets_go = random() % 4 != 0;
      const auto asked = [&](const std::string_view* value) {
        EXPECT_EQ(value != nullptr ? *value : "none", is_there ? before->second : "none");
        return lets_go;
      };
      const RowTree::May may(asked);
      const SharedRow removed = tree.RemoveRow(key, place, &may);
      EXPECT_EQ(static_cast<bool>(removed), is_there && lets_go);
      if (!removed) continue;
      EXPECT_EQ(removed.value(), before->second);
      rows.erase(before);
    } else if (what < 994) {
      const std::string end = random() % 8 == 0 ? "" : RandomKey(&random, GetParam());
      const bool is_turned = !end.empty() && end <= key;
      // Whole tables are rarely dropped.
      if (end.empty() && random() % 8 != 0) continue;
      tree.RemoveRange(key, end);
      if (!is_turned) {
        rows.erase(rows.lower_bound(key), end.empty() ? rows.end() : rows.lower_bound(end));
      }
    } else if (what < 998 || copies.size() < 3) {
      copies.emplace_back(tree, rows);
    } else {
      // One comes back.
      std::tie(tree, rows) = copies[random() % copies.size()];
    }
    if (copies.size() > 12) copies.erase(copies.begin() + static_cast<int>(random() % 12));
    if (step % 3000 == 0) ExpectSame(tree, rows);
  }
  ExpectSame(tree, rows);
  for (const auto& [copy, then] : copies) ExpectSame(copy, then);
}

TEST_P(RowTreeTest, FindsAndSeeks) {
  std::mt19937 random(static_cast<unsigned>(GetParam()) + 10);
  RowTree tree;
  Rows rows;
  for (int i = 0; i < 2000; ++i) {
    const std::string key = RandomKey(&random, GetParam());
    tree.Put(key, std::to_string(i));
    rows[key] = std::to_string(i);
  }
  for (int i = 0; i < 1500; ++i) {
    const std::string key = RandomKey(&random, GetParam());
    const auto at = rows.lower_bound(key);
    const bool is_there = at != rows.end() && at->first == key;
    const SharedRow found = tree.Find(key);
    ASSERT_EQ(static_cast<bool>(found), is_there);
    if (is_there) {
      EXPECT_EQ(found.value(), at->second);
    }

    RowTree::Walk walk(tree, "", "");
    walk.SeekAtOrAfter(key);
    ASSERT_EQ(walk.is_valid(), at != rows.end());
    if (walk.is_valid()) {
      EXPECT_EQ(walk.key(), at->first);
    }
    // Before the empty key there is nothing, but it stands for the end.
    if (key.empty()) continue;
    walk.SeekBefore(key);
    ASSERT_EQ(walk.is_valid(), at != rows.begin());
    if (walk.is_valid()) {
      EXPECT_EQ(walk.key(), std::prev(at)->first);
    }

    // What is in a range takes a walk through it, and a copy.
    if (i % 4 != 0) continue;
    const std::string end = i % 40 == 0 ? "" : RandomKey(&random, GetParam());
    Rows range;
    if (end.empty() || key < end)
      range = Rows(at, end.empty() ? rows.end() : rows.lower_bound(end));
    EXPECT_EQ(tree.SumRange(key, end).rows, range.size());
    ExpectBytes(range, tree.SumRange(key, end).bytes);
    EXPECT_EQ(tree.SumRange("", key).bytes + tree.SumRange(key, "").bytes, tree.totals().bytes);
    if (!end.empty() && end <= key) continue;
    RowTree::Walk within(tree, key, end);
    Rows forward;
    for (within.SeekAtOrAfter(""); within.is_valid(); within.Next()) {
      forward.emplace(within.key(), within.value());
    }
    EXPECT_EQ(forward, range);
    Rows backward;
    for (within.SeekBefore(""); within.is_valid(); within.Previous()) {
      backward.emplace(within.key(), within.value());
    }
    EXPECT_EQ(backward, range);
  }
}

TEST(RowTree, ARowThatIsHeldStaysAsItIs) {
  RowTree tree;
  tree.Put("a", "1");
  const SharedRow held = tree.Find("a");
  tree.Put("a", "2");
  EXPECT_EQ(held.value(), "1");
  EXPECT_EQ(tree.Find("a").value(), "2");
  tree.Remove("a");
  EXPECT_EQ(held.value(), "1");
  EXPECT_FALSE(tree.Find("a"));
}

TEST(RowTree, ARowIsOverwrittenWhereItIsByWhoAloneHasIt) {
  using enum RowTree::Overwritten;
  RowTree tree;
  Rows rows;
  const auto overwrite = [](RowTree* in, std::string_view key, std::string_view value) {
    RowTree::Position place;
    return in->Overwrite(key, value, nullptr, &place);
  };
  EXPECT_EQ(overwrite(&tree, "500", "1"), kNot);
  for (int i = 0; i < 1000; ++i) tree.Put(std::to_string(i), rows[std::to_string(i)] = "before");
  EXPECT_EQ(overwrite(&tree, "500", "behind"), kDone);
  rows["500"] = "behind";
  EXPECT_EQ(overwrite(&tree, "no row", "behind"), kNot);
  EXPECT_EQ(overwrite(&tree, "500", "longer than its place"), kNot);
  EXPECT_EQ(overwrite(&tree, "500", ""), kNot) << "most of its place would be unused";
  ExpectSame(tree, rows);
  {
    const SharedRow held = tree.Find("500");
    EXPECT_EQ(overwrite(&tree, "500", "beside"), kNot);
    EXPECT_EQ(held.value(), "behind");
  }
  auto copy = std::make_unique<RowTree>(tree);
  EXPECT_EQ(overwrite(&tree, "500", "beside"), kNot) << "the root is the copy's, too";
  // Now only the leaf is, and at last the row.
  tree.Put("5000", rows["5000"] = "new");
  EXPECT_EQ(overwrite(&tree, "501", "beside"), kNot);
  EXPECT_EQ(overwrite(copy.get(), "501", "beside"), kNot);
  EXPECT_EQ(copy->Find("501").value(), "before");
  copy.reset();
  const auto refuse = [](const std::string_view* before) { return *before != "before"; };
  const RowTree::May may(refuse);
  RowTree::Position place;
  EXPECT_EQ(tree.Overwrite("501", "beside", &may, &place), kRefused);
  ExpectSame(tree, rows);
  EXPECT_EQ(overwrite(&tree, "501", rows["501"] = "beside"), kDone);
  ExpectSame(tree, rows);
}

TEST(RowTree, WhoMaySaysSo) {
  RowTree tree;
  const auto put_if = [&](std::string_view key, std::string_view value, RowTree::May may) {
    SharedRow row = SharedRow::Of(key, value);
    return tree.PutRow(&row, RowTree::Position(), &may);
  };
  const auto refuse = [](const std::string_view* before) {
    EXPECT_EQ(before, nullptr);
    return false;
  };
  EXPECT_FALSE(put_if("a", "1", refuse));
  ExpectSame(tree, {});
  Rows rows;
  for (int i = 0; i < 100; ++i) {
    const std::string key = std::to_string(i);
    EXPECT_TRUE(put_if(key, "1", [](const std::string_view* before) { return !before; }));
    EXPECT_FALSE(put_if(key, "22", [](const std::string_view* before) { return *before != "1"; }));
    rows[key] = "1";
  }
  const RowTree copy = tree;
  EXPECT_FALSE(put_if("7", "22", [](const std::string_view*) { return false; }));
  ExpectSame(tree, rows);
  EXPECT_TRUE(put_if("7", "22", [](const std::string_view*) { return true; }));
  ExpectSame(copy, rows);
  rows["7"] = "22";
  ExpectSame(tree, rows);
}

TEST(RowTree, AnEmptyOneHasNothing) {
  RowTree tree;
  EXPECT_FALSE(tree.Find(""));
  EXPECT_FALSE(tree.Remove("a"));
  EXPECT_TRUE(tree.RemoveRange("", "").empty());
  EXPECT_EQ(tree.SumRange("", "").rows, 0u);
  RowTree::Walk walk(tree, "", "");
  walk.SeekAtOrAfter("");
  EXPECT_FALSE(walk.is_valid());
  walk.SeekBefore("");
  EXPECT_FALSE(walk.is_valid());
  tree.Put("", "");
  EXPECT_TRUE(tree.Find(""));
  EXPECT_TRUE(tree.Remove(""));
  ExpectSame(tree, {});
}

}  // namespace
}  // namespace dynolith
