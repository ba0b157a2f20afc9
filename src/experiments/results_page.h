#pragma once

#include <string>

#include "experiments/results.h"

namespace meteor {

/// One page that needs nothing else: tables and charts of all results. Equal results give equal bytes.
std::string report_page(const Results& results);

/// The chart of bytes against quality as a picture of its own. Throws InputError when no run can be shown.
std::string report_picture(const Results& results);

}  // namespace meteor
