#pragma once

#include <vector>

#include "config/settings.h"

namespace meteor {

/// The attributes of a CSV stream of timestamp,user,items, items separated by blanks; items are the target.
inline std::vector<AttributeSettings> shopping_attributes() {
  std::vector<AttributeSettings> attributes(2);
  attributes[0].name = attributes[0].column = "user";
  attributes[1].name = attributes[1].column = "items";
  attributes[1].separator = " ";
  attributes[1].target = true;
  return attributes;
}

}  // namespace meteor
