#pragma once

namespace meteor {

/// From here on SIGINT, SIGTERM and SIGUSR2 ask the program to come to an end by itself, however often they come (the
/// second SIGINT ends it at once), and SIGUSR1 asks for a checkpoint.
void watch_signals();
/// Signals do what they usually do again; one that has come in the meantime does it now.
void release_signals();

bool stop_asked();
/// Whether a checkpoint was asked for since the last call.
bool take_checkpoint_request();
/// As if signals had come: another process of the job received them.
void pass_on_signals(bool stop, bool checkpoint);

}  // namespace meteor
