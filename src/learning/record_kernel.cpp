#include "learning/record_kernel.h"

#include "kernels/best_set.h"

namespace meteor {

RecordKernel best_record_kernel() {
  return {name_of(best_instruction_set()), METEOR_BEST(learn_record), METEOR_BEST(learn_record_fast),
          METEOR_BEST(learn_record_plainly)};
}

}  // namespace meteor
