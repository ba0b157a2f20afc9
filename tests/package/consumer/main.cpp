#include <iostream>
#include <sstream>

#include "stream/generator.h"
#include "support/version.h"

int main() {
  meteor::StreamGenerator generator({.kind = meteor::GeneratorKind::shopping, .records = 3});
  std::ostringstream stream;
  meteor::write_csv(generator, stream);
  std::cout << "meteor " << meteor::program_version() << '\n' << stream.str();
  return stream.str().starts_with("timestamp,user,items\n") ? 0 : 1;
}
