#include "support/block_pool.h"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "support/zeroed_memory.h"

namespace meteor {
namespace {

constexpr std::size_t kept_blocks = 16;
constexpr std::size_t kept_bytes = std::size_t{4} << 20;  // what a model saves must not be spent here

struct Free {
  std::size_t bytes = 0;
  void operator()(std::byte* memory) const { release_zeroed(memory, bytes); }
};
using Block = std::unique_ptr<std::byte, Free>;

std::size_t bytes_of(const Block& block) { return block.get_deleter().bytes; }

Block new_block(std::size_t bytes) {
  bytes = std::max<std::size_t>(bytes, 1);
  return {static_cast<std::byte*>(allocate_zeroed(bytes)), Free{bytes}};
}

}  // namespace

struct BlockPool::Shelf {
  void put(Block block) {
    std::vector<Block> surplus;  // freed after the lock is
    const std::lock_guard lock(mutex);
    bytes += bytes_of(block);
    blocks.push_back(std::move(block));
    while (blocks.size() > kept_blocks || bytes > kept_bytes) {
      bytes -= bytes_of(blocks.front());
      surplus.push_back(std::move(blocks.front()));
      blocks.erase(blocks.begin());
    }
  }

  Block find(std::size_t wanted) {
    const std::lock_guard lock(mutex);
    // A much larger block would be wasted.
    const auto fits = [&](const Block& block) { return bytes_of(block) >= wanted && bytes_of(block) / 2 <= wanted; };
    const auto found = std::find_if(blocks.begin(), blocks.end(), fits);
    if (found == blocks.end()) return {};
    Block block = std::move(*found);
    bytes -= bytes_of(block);
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
  if (!block) block = new_block(bytes);
  std::byte* memory = block.get();
  auto given = std::make_shared<Block>(std::move(block));
  return {memory, [shelf = shelf_, given](std::byte*) { shelf->put(std::move(*given)); }};
}

}  // namespace meteor
