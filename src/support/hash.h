#pragma once

#include <cstddef>
#include <iosfwd>
#include <memory>
#include <string>

namespace meteor {

/// SHA-256 of everything given to `update`, in the order given.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;

  void update(const void* data, std::size_t bytes);
  /// Everything that is left of a file; its state tells whether that could be read.
  void update(std::istream& rest);
  /// The digest of what was given so far, in 64 lower-case digits. More may be given afterwards.
  std::string hex() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace meteor
