#include "compression/schemes.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "config/scheme_list.h"

namespace meteor {

#define METEOR_DECLARE(name, forgets) const Scheme& name##_scheme();
METEOR_SCHEMES(METEOR_DECLARE)
#undef METEOR_DECLARE

namespace {

struct NamedScheme {
  CompressionScheme scheme;
  std::string_view name;
  const Scheme& (*get)();
};

#define METEOR_ENTRY(name, forgets) NamedScheme{CompressionScheme::name, #name, name##_scheme},
constexpr std::array kSchemes{METEOR_SCHEMES(METEOR_ENTRY)};
#undef METEOR_ENTRY

}  // namespace

const Scheme& scheme_of(CompressionScheme scheme) {
  return std::ranges::find(kSchemes, scheme, &NamedScheme::scheme)->get();
}

const Scheme* scheme_named(std::string_view name) {
  const auto place = std::ranges::find(kSchemes, name, &NamedScheme::name);
  return place == kSchemes.end() ? nullptr : &place->get();
}

std::unique_ptr<Embeddings> fit_scheme(const FitTask& task) {
  const Scheme& scheme = scheme_of(task.settings.compression.scheme);
  if (scheme.fit == nullptr) throw std::logic_error("the scheme none has nothing to fit");
  return scheme.fit(task);
}

const BlockJob* block_job_named(std::string_view name) {
  for (const NamedScheme& scheme : kSchemes) {
    const auto& jobs = scheme.get().jobs;
    const auto place = std::ranges::find(jobs, name, [](const BlockJob* job) { return job->name; });
    if (place != jobs.end()) return *place;
  }
  return nullptr;
}

}  // namespace meteor
