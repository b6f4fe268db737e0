// `dynolith lab bill`: what a load that CloudWatch has measured, or a trace or a log has recorded,
// costs, by each way to pay for it.
#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/limits.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "tools/lab/bill/bill.h"
#include "tools/lab/bill/bill_text.h"
#include "tools/lab/bill/metrics.h"
#include "tools/lab/bill/request_metrics.h"
#include "tools/lab/experiment/experiment_file.h"
#include "tools/lab/experiment/paid_features.h"
#include "tools/program/command_parts.h"
#include "tools/program/lab_commands.h"
#include "tools/program/lab_inputs.h"
#include "tools/program/lab_outputs.h"
#include "tools/program/messages.h"
#include "tools/program/option_checks.h"
#include "tools/program/print.h"
#include "tools/program/terminal_line.h"

namespace dynolith {
namespace {

struct LabBillOptions {
  std::vector<std::string> files;
  std::vector<std::string> queries;  // tables and indexes
  int period = 60;
  std::string table;
  int64_t item_bytes = lab::kUnknownItemBytes;  // of a log
  std::string prices_file;
  std::string region;
  std::string tables_file;
  std::string json_file;
};

absl::Status LabBill(const LabBillOptions& options) {
  if (options.files.empty() == options.queries.empty()) {
    return absl::InvalidArgumentError(ToAbsl(messages::LabBillQueriesOrFiles()));
  }
  if (!options.queries.empty()) {
    Print(lab::MetricQueries(options.queries, options.period));
    return absl::OkStatus();
  }
  DYNOLITH_ASSIGN_OR_RETURN(const lab::PriceList prices,
                            LoadPrices(options.prices_file, options.region));
  lab::Metrics metrics;
  for (const std::string& file : options.files) {
    DYNOLITH_ASSIGN_OR_RETURN(const std::string text, lab::ReadTextFile(file));
    if (!lab::HoldsRequests(text)) {
      DYNOLITH_RETURN_IF_ERROR(lab::AddMetrics(file, text, options.table, &metrics));
      continue;
    }
    DYNOLITH_ASSIGN_OR_RETURN(
        const std::vector<std::string> warnings,
        lab::AddRequestMetrics(file, lab::ReadTextFile,
                               {.item_bytes = options.item_bytes, .partition_keys = {}}, &metrics));
    PrintWarnings(warnings);
  }
  std::vector<lab::TableDesign> tables;
  if (!options.tables_file.empty()) {
    DYNOLITH_ASSIGN_OR_RETURN(const std::string text, lab::ReadTextFile(options.tables_file));
    DYNOLITH_ASSIGN_OR_RETURN(tables, lab::ParsePaidTables(options.tables_file, text));
    DYNOLITH_RETURN_IF_ERROR(lab::CheckPaid(prices, {}, tables));
  }
  DYNOLITH_ASSIGN_OR_RETURN(const lab::Bill bill, lab::MakeBill(metrics, prices, tables));
  if (!options.json_file.empty()) {
    DYNOLITH_RETURN_IF_ERROR(WriteTextFile(options.json_file, lab::BillJson(bill, prices)));
  }
  Print(lab::BillText(bill, prices, OutputColumns()));
  return absl::OkStatus();
}

}  // namespace

void AddLabBill(CLI::App* lab, int* exit_code) {
  static LabBillOptions options;
  CLI::App* const bill = lab->add_subcommand(
      "bill", "What a load that was measured or recorded costs, by each way to pay for it");
  bill->add_option(
      "FILE", options.files,
      "What aws cloudwatch get-metric-data or get-metric-statistics printed, or a table in CSV; a "
      "trace of dynolith serve --trace, or a log of AWS CloudTrail");
  bill->add_option("--queries", options.queries,
                   "Print the queries for these tables and indexes (TABLE/INDEX) instead")
      ->type_name("NAME");
  bill->add_option("--period", options.period, "Of the queries")
      ->type_name("SECONDS")
      ->check(CLI::Range(60, 86'400))
      ->capture_default_str();
  bill->add_option("--table", options.table,
                   "Whose a metric is that does not say it: TABLE or TABLE/INDEX")
      ->type_name("NAME");
  bill->add_option("--item-size", options.item_bytes,
                   "What an item takes of a log, which has no sizes (replay.item_size)")
      ->type_name("BYTES")
      ->check(CLI::Range(int64_t{1}, int64_t{kItemBytesMax}))
      ->capture_default_str();
  bill->add_option("--prices", options.prices_file, "Instead of those of dynolith lab prices")
      ->check(NamedPath())
      ->type_name("FILE");
  AddRegion(bill, &options.region);
  bill->add_option("--tables", options.tables_file,
                   "What is paid of the tables beside: storage, class, pitr, backups, dax and more")
      ->check(NamedPath())
      ->type_name("FILE");
  bill->add_option("--json", options.json_file, "Write the bill into this file, too")
      ->check(NamedPath())
      ->type_name("FILE");
  bill->callback([exit_code] { *exit_code = Finish(LabBill(options)); });
  bill->footer(
      "Examples:\n"
      "  dynolith lab bill --queries orders orders/by-status > queries.json\n"
      "  aws cloudwatch get-metric-data --metric-data-queries file://queries.json \\\n"
      "      --start-time 2026-11-18T00:00:00Z --end-time 2026-11-25T00:00:00Z > week.json\n"
      "  dynolith lab bill week.json\n"
      "  dynolith lab bill music.trace\n"
      "  dynolith lab bill week.json --region eu-central-1 --tables paid.toml\n"
      "with paid.toml:\n"
      "  [[table]]\n"
      "  name = \"orders\"\n"
      "  storage = \"200GB\"\n"
      "  pitr = true\n"
      "  backups = 7");
}

}  // namespace dynolith
