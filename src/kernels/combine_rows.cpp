#include "kernels/combine_rows.h"

#include "kernels/best_set.h"

namespace meteor {

void combine_rows(const RowCombination& combination) { METEOR_BEST(combine_rows)(combination); }

}  // namespace meteor
