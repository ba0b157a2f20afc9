#include "support/version.h"

namespace meteor {

std::string_view program_version() { return METEOR_VERSION; }

}  // namespace meteor
