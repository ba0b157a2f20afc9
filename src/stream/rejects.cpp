#include "stream/rejects.h"

#include <fmt/format.h>

#include "stream/text.h"
#include "support/error.h"

namespace meteor {
namespace {

constexpr std::size_t excerpt_bytes = 200;
constexpr std::size_t examples_kept = 3;
constexpr std::uint64_t records_before_early_failure = 1000;

/// Control characters as in C, and where the text is not UTF-8 all that is not ASCII.
std::string escaped(std::string_view text) {
  const bool utf8 = text_fault(text) != "invalid UTF-8";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\\') {
      out += "\\\\";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else if (byte < 0x20 || byte == 0x7f || (byte >= 0x80 && !utf8)) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

Rejects::Rejects(std::string input, double max_fraction, const std::filesystem::path& file, SideFile::Kept kept)
    : input_(std::move(input)), max_fraction_(max_fraction) {
  if (!file.empty()) file_.emplace(file, kept);
}

void Rejects::go_on_from(std::uint64_t rejected, std::uint64_t accepted) {
  count_ = rejected;
  accepted_ = accepted;
}

void Rejects::add(std::uint64_t line, std::string_view reason, std::string_view text) {
  ++count_;
  if (first_.size() < examples_kept) first_.push_back({line, escaped(reason.substr(0, excerpt_bytes))});
  if (file_) {
    file_->write(window_, fmt::format("{}\t{}\t{}\t{}\n", escaped(input_), line, escaped(reason),
                                      escaped(text.substr(0, excerpt_bytes))));
  }
  const bool hopeless = count_ + accepted_ >= records_before_early_failure && fraction() > 0.5 * (1 + max_fraction_);
  if (max_fraction_ <= 0 || hopeless) fail("so reading stopped early");
}

void Rejects::check() {
  if (file_) file_->finish();
  if (count_ > 0 && fraction() > max_fraction_) fail("at the end of the input");
}

double Rejects::fraction() const { return static_cast<double>(count_) / static_cast<double>(count_ + accepted_); }

void Rejects::fail(std::string_view moment) {
  std::string examples;
  for (const Example& example : first_)
    examples += fmt::format("{}line {}: {}", examples.empty() ? "" : "; ", example.line, example.reason);
  throw InputError(
      fmt::format("{}: {} of {} records were rejected, {}: stream.max_reject_fraction is {}; the first: {}", input_,
                  count_, count_ + accepted_, moment, max_fraction_, examples));
}

}  // namespace meteor
