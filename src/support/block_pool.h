#pragma once

#include <cstddef>
#include <memory>

namespace meteor {

/// Memory for arrays that arrive, window after window of much the same sizes: a block comes back when its last owner is
/// gone, and is given out again. Blocks may outlive the pool. Safe to use from several threads.
class BlockPool {
 public:
  BlockPool();

  /// At least that many bytes, aligned for every kind of vector, with arbitrary content.
  std::shared_ptr<std::byte> take(std::size_t bytes);

 private:
  struct Shelf;
  std::shared_ptr<Shelf> shelf_;
};

}  // namespace meteor
