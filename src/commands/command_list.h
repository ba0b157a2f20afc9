#pragma once

/// Every command, in the order in which help shows them. Each has a file of its name with a function
/// `add_name_command()`, which tells the command line of it.
#define METEOR_COMMANDS(COMMAND) \
  COMMAND(generate)              \
  COMMAND(train)                 \
  COMMAND(evaluate)              \
  COMMAND(experiment)            \
  COMMAND(nn)                    \
  COMMAND(predict)               \
  COMMAND(export)                \
  COMMAND(inspect)               \
  COMMAND(report)                \
  COMMAND(settings)
