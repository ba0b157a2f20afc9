#pragma once

#include <cstddef>
#include <streambuf>
#include <string_view>
#include <utility>
#include <vector>

namespace meteor {

/// A file descriptor that is closed when this ends.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor();

  int number() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }

 private:
  int number_ = -1;
};

/// Writes all bytes and returns how many were written; fewer if that failed, and errno says why.
std::size_t write_all(int descriptor, std::string_view bytes);

/// What a std::ostream writes through to a descriptor, which must outlive it. Remembers why it could not.
class DescriptorBuffer : public std::streambuf {
 public:
  explicit DescriptorBuffer(int descriptor);
  /// Of the first failure, as errno; 0: there was none.
  int fault() const { return fault_; }

 private:
  int_type overflow(int_type next) override;
  int sync() override;

  int descriptor_;
  int fault_ = 0;
  std::vector<char> buffer_;
};

}  // namespace meteor
