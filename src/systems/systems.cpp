#include "systems/systems.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>
#include <vector>

#include "config/setting_values.h"
#include "stream/byte_source.h"
#include "support/error.h"
#include "support/nearest_name.h"

namespace meteor {
namespace {

/// What a system's number may be, after its name and a colon.
struct Parameter {
  double least;
  double most;
  std::string_view example;
  bool whole = true;
  std::optional<double> unless_given = {};  ///< none: it has to be
};

struct NamedSystem {
  std::string_view name;
  std::string_view meaning;
  void (*apply)(System& system, double number);
  std::optional<Parameter> parameter = {};
};

/// The loss of the paper, in the axes that embeddings are born with.
LearningSettings& set_paper_loss(System& system) {
  system.settings.learning.shift = 0;
  system.settings.learning.fade = 1;
  system.settings.learning.context = Context::mean;
  system.settings.learning.axes = Axes::fixed;
  return system.settings.learning;
}

void set_full(System& system) {
  set_paper_loss(system);
  system.settings.compression.scheme = CompressionScheme::none;
}

void set_paper(System& system) {
  set_paper_loss(system);
  CompressionSettings& compression = system.settings.compression;
  compression.scheme = CompressionScheme::clusters;
  compression.clusters = ClusterKind::kmeans;
  compression.cluster_fraction = 0.01;
  compression.basis_fraction = 0.10;
  compression.lambda = 0.001;
  compression.allocation = BasisSharing::weighted;
  compression.precision = Precision::float32;
}

/// Full embeddings by SGD at a rate that does not depend on a record's agreement.
LearningSettings& set_sgd(System& system) {
  set_full(system);
  system.settings.learning.optimiser = Optimiser::sgd;
  system.settings.learning.tau = 0;
  return system.settings.learning;
}

void set_shared_vectors(System& system, CompressionScheme scheme, double percent) {
  set_paper_loss(system);
  system.settings.compression.scheme = scheme;
  system.settings.compression.vector_share = percent / 100.0;
}

constexpr Parameter kPercent{1, 100, "10"};
constexpr double kBayesKappa = 0.5;

const NamedSystem kSystems[] = {
    {"meteor", "as configured", [](System&, double) {}},
    {"uncompressed", "as configured, but embeddings are not compressed: what compression costs",
     [](System& system, double) { system.settings.compression.scheme = CompressionScheme::none; }},
    {"full", "METEOR-Full: embeddings are not compressed", [](System& system, double) { set_full(system); }},
    {"paper", "METEOR with the paper's scheme and parameters: clusters, each with a basis",
     [](System& system, double) { set_paper(system); }},
    {"meteor_uniform", "paper, with as many basis vectors for every cluster",
     [](System& system, double) {
       set_paper(system);
       system.settings.compression.allocation = BasisSharing::uniform;
     }},
    {"meteor_dense", "paper, without sparsity of the codes",
     [](System& system, double) {
       set_paper(system);
       system.settings.compression.lambda = 0;
     }},
    {"cons", "METEOR-Cons: full, SGD, embeddings are held near where a window starts",
     [](System& system, double) {
       LearningSettings& learning = set_sgd(system);
       const LearningSettings unless_set;
       if (learning.hold == unless_set.hold) learning.hold = 0.1;
       if (learning.sgd_rate == unless_set.sgd_rate) learning.sgd_rate = 0.2;  // records are learnt in one window only
     }},
    {"decay", "METEOR-Decay: full, SGD, recent records are learnt again",
     [](System& system, double) { set_sgd(system).replay = ReplayKind::decay; }},
    {"info", "METEOR-Info: as decay, those longer that the model explains least",
     [](System& system, double) { set_sgd(system).replay = ReplayKind::info; }},
    {"dim_reduct", "full, in D dimensions",
     [](System& system, double dimension) {
       set_full(system);
       system.settings.learning.dimension = static_cast<std::uint32_t>(dimension);
     },
     Parameter{1, 65536, "50"}},
    {"quantization", "full, each number in M bits",
     [](System& system, double bits) {
       set_paper_loss(system);
       system.settings.compression.scheme = CompressionScheme::quantised;
       system.settings.compression.bits = static_cast<std::uint32_t>(bits);
     },
     Parameter{1, 16, "4"}},
    {"hash_trick", "vectors for P per cent of the units, shared by hashing",
     [](System& system, double percent) { set_shared_vectors(system, CompressionScheme::hashed, percent); }, kPercent},
    {"dcn", "centroids for P per cent of the units, shared by the nearest",
     [](System& system, double percent) { set_shared_vectors(system, CompressionScheme::centroids, percent); },
     kPercent},
    {"popularity", "candidates by how often they were seen",
     [](System& system, double) { system.counts_by = {CountedBy::Kind::popularity}; }},
    {"lift", "candidates by how much more often than chance they met the rest of the record; K smooths",
     [](System& system, double kappa) {
       system.counts_by = {CountedBy::Kind::lift, kappa};
     },
     Parameter{0, 1e6, "0.1", false, 0}},
    {"bayes", "candidates by the product of these, smoothed by 0.5: naive Bayes",
     [](System& system, double) {
       system.counts_by = {CountedBy::Kind::bayes, kBayesKappa};
     }},
};

double number_of(const NamedSystem& system, std::string_view written, bool given) {
  if (!system.parameter) {
    if (given) throw UsageError(fmt::format("method {0} takes no number: write {0}", system.name));
    return 0;
  }
  const Parameter& parameter = *system.parameter;
  if (!given && parameter.unless_given) return *parameter.unless_given;
  double number = 0;
  const auto [end, error] = std::from_chars(written.data(), written.data() + written.size(), number);
  const bool read = error == std::errc() && end == written.data() + written.size();
  const bool fits = number >= parameter.least && number <= parameter.most;  // not a number does not
  if (!read || !fits || (parameter.whole && number != std::floor(number))) {
    throw UsageError(fmt::format("method {0} needs a {1}number from {2} to {3}, as in {0}:{4}", system.name,
                                 parameter.whole ? "whole " : "", parameter.least, parameter.most, parameter.example));
  }
  return number;
}

}  // namespace

std::string System::loss() const {
  if (counts_by) return "none";
  const auto& shift = settings.learning.shift;
  if (!shift) return "log lift";
  return *shift == 0 ? "paper" : "other";
}

System system_of(const std::string& name, const Settings& configured) {
  const std::size_t colon = name.find(':');
  const std::string word = name.substr(0, colon);
  std::vector<std::string> names;
  for (const NamedSystem& system : kSystems) {
    names.emplace_back(system.name);
    if (word != system.name) continue;
    const bool given = colon != std::string::npos;
    System made{configured};
    system.apply(made, number_of(system, given ? std::string_view(name).substr(colon + 1) : "", given));
    return made;
  }
  const auto meant = nearest_name(word, names);
  throw UsageError(fmt::format("there is no method {}{}; meteor evaluate --help lists them", word,
                               meant ? fmt::format(" (did you mean {}?)", *meant) : ""));
}

void check_evaluable(const System& system, const std::string& input) {
  const Settings& settings = system.settings;
  if (!is_rereadable(input)) {
    throw UsageError(fmt::format("evaluate reads its input twice: give a file instead of {}",
                                 input == "-" ? "standard input" : input + ", which is not one"));
  }
  const auto& all = settings.attributes;
  if (std::none_of(all.begin(), all.end(), [](const auto& attribute) { return attribute.target; })) {
    throw UsageError("no attribute is a target: evaluate needs one with target = true");
  }
  if (settings.learning.replay != ReplayKind::none && settings.parallel.staleness > 0) {
    throw UsageError("learning.replay needs parallel.staleness = 0");
  }
  const bool forgets =
      !system.counts_by && settings.learning.replay == ReplayKind::none && can_forget(settings.compression.scheme);
  if (settings.model.expire && !forgets) throw UsageError("this method forgets nothing: leave model.expire out");
}

std::string describe_systems() {
  std::string lines;
  for (const NamedSystem& system : kSystems) {
    const std::string written =
        system.parameter ? fmt::format("{}:{}", system.name, system.parameter->example) : std::string(system.name);
    lines += fmt::format("  {:15} {}\n", written, system.meaning);
  }
  return lines;
}

}  // namespace meteor
