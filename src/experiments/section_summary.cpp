#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "experiments/known_streams.h"
#include "experiments/sections.h"

namespace meteor {
namespace {

constexpr double kCompressed = 0.5;  // of full's bytes, at most: what counts as compressed

/// Quality and size of a method on a stream.
struct Standing {
  std::string variant;
  double mrr = 0;
  double share = 0;
};

/// All embeddings that were measured on a stream.
std::vector<Standing> standings(const Results& results, const std::string& stream) {
  std::vector<Standing> all;
  for (const Variant& variant : experiment_named("retrieval").variants) {
    const auto mrr = results.spread(stream, variant.name, "mrr");
    const auto share = results.spread(stream, variant.name, "share");
    if (mrr && share && !is_counting(variant.name)) all.push_back({variant.name, mrr->mean, share->mean});
  }
  return all;
}

std::string best_compressed(const std::vector<Standing>& all) {
  const Standing* best = nullptr;
  for (const Standing& one : all) {
    if (one.share <= kCompressed && (best == nullptr || one.mrr > best->mrr)) best = &one;
  }
  return best != nullptr ? best->variant : "";
}

bool is_unbeaten(const Standing& one, const std::vector<Standing>& all) {
  return std::none_of(all.begin(), all.end(),
                      [&](const Standing& other) { return other.share <= one.share && other.mrr > one.mrr; });
}

/// The method's cell for a stream, marked where it is the best.
Cell marked_cell(const Results& results, const std::string& stream, const std::string& variant) {
  Cell cell = result_cell(results, stream, variant, "mrr");
  const std::vector<Standing> all = standings(results, stream);
  const auto own =
      std::find_if(all.begin(), all.end(), [&](const Standing& standing) { return standing.variant == variant; });
  if (own == all.end()) return cell;
  if (variant == best_compressed(all)) {
    cell.css_class = "best";
    cell.text = "★ " + cell.text;
  } else if (own->share <= kCompressed && is_unbeaten(*own, all)) {
    cell.text = "◆ " + cell.text;
  }
  return cell;
}

Table main_table(const Results& results, const std::vector<std::string>& streams) {
  Table table{"MRR (mean ± standard deviation over seeds) and bytes of the model in per cent of full embeddings",
              {{"method"}},
              {}};
  for (const std::string& stream : streams) {
    table.columns.push_back({"MRR", stream_title(stream)});
    table.columns.push_back({"bytes", stream_title(stream)});
  }
  for (const Variant& variant : experiment_named("retrieval").variants) {
    std::vector<Cell> row = {{.text = variant.name}};
    bool measured = false;
    for (const std::string& stream : streams) {
      row.push_back(marked_cell(results, stream, variant.name));
      row.push_back(result_cell(results, stream, variant.name, "share"));
      measured = measured || row.back().value;
    }
    if (measured) table.rows.push_back(std::move(row));
  }
  return table;
}

std::string tile(const std::string& figure, const std::string& meaning) {
  return fmt::format("<li><b>{}</b> {}</li>", escape(figure), escape(meaning));
}

/// How much of full's quality METEOR keeps, and in which share of its bytes: the mean over streams that have both.
std::string kept_quality(const Results& results, const std::vector<std::string>& streams) {
  double quality = 0;
  double share = 0;
  std::size_t count = 0;
  for (const std::string& stream : streams) {
    const auto full = results.spread(stream, "full", "mrr");
    const auto ours = results.spread(stream, "meteor", "mrr");
    const auto bytes = results.spread(stream, "meteor", "share");
    if (!full || !ours || !bytes || full->mean <= 0) continue;
    quality += ours->mean / full->mean;
    share += bytes->mean;
    ++count;
  }
  if (count == 0) return "";
  return tile(percent_text(quality / static_cast<double>(count)), "of full’s MRR is what meteor reaches,") +
         tile(percent_text(share / static_cast<double>(count)),
              fmt::format("of full’s bytes is what it needs for that{}",
                          count > 1 ? fmt::format(" (mean of {} streams)", count) : ""));
}

}  // namespace

Section summary_section(const Results& results) {
  Section section{"summary", "Summary", ""};
  const std::vector<std::string> streams = results.streams();
  std::set<std::uint64_t> seeds;
  for (const RunResult& run : results.runs) seeds.insert(run.seed);
  section.body +=
      fmt::format("<ul class=\"tiles\">{}{}{}{}</ul>\n", kept_quality(results, streams),
                  tile(count_text(static_cast<double>(results.runs.size())), "runs"),
                  tile(count_text(static_cast<double>(streams.size())), streams.size() == 1 ? "stream" : "streams"),
                  tile(count_text(static_cast<double>(seeds.size())), seeds.size() == 1 ? "seed" : "seeds"));
  const Table table = main_table(results, streams);
  if (table.rows.empty()) {
    section.body += paragraph("Missing: no run of the methods that are compared (meteor experiment retrieval).", "gap");
    return section;
  }
  section.body += html(table);
  section.body += paragraph(
      "★ the best compressed embeddings of a stream, of at most half of full’s bytes. ◆ no embeddings of as many bytes "
      "or fewer "
      "are better. popularity and lift count units and pairs; they are no embeddings and get no mark.",
      "note");
  return section;
}

}  // namespace meteor
