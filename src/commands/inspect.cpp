#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "commands/command_line.h"
#include "storage/checkpoint.h"
#include "storage/guarded_read.h"
#include "support/printable.h"

namespace meteor {
namespace {

using nlohmann::ordered_json;

constexpr const char* footer = R"(
The file is read in full and compared with the hashes that it holds, so one that is shown is intact. model_bytes is what
a deployed model needs (names of units, counts and ages of units do not count); full_bytes is the same units as plain floats.
With --json the datasets and all figures can be read by programs.

  meteor inspect baskets.h5)";

const char* type_name(ElementType type) {
  switch (type) {
    case ElementType::u8:
      return "u8";
    case ElementType::u16:
      return "u16";
    case ElementType::u32:
      return "u32";
    case ElementType::u64:
      return "u64";
    case ElementType::f32:
      return "f32";
  }
  return "";
}

/// How far the run of a checkpoint had come.
ordered_json run_description(const Checkpoint& checkpoint) {
  const RunState& run = checkpoint.run;
  return {{"windows", run.windows},
          {"records", run.records},
          {"input_bytes", run.end.offset},
          {"input_line", run.end.line},
          {"input_records", run.end.records},
          {"rejected", run.end.rejected},
          {"window_waits", checkpoint.waiting.has_value()}};
}

ordered_json description(const std::string& path) {
  const FileKind kind = file_kind(path);
  std::optional<Checkpoint> checkpoint;
  if (kind.format == kCheckpointFormat) checkpoint = load_checkpoint(path);
  const StoredModel stored = checkpoint ? std::move(checkpoint->stored) : load_model(path);
  const Model& model = stored.model;
  const std::vector<Array> content = model_content(stored.vocabulary, model);
  ordered_json object;
  object["format"] = kind.format;
  object["format_version"] = kind.format_version;
  object["program_version"] = kind.program_version;
  if (checkpoint) object["run"] = run_description(*checkpoint);
  object["scheme"] = model.embeddings->scheme();
  object["dimension"] = model.dimension;
  object["windows"] = model.windows;
  object["units"] = ordered_json::object();
  std::vector<std::uint64_t> counts(stored.settings.attributes.size());
  for (const AttributeId attribute : model.attributes) ++counts[index(attribute)];
  for (std::size_t a = 0; a < counts.size(); ++a) object["units"][stored.settings.attributes[a].name] = counts[a];
  const std::uint64_t bytes = decoding_bytes(content);
  object["model_bytes"] = bytes;
  object["full_bytes"] = model.full_bytes();
  object["share"] = model.units() > 0 ? static_cast<double>(bytes) / static_cast<double>(model.full_bytes()) : 0;
  object["bytes_per_new_unit"] = model.bytes_per_new_unit();
  for (const NamedSize& size : model.embeddings->sizes()) object[std::string(size.name)] = size.size;
  object["model_sha256"] = content_hash(content);
  object["datasets"] = ordered_json::array();
  for (const Array& array : content) {
    object["datasets"].push_back(
        {{"name", array.name}, {"type", type_name(array.type)}, {"shape", array.shape}, {"bytes", array.bytes()}});
  }
  return object;
}

std::string as_text(const ordered_json& object) {
  std::string text;
  const auto line = [&](std::string_view label, const std::string& value) {
    text += fmt::format("{:<20}{}\n", printable(label), printable(value));
  };
  const auto number = [&](const char* key) { return object[key].get<std::uint64_t>(); };
  line("format", fmt::format("{}, version {}", object["format"].get<std::string>(), number("format_version")));
  line("program_version", object["program_version"].get<std::string>());
  if (object.contains("run")) {
    const ordered_json& run = object["run"];
    line("run", fmt::format("{} windows, {} records learnt{}", run["windows"].dump(), run["records"].dump(),
                            run["window_waits"] ? "; the last window waits to be compressed" : ""));
    line("input", fmt::format("{} bytes, to line {}, {} records read, {} rejected", run["input_bytes"].dump(),
                              run["input_line"].dump(), run["input_records"].dump(), run["rejected"].dump()));
  }
  line("scheme", object["scheme"].get<std::string>());
  for (const char* key : {"dimension", "windows", "clusters", "basis_vectors"}) {
    if (object.contains(key)) line(key, std::to_string(number(key)));
  }
  for (const auto& [attribute, count] : object["units"].items()) line("units of " + attribute, count.dump());
  line("model_bytes",
       fmt::format("{} ({:.1f} % of full_bytes)", number("model_bytes"), 100 * object["share"].get<double>()));
  line("full_bytes", std::to_string(number("full_bytes")));
  line("bytes_per_new_unit", fmt::format("{:.1f}", object["bytes_per_new_unit"].get<double>()));
  line("model_sha256", object["model_sha256"].get<std::string>());
  text += fmt::format("\n{:<34}{:<6}{:>16}{:>14}\n", "dataset", "type", "shape", "bytes");
  for (const ordered_json& dataset : object["datasets"]) {
    text +=
        fmt::format("{:<34}{:<6}{:>16}{:>14}\n", dataset["name"].get<std::string>(), dataset["type"].get<std::string>(),
                    fmt::format("{}", fmt::join(dataset["shape"].get<std::vector<std::uint64_t>>(), " x ")),
                    dataset["bytes"].get<std::uint64_t>());
  }
  return text;
}

}  // namespace

void add_inspect_command(CLI::App& program, Ranks& /*ranks*/) {
  CLI::App* command = program.add_subcommand("inspect", "Check that a model or checkpoint is intact and describe it");
  const auto path = std::make_shared<std::string>();
  const auto as_json = std::make_shared<bool>(false);
  command->add_option("FILE", *path, "The model or checkpoint")->required()->type_name("");
  command->add_flag("--json", *as_json, "Print JSON instead of text");
  command->footer(footer);
  command->callback([path, as_json] {
    // Whoever looks at a file may not know where it comes from, and libraries may crash on it.
    const auto describe = [&] {
      return description(*path).dump(-1, ' ', false, ordered_json::error_handler_t::replace);
    };
    const auto object = ordered_json::parse(guarded_read(*path, limits_of(*path), describe));
    fmt::print("{}", *as_json ? printable_strings(object.dump(2)) + "\n" : as_text(object));
  });
}

}  // namespace meteor
