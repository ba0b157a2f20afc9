#include "mpi/block_pool.h"

#include <algorithm>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace meteor {
namespace {

constexpr std::align_val_t alignment{64};
constexpr std::size_t kept_blocks = 16;
constexpr std::size_t kept_bytes = std::size_t{4} << 20;  // what a model saves must not be spent here

struct Free {
  void operator()(std::byte* memory) const { ::operator delete[](memory, alignment); }
};

struct Block {
  std::size_t bytes = 0;
  std::unique_ptr<std::byte, Free> memory;
};

}  // namespace

struct BlockPool::Shelf {
  void put(Block block) {
    std::vector<Block> surplus;  // freed after the lock is
    const std::lock_guard lock(mutex);
    bytes += block.bytes;
    blocks.push_back(std::move(block));
    while (blocks.size() > kept_blocks || bytes > kept_bytes) {
      bytes -= blocks.front().bytes;
      surplus.push_back(std::move(blocks.front()));
      blocks.erase(blocks.begin());
    }
  }

  Block find(std::size_t wanted) {
    const std::lock_guard lock(mutex);
    // A much larger block would be wasted.
    const auto fits = [&](const Block& block) { return block.bytes >= wanted && block.bytes / 2 <= wanted; };
    const auto found = std::find_if(blocks.begin(), blocks.end(), fits);
    if (found == blocks.end()) return {};
    Block block = std::move(*found);
    bytes -= block.bytes;
    blocks.erase(found);
    return block;
  }

  std::mutex mutex;
  std::vector<Block> blocks;  // the one that came back first is in front
  std::size_t bytes = 0;
};

BlockPool::BlockPool() : shelf_(std::make_shared<Shelf>()) {}

std::shared_ptr<std::byte> BlockPool::take(std::size_t bytes) {
  Block block = shelf_->find(bytes);
  if (!block.memory) {
    block.memory.reset(new (alignment) std::byte[bytes]);
    block.bytes = bytes;
  }
  std::byte* memory = block.memory.get();
  auto given = std::make_shared<Block>(std::move(block));
  return {memory, [shelf = shelf_, given](std::byte*) { shelf->put(std::move(*given)); }};
}

}  // namespace meteor
