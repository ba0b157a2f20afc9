#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string>
#include <vector>

#include "stream/record_reader.h"
#include "stream/tokeniser.h"
#include "support/random.h"

namespace meteor {
namespace {

constexpr std::size_t records = 50'000;

/// Bytes that lie in memory, so that the disk is not measured.
class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(std::string_view bytes) : ByteSource("memory"), left_(bytes) {}
  std::size_t read(std::span<char> space) override {
    const std::size_t count = std::min(space.size(), left_.size());
    std::memcpy(space.data(), left_.data(), count);
    left_.remove_prefix(count);
    return count;
  }

 private:
  std::string_view left_;
};

/// Calls `write(time, user, items)` for each of a number of baskets.
template <class Write>
void generate_baskets(Write&& write) {
  Random random{1};
  std::vector<std::uint32_t> items;
  for (std::size_t i = 0; i < records; ++i) {
    items.clear();
    const std::uint32_t count = 1 + random.below(40);
    for (std::uint32_t k = 0; k < count; ++k) items.push_back(10'000 + random.below(80'000));
    write(1'291'191'960 + 30 * i, random.below(5000), items);
  }
}

std::string csv_baskets(bool quoted) {
  std::string text = "timestamp,user,items\n";
  generate_baskets([&](std::size_t time, std::uint32_t user, const std::vector<std::uint32_t>& items) {
    fmt::format_to(std::back_inserter(text), fmt::runtime(quoted ? "{},{},\"{}\"\n" : "{},{},{}\n"), time, user,
                   fmt::join(items, " "));
  });
  return text;
}

std::string json_baskets() {
  std::string text;
  generate_baskets([&](std::size_t time, std::uint32_t user, const std::vector<std::uint32_t>& items) {
    text +=
        fmt::format("{{\"timestamp\":{},\"user\":\"{}\",\"items\":[\"{}\"]}}\n", time, user, fmt::join(items, "\",\""));
  });
  return text;
}

AttributeSettings attribute(const std::string& column, const std::string& separator) {
  AttributeSettings settings;
  settings.name = column;
  settings.column = column;
  settings.separator = separator;
  return settings;
}

void read_all(benchmark::State& state, const std::string& text, StreamFormat format) {
  StreamSettings stream;
  stream.format = format;
  const std::vector attributes{attribute("user", ""), attribute("items", " ")};
  std::size_t units = 0;
  for (auto _ : state) {
    Rejects rejects("memory", 0);
    RecordReader reader(std::make_unique<MemorySource>(text), stream, attributes, rejects);
    TextRecord record;
    units = 0;
    while (reader.next(record)) units += record.units.size();
    benchmark::DoNotOptimize(units);
  }
  const auto rounds = static_cast<std::int64_t>(state.iterations());
  state.SetBytesProcessed(rounds * static_cast<std::int64_t>(text.size()));
  state.counters["units"] =
      benchmark::Counter(static_cast<double>(units), benchmark::Counter::kIsIterationInvariantRate);
}

void csv(benchmark::State& state) { read_all(state, csv_baskets(false), StreamFormat::csv); }
void csv_quoted(benchmark::State& state) { read_all(state, csv_baskets(true), StreamFormat::csv); }
void jsonl(benchmark::State& state) { read_all(state, json_baskets(), StreamFormat::jsonl); }

void tokenise(benchmark::State& state, std::string_view text) {
  std::string storage;
  std::vector<std::string_view> words;
  storage.reserve(2 * text.size());
  for (auto _ : state) {
    storage.clear();
    words.clear();
    append_words(text, storage, words);
    benchmark::DoNotOptimize(words.data());
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * static_cast<std::int64_t>(text.size()));
}

BENCHMARK(csv)->Unit(benchmark::kMillisecond);
BENCHMARK(csv_quoted)->Unit(benchmark::kMillisecond);
BENCHMARK(jsonl)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(
    tokenise, ascii,
    "Best espresso of Brooklyn, don't miss it! @ Cafe Grumpy's on 7th Ave #coffee https://t.co/AbC123 with @joe");
BENCHMARK_CAPTURE(
    tokenise, unicode,
    "Лучший кофе в Бруклине — café crème für 3 €, größte Auswahl ☕ #кофе 東京のカフェ https://t.co/AbC123");

}  // namespace
}  // namespace meteor

BENCHMARK_MAIN();
