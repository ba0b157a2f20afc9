#include "compression/block_checks.h"
#include "compression/kmeans.h"
#include "compression/principal_axes.h"
#include "compression/schemes.h"
#include "fixtures/sample_blocks.h"
#include "fixtures/schemes.h"
#include "fixtures/small_models.h"
#include "fuzz/edits.h"
#include "fuzz/entries.h"
#include "fuzz/small_scene.h"
#include "model/local_block_workers.h"
#include "mpi/messages.h"

namespace meteor::fuzz {
namespace {

/// What a worker does with blocks, a function and what all blocks share, as they come from rank 0. What it answers is
/// what rank 0 takes for an answer.
void work(Edits& edits) {
  static const std::vector<testing::SampleBlock> samples = testing::sample_blocks(12, kDimension);
  const testing::SampleBlock& sample = samples[edits.next<std::uint8_t>() % samples.size()];
  Message blocks = blocks_message(MessageKind::blocks, {{0, 1}, {sample.block, sample.block}});
  Message task = map_message(0, sample.job, sample.shared);
  while (edits.any()) {
    const auto what = edits.next<std::uint8_t>() % 16;
    if (what == 0) edits.apply(blocks.structure);
    if (what == 1) edits.apply(task.structure);
    if (what > 1) edits.apply(what % 2 == 0 ? blocks.arrays : task.arrays);
  }
  const NumberedBlocks held = blocks_from(std::move(blocks));
  const BlockJob& job = map_from(task).job;
  for (const auto& block : held.blocks) {
    job.require_block(block, task.arrays, kDimension);
    const BlockOutline outline = outline_of(block);
    const std::vector<Array> result = job.work(block, task.arrays);
    try {
      job.require_result(outline, task.arrays, result);
    } catch (const StorageError&) {
      require(false);
    }
  }
}

/// Works on blocks, and changes what comes of some of them on its way to rank 0, which looks at it as at any answer.
class ChangingWorkers final : public BlockWorkers {
 public:
  explicit ChangingWorkers(Edits& edits) : edits_(edits) {}

  std::unique_ptr<SharedBlocks> share_out(std::vector<WorkBlock> blocks) override {
    std::vector<std::vector<Array>> made;
    for (WorkBlock& block : blocks) made.push_back(block.make ? block.make() : std::move(block.arrays));
    return std::make_unique<Blocks>(edits_, std::move(made));
  }
  std::size_t threads() const override { return 1; }

 private:
  class Blocks final : public SharedBlocks {
   public:
    Blocks(Edits& edits, std::vector<std::vector<Array>> blocks) : edits_(edits), blocks_(std::move(blocks)) {}
    std::vector<std::vector<Array>> map(const BlockJob& job, std::span<const Array> shared) override {
      std::vector<std::vector<Array>> results;
      for (const auto& block : blocks_) {
        results.push_back(job.work(block, shared));
        if (edits_.any() && edits_.next<std::uint8_t>() % 4 == 0) edits_.apply(results.back());
        job.require_result(outline_of(block), shared, results.back());
      }
      return results;
    }

   private:
    Edits& edits_;
    std::vector<std::vector<Array>> blocks_;
  };

  Edits& edits_;
};

void decode_all(const Embeddings& embeddings) {
  AlignedRows rows(embeddings.units(), kDimension);
  embeddings.decode(first_units(embeddings.units()), rows);
  require(decoding_bytes(embeddings.arrays()) == embeddings.bytes());
}

/// What rank 0 does with what workers answer.
void fit(Edits& edits) {
  const auto choice = edits.next<std::uint8_t>();
  StoredModel stored = small_model(CompressionScheme::none, kUnits, kDimension);
  CompressionSettings& compression = stored.settings.compression;
  compression.scheme = kCompressingSchemes[choice % kCompressingSchemes.size()];
  compression.clusters = choice < 128 ? ClusterKind::kmeans : ClusterKind::subspace;
  compression.precision = choice % 2 == 0 ? Precision::float32 : Precision::int8;
  const std::vector<CategoryKey> none(kUnits, CategoryKey::none);
  ChangingWorkers workers(edits);
  if (choice % 8 == 0) stored.model.embeddings->turn_axes(stored.model.facts(), workers);
  stored.model.embeddings = fit_scheme({stored.model, none, stored.settings, workers});
  decode_all(*stored.model.embeddings);
  for (int window = 0; window < 2; ++window) stored.model.absorb(window_update(stored.model, 2 * kUnits), workers);
  decode_all(*stored.model.embeddings);
}

}  // namespace

void work_on_blocks(std::string_view input) {
  Edits edits(input);
  try {
    work(edits);
  } catch (const Error&) {  // it was refused in words
  }
}

void fit_to_answers(std::string_view input) {
  Edits edits(input);
  try {
    fit(edits);
  } catch (const Error&) {
  }
}

}  // namespace meteor::fuzz
