// Runs a fuzz target without a fuzzer: over every file of its corpus, then over seeded random
// mutations of them, so that each target is also an ordinary test under every compiler.
//
//   <target>_fuzz [--seed=N] [--runs=N] [--seconds=N] <corpus folder or file>...
//
// A crash leaves its input in ./crash-<seed>-<run>, to be run again by naming that file.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

constexpr size_t kInputBytesMax = 64 << 10;

struct Options {
  uint64_t seed = 1;
  uint64_t runs = 10000;
  int seconds = 10;
  std::vector<std::string> paths;
};

// What the crash handler writes. Plain data: nothing else may be touched in a signal handler.
const uint8_t* current_data = nullptr;
size_t current_size = 0;
char crash_file[64] = "crash";

void OnCrash(int signal_number) {
  if (FILE* file = std::fopen(crash_file, "wb")) {
    std::fwrite(current_data, 1, current_size, file);
    std::fclose(file);
  }
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

void Run(const std::string& input) {
  // A buffer of exactly this size, so that a read beyond it is caught.
  std::vector<uint8_t> bytes(input.begin(), input.end());
  current_data = bytes.data();
  current_size = bytes.size();
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
}

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

std::vector<std::string> ReadCorpus(const std::vector<std::string>& paths) {
  std::vector<std::filesystem::path> files;
  for (const std::string& path : paths) {
    if (!std::filesystem::is_directory(path)) {
      files.emplace_back(path);
      continue;
    }
    for (const auto& entry : std::filesystem::directory_iterator(path)) files.push_back(entry);
  }
  std::sort(files.begin(), files.end());
  std::vector<std::string> inputs;
  for (const auto& file : files) inputs.push_back(ReadFile(file));
  return inputs;
}

class Mutator {
 public:
  Mutator(const std::vector<std::string>* corpus, uint64_t seed) : corpus_(corpus), random_(seed) {}

  std::string Next() {
    std::string input = Pick();
    const size_t changes = 1 + Below(5);
    for (size_t i = 0; i < changes; ++i) Change(&input);
    if (input.size() > kInputBytesMax) input.resize(kInputBytesMax);
    return input;
  }

 private:
  size_t Below(size_t bound) { return bound == 0 ? 0 : random_() % bound; }
  const std::string& Pick() { return (*corpus_)[Below(corpus_->size())]; }

  void Change(std::string* input) {
    const size_t at = Below(input->size() + 1);
    switch (Below(7)) {
      case 0:
        if (at < input->size()) (*input)[at] = static_cast<char>(random_());
        break;
      case 1:
        if (at < input->size()) (*input)[at] ^= static_cast<char>(1 << Below(8));
        break;
      case 2:
        input->insert(at, 1 + Below(4), static_cast<char>(random_()));
        break;
      case 3:
        input->erase(at, 1 + Below(8));
        break;
      case 4: {  // A piece of another input.
        const std::string& other = Pick();
        const size_t from = Below(other.size());
        input->insert(at, other.substr(from, 1 + Below(32)));
        break;
      }
      case 5: {  // A piece of itself again, many times: depth and length.
        const std::string piece = input->substr(at, 1 + Below(16));
        std::string repeated;
        for (size_t i = Below(64); i > 0; --i) repeated += piece;
        input->insert(at, repeated);
        break;
      }
      default:
        input->resize(at);
    }
  }

  const std::vector<std::string>* corpus_;
  std::mt19937_64 random_;
};

Options ReadOptions(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const char* value = argv[i] + std::min(argument.find('=') + 1, argument.size());
    if (argument.starts_with("--seed=")) {
      options.seed = std::strtoull(value, nullptr, 10);
    } else if (argument.starts_with("--runs=")) {
      options.runs = std::strtoull(value, nullptr, 10);
    } else if (argument.starts_with("--seconds=")) {
      options.seconds = std::atoi(value);
    } else {
      options.paths.emplace_back(argument);
    }
  }
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = ReadOptions(argc, argv);
  for (int number : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL}) signal(number, OnCrash);
  const std::vector<std::string> corpus = ReadCorpus(options.paths);
  if (corpus.empty()) {
    std::cerr << "no corpus in the given paths\n";
    return 1;
  }
  std::snprintf(crash_file, sizeof crash_file, "crash-corpus");
  for (const std::string& input : corpus) Run(input);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(options.seconds);
  Mutator mutator(&corpus, options.seed);
  uint64_t run = 0;
  for (; run < options.runs && std::chrono::steady_clock::now() < deadline; ++run) {
    std::snprintf(crash_file, sizeof crash_file, "crash-%llu-%llu",
                  static_cast<unsigned long long>(options.seed),
                  static_cast<unsigned long long>(run));
    Run(mutator.Next());
  }
  std::cout << corpus.size() << " inputs and " << run << " mutations with seed " << options.seed
            << "\n";
  return 0;
}
