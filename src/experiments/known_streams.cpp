#include "experiments/known_streams.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace meteor {
namespace {

constexpr KnownStream kKnown[] = {
    {"online_retail", "Online Retail",
     "UCI Online Retail, December 2010 to December 2011: 18,405 baskets of 3,659 items", "",
     "The paper has no such dataset."},
    {"cj_slice", "Complete Journey",
     "dunnhumby’s Complete Journey, its first 79 days: 10,664 baskets of 22,923 items in 285 categories", "CJ",
     "The paper’s CJ is the whole of it: two years, 276,483 baskets, 92,339 items in 2,384 categories. Here a unit is "
     "seen "
     "far less often, and every figure is lower; times have the resolution of a day."},
    {"tafeng_order_pseudotime", "Ta-Feng", "Ta-Feng supermarket: 91,227 baskets of 11,997 items", "TF",
     "The paper’s TF is filtered otherwise (77,202 baskets, 7,973 items). Here only the order of each customer’s "
     "baskets is "
     "real, their times are invented, so nothing follows about recency."},
    {"foursquare_nyc", "Foursquare NY",
     "Foursquare check-ins in New York, April 2012 to February 2013: 143,661 by 1,083 users, in cells of 300 m", "",
     "The paper’s NY are tweets. Check-ins name their venue and come back to it, so a location is found far more "
     "easily."},
    {"geotweets", "Geotweets", "Geo-tagged tweets of 2020 to 2022: 107,802 by 66,620 users, in 16,973 cells of 300 m",
     "",
     "The paper’s LA, NY and MB are each one city, ten times the size. Here most users appear once or twice, on 35 "
     "days."},
};

std::size_t rank(std::string_view stream) {
  const KnownStream* known = known_stream(stream);
  return known != nullptr ? static_cast<std::size_t>(known - kKnown) : std::size(kKnown);
}

}  // namespace

const KnownStream* known_stream(std::string_view stream) {
  const auto* found = std::find_if(std::begin(kKnown), std::end(kKnown),
                                   [&](const KnownStream& known) { return known.file == stream; });
  return found != std::end(kKnown) ? found : nullptr;
}

std::string stream_title(std::string_view stream) {
  const KnownStream* known = known_stream(stream);
  return std::string(known != nullptr ? known->title : stream);
}

void sort_streams(std::vector<std::string>& streams) {
  std::sort(streams.begin(), streams.end(),
            [](const std::string& a, const std::string& b) { return std::pair(rank(a), a) < std::pair(rank(b), b); });
  streams.erase(std::unique(streams.begin(), streams.end()), streams.end());
}

}  // namespace meteor
