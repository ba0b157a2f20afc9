#pragma once

#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_iarchive_impl.hpp>
#include <boost/archive/binary_oarchive.hpp>
#include <boost/serialization/array_optimization.hpp>
#include <boost/serialization/collection_size_type.hpp>
#include <boost/serialization/string.hpp>
#include <boost/serialization/vector.hpp>
#include <cstdint>
#include <exception>
#include <sstream>
#include <string>
#include <utility>

#include "support/error.h"

namespace meteor {

/// A small structure as bytes, between processes of the same program on machines of the same kind. Bulk goes in arrays.
template <class T>
std::string encode(const T& structure) {
  std::ostringstream bytes;
  boost::archive::binary_oarchive(bytes, boost::archive::no_header) << structure;
  return std::move(bytes).str();
}

/// Reads bytes that may not be what encode() gave: no text or list is made longer than what is left of them.
class BoundedArchive final : public boost::archive::binary_iarchive_impl<BoundedArchive, char, std::char_traits<char>> {
  using Base = boost::archive::binary_iarchive_impl<BoundedArchive, char, std::char_traits<char>>;

 public:
  explicit BoundedArchive(std::istringstream& input) : Base(input, boost::archive::no_header), input_(input) {}

  using Base::load;
  void load(std::string& text) {
    std::size_t length = 0;
    load(length);
    check(length);
    text.resize(length);
    if (length > 0) load_binary(text.data(), length);
  }
  void load(bool& value) {
    std::uint8_t byte = 0;
    load_binary(&byte, sizeof byte);
    if (byte > 1) throw TransportError("it is neither true nor false");
    value = byte == 1;
  }
  template <class T>
  void load_override(T& value) {
    Base::load_override(value);
  }
  void load_override(boost::serialization::collection_size_type& length) {
    Base::load_override(length);
    check(std::as_const(length));
  }

 private:
  void check(std::size_t length) const {  // each element has at least a byte
    if (length > static_cast<std::size_t>(input_.rdbuf()->in_avail())) throw TransportError("it is too short");
  }
  std::istringstream& input_;
};

}  // namespace meteor

// Lists of numbers are written in one piece, as Boost's own archives write them.
BOOST_SERIALIZATION_USE_ARRAY_OPTIMIZATION(meteor::BoundedArchive)

namespace meteor {

/// What encode() was given. Throws TransportError if the bytes are not all of one T and nothing more.
template <class T>
T decode(const std::string& bytes) {
  T structure{};
  std::istringstream input(bytes);
  try {
    BoundedArchive(input) >> structure;
  } catch (const std::exception& problem) {
    throw TransportError(std::string("a message cannot be decoded: ") + problem.what());
  }
  if (input.peek() != std::istringstream::traits_type::eof())
    throw TransportError("a message cannot be decoded: it is longer than expected");
  return structure;
}

}  // namespace meteor
