// `dynolith lab`: its commands and their options.
#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "tools/program/command_parts.h"
#include "tools/program/commands.h"
#include "tools/program/lab.h"
#include "tools/program/option_checks.h"

namespace dynolith {
namespace {

// Adds the options that simulate and measure have in common.
void AddLabRun(CLI::App* command, LabSimulateOptions* options) {
  command
      ->add_option("EXPERIMENT", options->experiment,
                   "File, or the name or number of an experiment of dynolith lab list")
      ->required();
  command->add_option("--design", options->design, "Only this one")->type_name("NAME");
  command->add_option("--seed", options->seed, "Instead of the experiment's own")->type_name("N");
  command->add_option("--prices", options->prices_file, "Instead of those of dynolith lab prices")
      ->check(Path())
      ->type_name("FILE");
  command
      ->add_option("--csv", options->csv_folder, "Write all series, heat, splits and keys as CSV")
      ->check(Path())
      ->type_name("DIR");
  command->add_option("--json", options->json_file, "Write the whole result as JSON")
      ->check(Path())
      ->type_name("FILE");
  command
      ->add_option("--report", options->report_file,
                   "Write a page for a browser: loads, heat maps, hottest keys and costs")
      ->check(Path())
      ->type_name("FILE");
}

void AddLabSimulate(CLI::App* lab, int* exit_code) {
  static LabSimulateOptions options;
  CLI::App* const simulate =
      lab->add_subcommand("simulate", "Run an experiment in virtual time, and show what happened");
  AddLabRun(simulate, &options);
  simulate->callback([exit_code] { *exit_code = FinishRun(LabSimulate(options)); });
  simulate->footer(
      "Ctrl-C ends the run and shows what there is so far.\n"
      "Examples:\n"
      "  dynolith lab simulate celebrity\n"
      "  dynolith lab simulate celebrity --report celebrity.html\n"
      "  dynolith lab simulate shop.toml --csv ./shop --json shop.json");
}

void AddLabTrace(CLI::App* lab, int* exit_code) {
  static std::string file;
  static std::string csv_file;
  CLI::App* const trace = lab->add_subcommand("trace", "Show what a trace of requests holds");
  trace->add_option("FILE", file, "That dynolith serve --trace FILE has written, or is writing")
      ->required();
  trace->add_option("--csv", csv_file, "Write a row for each access into this file instead")
      ->check(Path())
      ->type_name("FILE");
  trace->callback([exit_code] { *exit_code = Finish(LabTrace(file, csv_file)); });
  trace->footer(
      "Files that it replaced, FILE.1 and so on, are read with it if they are of the same run.\n"
      "Examples:\n"
      "  dynolith serve --trace music.trace\n"
      "  dynolith lab trace music.trace\n"
      "  dynolith lab trace music.trace --csv music.csv\n"
      "  dynolith lab new --from replay music.toml");
}

void AddLabTarget(CLI::App* measure, LabMeasureOptions* options) {
  CLI::Option* const endpoint =
      measure->add_option("--endpoint", options->endpoint,
                          "Ask this one, which may be any of DynamoDB, instead of the library in "
                          "this process; signed with AWS_ACCESS_KEY_ID and its like");
  endpoint->type_name("URL");
  measure
      ->add_option("--ca", options->certificates_file,
                   "Certificates (PEM) that an endpoint with TLS is checked against, instead of "
                   "the system's")
      ->check(Path())
      ->needs(endpoint)
      ->type_name("FILE");
  measure->add_option("--data", options->data_folder, "Of the library, instead of in memory")
      ->check(Path())
      ->excludes(endpoint)
      ->type_name("DIR");
  measure
      ->add_flag("--unlimited", options->is_unlimited,
                 "The library refuses nothing, however much is asked for")
      ->excludes(endpoint);
  measure->add_option("--prefix", options->prefix, "Of the names of tables")
      ->capture_default_str()
      ->type_name("TEXT");
  measure->add_flag("--keep", options->keeps_tables, "Leave the tables there afterwards");
}

void AddLabMeasure(CLI::App* lab, int* exit_code) {
  static LabMeasureOptions options;
  CLI::App* const measure = lab->add_subcommand(
      "measure",
      "Run an experiment with real requests, and show what happened and how long it took");
  AddLabRun(measure, &options.run);
  AddLabTarget(measure, &options);
  measure->add_option("--duration", options.duration_seconds, "Instead of the experiment's own")
      ->check(Between(1, 1e7))
      ->type_name("SECONDS");
  measure->add_option("--load", options.load, "Times the experiment's loads, or a replay's speed")
      ->check(Scale())
      ->type_name("FACTOR");
  measure
      ->add_option("--connections", options.connections,
                   "So many at once; otherwise as many as it takes to keep the schedule")
      ->check(WholeBetween(1, 4'096))
      ->type_name("N");
  measure
      ->add_option("--warmup", options.warm_up_seconds,
                   "Seconds of the load before the run, which are left out of all figures")
      ->check(Seconds())
      ->capture_default_str()
      ->type_name("SECONDS");
  measure->add_option("--items", options.items, "Load at most so many into a table, for reads")
      ->check(WholeBetween(0, 1'000'000'000))
      ->capture_default_str()
      ->type_name("N");
  measure->callback([exit_code] { *exit_code = FinishRun(LabMeasure(options)); });
  measure->footer(
      "Tables are made, and deleted afterwards. Ctrl-C ends the run and shows what there is so "
      "far.\n"
      "Examples:\n"
      "  dynolith lab measure ycsb-a --design 2,000/s --duration 30\n"
      "  dynolith lab measure ycsb-a --endpoint http://localhost:8000 --report ycsb-a.html\n"
      "  dynolith lab measure shop.toml --endpoint https://dynamodb.eu-west-1.amazonaws.com");
}

void AddLabAdvise(CLI::App* lab, int* exit_code) {
  static LabAdviseOptions options;
  static uint64_t seed = 0;
  static double throttled = 0;
  CLI::App* const advise = lab->add_subcommand(
      "advise", "Find the cheapest design that serves a load, and say why others do not");
  advise
      ->add_option("EXPERIMENT", options.experiment,
                   "File, or the name or number of an experiment of dynolith lab list")
      ->required();
  CLI::Option* const share =
      advise
          ->add_option("--throttled", throttled,
                       "Part of any access that may be throttled, such as 0.001; instead of the "
                       "experiment's own")
          ->check(Between(0, 1))
          ->type_name("SHARE");
  advise->add_option("--design", options.design, "Begin with this one instead of with none")
      ->type_name("NAME");
  CLI::Option* const given =
      advise->add_option("--seed", seed, "Instead of the experiment's own")->type_name("N");
  advise->add_option("--threads", options.threads, "Simulations at a time; all cores by default")
      ->check(WholeBetween(1, 1'024))
      ->type_name("N");
  advise->add_option("--prices", options.prices_file, "Instead of those of dynolith lab prices")
      ->check(Path())
      ->type_name("FILE");
  advise->add_option("--json", options.json_file, "Write the advice as JSON")
      ->check(Path())
      ->type_name("FILE");
  advise
      ->add_option("--report", options.report_file,
                   "Write a page for a browser with the designs side by side")
      ->check(Path())
      ->type_name("FILE");
  advise->callback([exit_code, given, share] {
    if (given->count() > 0) options.seed = seed;
    if (share->count() > 0) options.throttled = throttled;
    const absl::StatusOr<bool> is_complete = LabAdvise(options);
    *exit_code = is_complete.ok() && !*is_complete ? kInterrupted : Finish(is_complete.status());
  });
  advise->footer(
      "What may change stands in the experiment's [advise]; without it billing, units, auto "
      "scaling,\n"
      "shards of indexes, and the shards of what some design has in shards. There also stand what "
      "is\n"
      "kept in reserve (utilization, 0.7), whether saved capacity counts (burst, no), in how many\n"
      "placements of the keys a design is tried (placements, 20) and in what part of them it has "
      "to\n"
      "serve (serves, 0.95). Ctrl-C ends the search and shows what there is so far.\n"
      "Examples:\n"
      "  dynolith lab advise celebrity\n"
      "  dynolith lab advise date-key --throttled 0.01\n"
      "  dynolith lab advise shop.toml --report advice.html --json advice.json");
}

}  // namespace

void AddLab(CLI::App* app, int* exit_code) {
  static std::string file;
  static std::string shipped;
  static std::string checked;
  CLI::App* const lab = app->add_subcommand(
      "lab", "Experiments on hot partitions, sharding, capacity and what they cost");
  lab->require_subcommand(1);
  CLI::App* const make = lab->add_subcommand("new", "Write a commented experiment to begin with");
  make->add_option("FILE", file, "That is not there yet; standard output if it is left out");
  make->add_option("--from", shipped,
                   "A copy of this experiment of dynolith lab list; replay: one that replays a "
                   "trace")
      ->type_name("NAME");
  make->callback([exit_code] { *exit_code = Finish(LabNew(file, shipped)); });
  CLI::App* const check =
      lab->add_subcommand("check", "Say what in an experiment's file makes no sense, and where");
  check->add_option("FILE", checked, "Experiment")->required();
  check->callback([exit_code] { *exit_code = Finish(LabCheck(checked)); });
  lab->add_subcommand("list", "The experiments that come with the program")->callback([exit_code] {
    *exit_code = Finish(LabList());
  });
  lab->add_subcommand("prices", "The prices by which costs are reckoned, as a file to edit")
      ->callback([exit_code] { *exit_code = Finish(LabPrices()); });
  AddLabTrace(lab, exit_code);
  AddLabSimulate(lab, exit_code);
  AddLabMeasure(lab, exit_code);
  AddLabAdvise(lab, exit_code);
  lab->footer(
      "Examples:\n"
      "  dynolith lab list\n"
      "  dynolith lab simulate celebrity\n"
      "  dynolith lab measure ycsb-b --endpoint http://localhost:8000\n"
      "  dynolith lab new shop.toml\n"
      "  dynolith lab simulate shop.toml\n"
      "  dynolith lab advise shop.toml");
}

}  // namespace dynolith
