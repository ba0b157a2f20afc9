#include "support/launched_job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

namespace meteor {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

const char* const open_mpi = "Open MPI v4.1.4";
const char* const mpich = "MPICH Version: 4.0.2";

/// Environments as real launchers made them: Open MPI 4.1.4, Slurm 22.05, Hydra 4.0.2.
class LaunchTest : public ::testing::Test {
 protected:
  using Variables = std::vector<std::pair<const char*, const char*>>;

  void SetUp() override { clear(); }
  void TearDown() override { clear(); }

  static void clear() {
    for (const char* variable :
         {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMIX_NAMESPACE", "PMI_SIZE", "PMI_RANK",
          "MPI_LOCALNRANKS", "MPI_LOCALRANKID", "MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK", "FLUX_JOB_SIZE",
          "FLUX_TASK_RANK", "SLURM_NTASKS", "SLURM_PROCID", "SLURM_STEP_ID", "SLURM_STEP_NUM_TASKS",
          "SLURM_TASKS_PER_NODE", "SLURM_STEP_TASKS_PER_NODE"})
      unsetenv(variable);
  }
  static void set(const Variables& variables) {
    for (const auto& [name, value] : variables) setenv(name, value, 1);
  }
  static void set_step(const char* tasks, const char* process) {
    set({{"SLURM_NTASKS", tasks},
         {"SLURM_TASKS_PER_NODE", tasks},
         {"SLURM_STEP_ID", "0"},
         {"SLURM_STEP_NUM_TASKS", tasks},
         {"SLURM_STEP_TASKS_PER_NODE", tasks},
         {"SLURM_PROCID", process}});
  }
};

TEST_F(LaunchTest, AProgramStartedAloneBelongsToNoJob) { EXPECT_FALSE(launched_job()); }

TEST_F(LaunchTest, MpirunTellsRankAndSize) {
  set({{"OMPI_COMM_WORLD_SIZE", "4"}, {"OMPI_COMM_WORLD_RANK", "3"}, {"PMIX_RANK", "3"}});
  const auto job = launched_job();
  ASSERT_TRUE(job);
  EXPECT_EQ(job->rank, 3u);
  EXPECT_EQ(job->size, 4u);
  EXPECT_TRUE(can_join(*job, open_mpi));
}

TEST_F(LaunchTest, MpirunIsBelievedBeforeTheStepOfItsDaemons) {
  set_step("2", "1");
  set({{"OMPI_COMM_WORLD_SIZE", "4"}, {"OMPI_COMM_WORLD_RANK", "3"}, {"PMIX_RANK", "3"}});
  EXPECT_EQ(launched_job()->rank, 3u);
  EXPECT_EQ(launched_job()->size, 4u);
}

TEST_F(LaunchTest, SrunWithPmixIsJoined) {
  set_step("3", "2");
  set({{"PMIX_RANK", "2"}, {"PMIX_NAMESPACE", "slurm.pmix.5.0"}});
  const auto job = launched_job();
  ASSERT_TRUE(job);
  EXPECT_EQ(job->launcher, "srun");
  EXPECT_EQ(job->size, 3u);
  EXPECT_TRUE(can_join(*job, open_mpi));
}

TEST_F(LaunchTest, AnotherLauncherWithPmixTellsNoSize) {
  set_step("2", "0");  // of its daemons
  set({{"PMIX_RANK", "7"}, {"PMIX_NAMESPACE", "prterun-n1-77@1"}});
  const auto job = launched_job();
  EXPECT_EQ(job->rank, 7u);
  EXPECT_FALSE(job->size);
  EXPECT_TRUE(has_joined(*job, 7, 8));
  EXPECT_FALSE(has_joined(*job, 0, 1)) << "MPI has made a job of this process alone";
}

TEST_F(LaunchTest, OpenMpiCannotJoinSrunWithoutPmix) {
  set_step("2", "1");
  for (const bool pmi2 : {false, true}) {
    if (pmi2) set({{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}});
    const auto job = launched_job();
    ASSERT_TRUE(job);
    EXPECT_EQ(job->rank, 1u);
    EXPECT_FALSE(can_join(*job, open_mpi));
    EXPECT_EQ(not_joined(*job, open_mpi),
              "srun without PMIx started 2 processes, each of which would train alone, because meteor is built with "
              "Open MPI v4.1.4: start it by Open MPI's mpirun or by srun --mpi=pmix");
  }
}

TEST_F(LaunchTest, TheMpiexecOfMpichIsJoinedByMpichOnly) {
  set_step("2", "1");  // Hydra starts its daemons by srun
  set({{"PMI_RANK", "1"}, {"PMI_SIZE", "6"}, {"MPI_LOCALNRANKS", "3"}, {"MPI_LOCALRANKID", "1"}});
  const auto job = launched_job();
  ASSERT_TRUE(job);
  EXPECT_FALSE(can_join(*job, open_mpi));
  EXPECT_THAT(not_joined(*job, open_mpi), StartsWith("the mpiexec of MPICH or Intel MPI started 6 processes"));
  EXPECT_TRUE(can_join(*job, mpich));
  EXPECT_TRUE(has_joined(*job, 1, 6));
  EXPECT_FALSE(has_joined(*job, 0, 1));
}

TEST_F(LaunchTest, OtherForeignLaunchersAreNamed) {
  for (const auto& [size, rank, name] : {std::tuple("MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK", "MVAPICH"),
                                         std::tuple("FLUX_JOB_SIZE", "FLUX_TASK_RANK", "flux")}) {
    clear();
    set({{size, "5"}, {rank, "4"}});
    const auto job = launched_job();
    ASSERT_TRUE(job) << name;
    EXPECT_EQ(job->rank, 4u);
    EXPECT_FALSE(can_join(*job, open_mpi));
    EXPECT_THAT(not_joined(*job, open_mpi), HasSubstr(name));
  }
  clear();
  set({{"MPI_LOCALNRANKS", "2"}, {"MPI_LOCALRANKID", "1"}});
  EXPECT_THAT(not_joined(launched_job().value(), open_mpi), StartsWith("an mpiexec started several processes"));
}

TEST_F(LaunchTest, ARankWithoutASizeIsOneOfSeveral) {
  set({{"PMI_RANK", "0"}});
  const auto job = launched_job();
  ASSERT_TRUE(job);
  EXPECT_FALSE(can_join(*job, open_mpi));
  EXPECT_THAT(not_joined(*job, open_mpi), StartsWith("the mpiexec of MPICH or Intel MPI started several processes"));
}

TEST_F(LaunchTest, AnotherLibraryThanTheLauncherIsNoticedByTheSize) {
  set({{"OMPI_COMM_WORLD_SIZE", "3"}, {"OMPI_COMM_WORLD_RANK", "0"}, {"PMIX_RANK", "0"}});
  const auto job = launched_job();
  EXPECT_FALSE(has_joined(*job, 0, 1));
  EXPECT_THAT(not_joined(*job, mpich), HasSubstr("Open MPI's mpirun started 3 processes"));
  EXPECT_THAT(not_joined(*job, mpich), HasSubstr("MPICH Version: 4.0.2: start it by the mpiexec of that library"));
}

TEST_F(LaunchTest, OneProcessOfABatchScriptIsAloneHoweverManyTasksTheJobHas) {
  set({{"SLURM_NTASKS", "4"}, {"SLURM_TASKS_PER_NODE", "2(x2)"}});  // salloc
  EXPECT_FALSE(launched_job());
  set({{"SLURM_PROCID", "0"}});  // sbatch
  EXPECT_FALSE(launched_job());
  // sbatch in a step of two tasks: the script inherits what the step was told
  set({{"SLURM_STEP_ID", "0"}, {"SLURM_STEP_NUM_TASKS", "2"}, {"SLURM_STEP_TASKS_PER_NODE", "2"}});
  EXPECT_FALSE(launched_job());
}

TEST_F(LaunchTest, AStepOfOneTaskHasOneProcess) {
  set_step("1", "0");
  EXPECT_EQ(launched_job()->size, 1u);
}

TEST_F(LaunchTest, WhatIsNoNumberIsNotBelieved) {
  for (const char* text : {"", "x", "3x", "-1"}) {
    set({{"OMPI_COMM_WORLD_SIZE", text}, {"PMIX_RANK", text}, {"PMI_SIZE", text}, {"MPI_LOCALNRANKS", text}});
    EXPECT_FALSE(launched_job()) << text;
  }
}

}  // namespace
}  // namespace meteor
