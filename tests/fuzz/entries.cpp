#include "fuzz/entries.h"

#include <cstdlib>
#include <string>
#include <vector>

#include "fixtures/memory_source.h"
#include "stream/record_reader.h"
#include "stream/stop_words.h"
#include "stream/text.h"
#include "stream/time_parse.h"
#include "stream/tokeniser.h"
#include "support/error.h"

namespace meteor::fuzz {
namespace {

void require(bool promise) {
  if (!promise) std::abort();
}

AttributeSettings attribute(const std::string& column) {
  AttributeSettings settings;
  settings.name = column;
  settings.column = column;
  return settings;
}

/// Columns t, u, i, w, y and x: one of every kind of attribute.
std::vector<AttributeSettings> all_kinds(std::string separator) {
  std::vector<AttributeSettings> attributes{attribute("u"), attribute("i"), attribute("w"), attribute(""),
                                            attribute("")};
  attributes[1].separator = std::move(separator);
  attributes[2].tokens = TokenKind::words;
  attributes[3].latitude = std::string("y");
  attributes[3].longitude = std::string("x");
  attributes[4].time = TimeKind::hour_of_week;
  return attributes;
}

/// All that a reader gives, as one text.
std::string transcript(std::string_view input, std::size_t step, const StreamSettings& stream,
                       const std::vector<AttributeSettings>& attributes) {
  std::string out;
  Rejects rejects("fuzz", 1);
  try {
    RecordReader reader(std::make_unique<testing::MemorySource>(std::string(input), step), stream, attributes, rejects);
    TextRecord record;
    std::uint64_t line = 0;
    while (reader.next(record)) {
      require(record.line > line && record.number == reader.records());
      require(record.time >= earliest_time && record.time <= latest_time);
      line = record.line;
      out += std::to_string(record.line) + "@" + std::to_string(record.time);
      for (const TextUnit& unit : record.units) {
        require(!unit.name.empty() && text_fault(unit.name).empty());
        out += static_cast<char>('0' + static_cast<int>(unit.attribute));
        out += unit.name;
      }
    }
    require(reader.bytes() == input.size());
  } catch (const InputError& error) {
    out += error.what();
  }
  return out + "!" + std::to_string(rejects.count());
}

}  // namespace

void read_records(std::string_view input) {
  if (input.empty()) return;
  const auto choice = static_cast<unsigned char>(input.front());
  input.remove_prefix(1);
  StreamSettings stream;
  stream.format = (choice & 1) != 0 ? StreamFormat::jsonl : StreamFormat::csv;
  stream.time = std::string("t");
  stream.max_line_bytes = std::uint64_t{16} << ((choice >> 1) & 7);
  static const std::vector by_blank = all_kinds(" ");
  static const std::vector by_text = all_kinds("||");
  const auto& attributes = (choice & 16) != 0 ? by_text : by_blank;
  const std::string whole = transcript(input, input.size() + 1, stream, attributes);
  const std::string in_pieces = transcript(input, 1 + (choice >> 5), stream, attributes);
  require(whole == in_pieces);
}

void cut_words(std::string_view input) {
  std::string storage;
  storage.reserve(2 * input.size());
  const char* place = storage.data();
  std::vector<std::string_view> words;
  append_words(input, storage, words);
  require(storage.data() == place);
  for (const std::string_view word : words) require(word.size() > 1 && text_fault(word).empty() && !is_stop_word(word));
}

void decompress(std::string_view input) {
  if (input.empty()) return;
  const auto choice = static_cast<unsigned char>(input.front());
  auto compressed = std::make_unique<testing::MemorySource>(std::string(input.substr(1)), 1 + (choice >> 1));
  const auto source =
      (choice & 1) != 0 ? decompress_zstd(std::move(compressed)) : decompress_gzip(std::move(compressed));
  std::string block(1000, '\0');
  constexpr std::size_t enough = std::size_t{1} << 20;  // a small input may hold gigabytes of zeros
  for (std::size_t total = 0; total < enough;) {
    const std::size_t count = source->read(block);
    if (count == 0) {
      require(source->read(block) == 0);
      return;
    }
    require(count <= block.size());
    total += count;
  }
}

}  // namespace meteor::fuzz
