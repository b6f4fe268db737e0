// Reads the members of an experiment's tables into the structs of experiment.h, one after the
// other, and checks their combinations.
#ifndef DYNOLITH_TOOLS_LAB_EXPERIMENT_EXPERIMENT_READER_H_
#define DYNOLITH_TOOLS_LAB_EXPERIMENT_EXPERIMENT_READER_H_

#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tools/files/toml/toml_reader.h"
#include "tools/lab/experiment/csv_members.h"
#include "tools/lab/experiment/experiment.h"

namespace dynolith::lab {

// Reads one design's document. `texts` reads the files that it names. Violations are in `errors`.
class ExperimentReader {
 public:
  // `known`: the tables of a model or of a trace, to which the document may add; nullopt: they
  // could not be read, so that only what does not depend on them is checked.
  ExperimentReader(const toml::table& document, std::optional<std::vector<TableDesign>> known,
                   std::optional<Replay> replay, NamedTexts* texts, TomlErrors* errors);

  Experiment Read();

 private:
  void ReadHead(TomlTable table);
  void ReadExpectations(TomlTable expect);
  void ReadDay(TomlTable* month, std::string_view name, DayKind* day);
  // Adds an error for a factor where auto scaling would follow it.
  void CheckMonth(TomlTable* head);
  void ReadTable(TomlTable table);
  void ReadIndex(TomlTable index, TableDesign* table);
  // Adds an error if one of the array has its name already.
  void CheckName(TomlTable* table, std::string_view what, const std::string& name,
                 std::set<std::string>* names);
  // Adds errors for members that a trace decides, and for a table or index that it does not have.
  void CheckReplayed(TomlTable* table, std::string_view what, const std::vector<std::string>& known,
                     std::initializer_list<std::string_view> traced);
  void ReadThroughput(TomlTable* table, Throughput* throughput);
  void ReadAutoScaling(TomlTable* table, AutoScaling* scaling);
  std::optional<KeyPart> ReadKey(TomlTable* table, std::string_view name);
  void ReadItemSize(TomlTable* table, std::string_view name, SizeRange* item);
  // Adds an error if no item can be so large, nor an entry of an index.
  void CheckItemBytes(TomlTable* table, std::string_view name, const toml::node& at, int64_t bytes);

  void ReadSources();
  KeySource ReadSource(TomlTable source, std::string name);
  void ResolveLatest(TomlTable* owner, const toml::node& at, KeySource* source);
  void ResolveWithin(TomlTable* owner, const toml::node& at, KeySource* source);
  void ReadWithin(TomlTable* source, KeySource* result);
  void ReadValues(TomlTable* source, KeySource* result);

  void ReadAccesses();
  void ReadAccess(TomlTable access);
  void ReadMembers(TomlTable* access, Access* result);
  void ReadFrequency(TomlTable* access, Access* result);
  void ReadOperation(TomlTable* access, Access* result);
  void ReadItems(TomlTable* access, int64_t most, Access* result);
  void ReadBulk(TomlTable* access, Access* result);
  void ReadAccessTable(TomlTable* access, Access* result);
  void ReadTarget(TomlTable* access, Access* result);
  void ReadAccessKey(TomlTable* access, Access* result);
  void ReadWork(TomlTable* access, Access* result);
  void ReadWrite(TomlTable* access, Access* result);
  void ReadFails(TomlTable* access, Access* result);
  void ReadIndexChanges(TomlTable* access, Access* result);
  void CheckIndexChanges(TomlTable* access, const Access& result);
  void CheckQuery(TomlTable* access, const Access& result);
  void CheckSuffixes(TomlTable* access, const Access& result);
  void ReadScan(TomlTable* access, Access* result);
  void ReadAccessLatency(TomlTable* access, Access* result);
  bool AddsItems(const Access& access) const;
  std::optional<size_t> FindSource(TomlTable* key, std::string_view attribute,
                                   const std::string& access);
  std::optional<Load> ReadLoad(TomlTable* table);
  void ReadShape(TomlTable* load, Load* result);
  void ReadClient();
  void ReadAdvice(TomlTable advise);
  void ReadCandidates(TomlTable* advise, const std::string& path, OpenMember* member);
  void CheckSample(TomlTable* root);

  TomlTable root_;
  const bool knows_tables_;
  NamedTexts* const texts_;
  std::set<std::string> table_names_;
  std::optional<LatencyQuantiles> latency_;  // of accesses without one of their own
  Experiment experiment_;
};

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_EXPERIMENT_EXPERIMENT_READER_H_
