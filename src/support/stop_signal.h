#pragma once

namespace meteor {

/// From here on SIGINT, SIGTERM and SIGUSR2 ask the program to come to an end by itself, however often they come (the
/// second SIGINT ends it at once), and SIGUSR1 asks for a checkpoint.
void watch_signals();
/// Signals do what they usually do again; one that has come in the meantime does it now.
void release_signals();

/// From here on, writing to a pipe that nobody reads any more fails instead of ending the program: what has been learnt
/// is worth more than messages about it.
void outlive_readers();
/// From here on, writing beyond the largest size that a file may have (ulimit -f) fails, as it does on a full disk,
/// instead of ending the program.
void outlive_file_limits();
/// Opens /dev/null in the place of standard input, output or error if it is closed, so that no file that is opened
/// later takes its number and receives what is meant for it.
void fill_standard_streams();

bool stop_asked();
/// Whether a checkpoint was asked for since the last call.
bool take_checkpoint_request();
/// As if signals had come: another process of the job received them.
void pass_on_signals(bool stop, bool checkpoint);

}  // namespace meteor
