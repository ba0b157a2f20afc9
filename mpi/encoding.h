#pragma once

#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>
#include <boost/serialization/string.hpp>
#include <boost/serialization/vector.hpp>
#include <exception>
#include <ios>
#include <sstream>
#include <string>

#include "mpi/transport.h"

namespace meteor {

/// A small structure as bytes, between processes of the same program on machines of the same kind. Bulk goes in arrays.
template <class T>
std::string encode(const T& structure) {
  std::ostringstream bytes;
  boost::archive::binary_oarchive(bytes, boost::archive::no_header) << structure;
  return std::move(bytes).str();
}

/// What encode() was given. Throws TransportError if the bytes are not all of one T and nothing more.
template <class T>
T decode(const std::string& bytes) {
  T structure{};
  std::istringstream input(bytes);
  try {
    boost::archive::binary_iarchive(input, boost::archive::no_header) >> structure;
  } catch (const std::exception& problem) {
    throw TransportError(std::string("a message cannot be decoded: ") + problem.what());
  }
  if (input.peek() != std::istringstream::traits_type::eof())
    throw TransportError("a message cannot be decoded: it is longer than expected");
  return structure;
}

}  // namespace meteor
