#include <cstddef>
#include <cstdint>

#include "fuzz/entries.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  meteor::fuzz::fit_to_answers({reinterpret_cast<const char*>(data), size});
  return 0;
}
