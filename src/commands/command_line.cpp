#include "commands/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <new>
#include <string>
#include <vector>

#include "support/error.h"
#include "support/log.h"
#include "support/nearest_name.h"
#include "support/version.h"

namespace meteor {
namespace {

constexpr const char* description =
    "Learns embeddings from a stream of records (baskets, check-ins, posts) window by window, and keeps\n"
    "them compressed, in a fraction of the memory of full embeddings.";

constexpr const char* footer = R"(
To start:
  meteor generate --kind shopping --records 100000 --seed 1 --output baskets.csv
  meteor train --config configs/shopping.toml --input baskets.csv --model baskets.h5
  meteor nn --model baskets.h5 --unit items:<name>

Every setting of a configuration can be given as --set key=value too; `meteor settings` shows the outcome.

Exit status: 0 done; 2 wrong command line or configuration; 3 input unusable; 4 checkpoint or model unusable;
75 stopped on a signal after a checkpoint, the same command goes on; 1 anything else.)";

int number(ExitStatus status) { return static_cast<int>(status); }

std::string unknown_command(const CLI::App& program, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::App* command : program.get_subcommands({})) names.push_back(command->get_name());
  const auto meant = nearest_name(word, names);
  return fmt::format("there is no command {}{}", word, meant ? fmt::format(" (did you mean {}?)", *meant) : "");
}

/// Help and version are "errors" of CLI11 with status 0; it prints them itself.
int end_parsing(const CLI::App& program, const CLI::ParseError& error, std::string_view first_word) {
  if (error.get_exit_code() == 0) return program.exit(error);
  const auto chosen = program.get_subcommands();
  const bool unknown = chosen.empty() && !first_word.empty() && !first_word.starts_with('-');
  log_error("{}; meteor{} --help tells more",
            unknown ? unknown_command(program, std::string(first_word)) : std::string(error.what()),
            chosen.empty() ? "" : " " + chosen.front()->get_name());
  return number(ExitStatus::usage);
}

/// A line for each: configurations may have several.
void tell_faults(std::string_view faults) {
  for (std::size_t start = 0; start <= faults.size();) {
    const std::size_t end = std::min(faults.find('\n', start), faults.size());
    log_error("{}", faults.substr(start, end - start));
    start = end + 1;
  }
}

void flush_output() {
  if (std::fflush(stdout) != 0) throw Error(ExitStatus::failed, "standard output cannot be written");
}

}  // namespace

int tell_failure() {
  try {
    throw;
  } catch (const Error& error) {
    if (error.status() == ExitStatus::usage) {
      tell_faults(error.what());
    } else {
      log_error("{}", error.what());
    }
    return number(error.status());
  } catch (const std::bad_alloc&) {
    log_error("there is not enough memory: use a shorter stream.window or a smaller learning.dimension");
  } catch (const std::exception& error) {
    log_error("{}", error.what());
  }
  return number(ExitStatus::failed);
}

int run_command_line(int argc, const char* const* argv) {
  OneRank ranks;
  return run_command_line(argc, argv, ranks);
}

int run_command_line(int argc, const char* const* argv, Ranks& ranks) {
  try {
    CLI::App program(description, "meteor");
    program.set_version_flag("--version", fmt::format("meteor {}", program_version()));
    program.require_subcommand(1);
#define METEOR_ADD(name) add_##name##_command(program, ranks);
    METEOR_COMMANDS(METEOR_ADD)
#undef METEOR_ADD
    program.footer(footer);  // last, because commands inherit what is set before them
    try {
      program.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
      return end_parsing(program, error, argc > 1 ? argv[1] : "");
    }
    flush_output();
    return number(ExitStatus::done);
  } catch (...) {
    return tell_failure();
  }
}

}  // namespace meteor
