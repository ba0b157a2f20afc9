#include "methods/systems.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <vector>

#include "support/error.h"
#include "support/nearest_name.h"

namespace meteor {
namespace {

/// What a system's number may be, after its name and a colon.
struct Parameter {
  std::uint32_t least;
  std::uint32_t most;
  std::string_view example;
};

struct NamedSystem {
  std::string_view name;
  std::string_view meaning;
  void (*apply)(System& system, std::uint32_t number);
  std::optional<Parameter> parameter = {};
};

void set_paper(CompressionSettings& compression) {
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
  system.settings.compression.scheme = CompressionScheme::none;
  system.settings.learning.optimiser = Optimiser::sgd;
  system.settings.learning.tau = 0;
  return system.settings.learning;
}

void set_shared_vectors(System& system, CompressionScheme scheme, std::uint32_t percent) {
  system.settings.compression.scheme = scheme;
  system.settings.compression.vector_share = percent / 100.0;
}

constexpr Parameter kPercent{1, 100, "10"};

const NamedSystem kSystems[] = {
    {"meteor", "as configured", [](System&, std::uint32_t) {}},
    {"full", "METEOR-Full: embeddings are not compressed",
     [](System& system, std::uint32_t) { system.settings.compression.scheme = CompressionScheme::none; }},
    {"paper", "METEOR with the paper's scheme and parameters: clusters, each with a basis",
     [](System& system, std::uint32_t) { set_paper(system.settings.compression); }},
    {"meteor_uniform", "paper, with as many basis vectors for every cluster",
     [](System& system, std::uint32_t) {
       set_paper(system.settings.compression);
       system.settings.compression.allocation = BasisSharing::uniform;
     }},
    {"meteor_dense", "paper, without sparsity of the codes",
     [](System& system, std::uint32_t) {
       set_paper(system.settings.compression);
       system.settings.compression.lambda = 0;
     }},
    {"cons", "METEOR-Cons: full, SGD, embeddings are held near where a window starts",
     [](System& system, std::uint32_t) {
       LearningSettings& learning = set_sgd(system);
       const LearningSettings unless_set;
       if (learning.hold == unless_set.hold) learning.hold = 0.1;
       if (learning.sgd_rate == unless_set.sgd_rate) learning.sgd_rate = 0.2;  // records are learnt in one window only
     }},
    {"decay", "METEOR-Decay: full, SGD, recent records are learnt again",
     [](System& system, std::uint32_t) { set_sgd(system).replay = ReplayKind::decay; }},
    {"info", "METEOR-Info: as decay, those longer that the model explains least",
     [](System& system, std::uint32_t) { set_sgd(system).replay = ReplayKind::info; }},
    {"dim_reduct", "full, in D dimensions",
     [](System& system, std::uint32_t dimension) {
       system.settings.compression.scheme = CompressionScheme::none;
       system.settings.learning.dimension = dimension;
     },
     Parameter{1, 65536, "50"}},
    {"quantization", "full, each number in M bits",
     [](System& system, std::uint32_t bits) {
       system.settings.compression.scheme = CompressionScheme::quantised;
       system.settings.compression.bits = bits;
     },
     Parameter{1, 16, "4"}},
    {"hash_trick", "vectors for P per cent of the units, shared by hashing",
     [](System& system, std::uint32_t percent) { set_shared_vectors(system, CompressionScheme::hashed, percent); },
     kPercent},
    {"dcn", "centroids for P per cent of the units, shared by the nearest",
     [](System& system, std::uint32_t percent) { set_shared_vectors(system, CompressionScheme::centroids, percent); },
     kPercent},
    {"popularity", "candidates by how often they were seen",
     [](System& system, std::uint32_t) { system.counts_by = CountedBy::popularity; }},
    {"lift", "candidates by how much more often than chance they were seen with the rest of the record",
     [](System& system, std::uint32_t) { system.counts_by = CountedBy::lift; }},
};

std::uint32_t number_of(const NamedSystem& system, std::string_view written, bool given) {
  if (!system.parameter) {
    if (given) throw UsageError(fmt::format("method {0} takes no number: write {0}", system.name));
    return 0;
  }
  const auto& [least, most, example] = *system.parameter;
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(written.data(), written.data() + written.size(), number);
  if (error != std::errc() || end != written.data() + written.size() || number < least || number > most) {
    throw UsageError(fmt::format("method {0} needs a whole number from {1} to {2}, as in {0}:{3}", system.name, least,
                                 most, example));
  }
  return number;
}

}  // namespace

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
  if (input == "-") throw UsageError("evaluate reads its input twice: give a file instead of standard input");
  const auto& all = settings.attributes;
  if (std::none_of(all.begin(), all.end(), [](const auto& attribute) { return attribute.target; })) {
    throw UsageError("no attribute is a target: evaluate needs one with target = true");
  }
  if (settings.learning.replay != ReplayKind::none && settings.parallel.staleness > 0) {
    throw UsageError("learning.replay needs parallel.staleness = 0");
  }
  const bool forgets = !system.counts_by && settings.learning.replay == ReplayKind::none &&
                       settings.compression.scheme != CompressionScheme::hashed;
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
