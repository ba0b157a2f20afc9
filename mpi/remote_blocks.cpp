#include "mpi/remote_blocks.h"

#include <algorithm>
#include <numeric>

#include "compression/block_checks.h"
#include "model/local_block_workers.h"
#include "mpi/answers.h"
#include "mpi/messages.h"

namespace meteor {
namespace {

/// Blocks that lie with the workers, and with rank 0 if it works too.
class RemoteBlocks final : public SharedBlocks {
 public:
  RemoteBlocks(Mail& mail, std::size_t& alive, std::vector<WorkBlock> blocks, std::size_t threads, bool root_works)
      : mail_(mail), alive_(alive), older_(alive) {
    // The costliest first, each to the rank that has least to do.
    std::vector<std::size_t> order(blocks.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return blocks[a].cost > blocks[b].cost; });
    outlines_.resize(blocks.size());
    shares_.resize(mail.size());
    std::vector<double> loads(mail.size());
    for (const std::size_t i : order) {
      const auto least = std::min_element(loads.begin() + (root_works ? 0 : 1), loads.end());
      *least += blocks[i].cost;
      shares_[static_cast<std::size_t>(least - loads.begin())].push_back(i);
    }
    mail.broadcast(hold_message(older_));
    for (std::uint32_t rank = 1; rank < mail.size(); ++rank) {
      NumberedBlocks share{shares_[rank], {}};
      for (const std::size_t i : shares_[rank]) {
        share.blocks.push_back(blocks[i].make ? blocks[i].make() : std::move(blocks[i].arrays));
        outlines_[i] = outline_of(share.blocks.back());
      }
      mail.send(rank, blocks_message(MessageKind::blocks, std::move(share)));
    }
    std::vector<WorkBlock> own;
    for (const std::size_t i : shares_[0]) own.push_back(std::move(blocks[i]));
    own_ = LocalBlockWorkers(threads).share_out(std::move(own));
    alive_ = older_ + 1;
  }
  ~RemoteBlocks() override { alive_ = older_; }

  std::vector<std::vector<Array>> map(const BlockJob& job, std::span<const Array> shared) override {
    LentMemory lent(mail_);
    mail_.broadcast(map_message(older_, job, shared));
    std::vector<std::vector<Array>> results(outlines_.size());
    std::vector<std::vector<Array>> own = own_->map(job, shared);
    for (std::size_t i = 0; i < own.size(); ++i) results[shares_[0][i]] = std::move(own[i]);
    std::vector<std::uint32_t> awaited;
    for (std::uint32_t rank = 1; rank < mail_.size(); ++rank) awaited.push_back(rank);
    while (!awaited.empty()) {
      Arrival answer = next_answer(mail_, awaited);
      const std::uint32_t from = answer.from;
      std::erase(awaited, from);
      take_answer(std::move(answer), MessageKind::mapped, [&](Message message) {
        NumberedBlocks part = blocks_from(std::move(message));
        if (part.numbers != shares_[from]) throw TransportError("results of other blocks than those that it has");
        for (std::size_t i = 0; i < part.numbers.size(); ++i) {
          job.require_result(outlines_[part.numbers[i]], shared, part.blocks[i]);
          results[part.numbers[i]] = std::move(part.blocks[i]);
        }
      });
    }
    lent.back();  // `shared` may go now
    return results;
  }

 private:
  Mail& mail_;
  std::size_t& alive_;
  const std::size_t older_;                         // how many sets of blocks lie below these
  std::vector<BlockOutline> outlines_;              // of the blocks that workers have
  std::vector<std::vector<std::uint64_t>> shares_;  // the numbers of each rank's blocks
  std::unique_ptr<SharedBlocks> own_;
};

}  // namespace

std::unique_ptr<SharedBlocks> share_among_ranks(Mail& mail, std::size_t& alive, std::vector<WorkBlock> blocks,
                                                std::size_t threads, bool root_works) {
  return std::make_unique<RemoteBlocks>(mail, alive, std::move(blocks), threads, root_works);
}

}  // namespace meteor
