#pragma once

/// Every compression scheme: SCHEME(name, whether it can forget units). Users write the name as compression.scheme; the
/// function `name_scheme()` of a folder in compression/ says how it is fitted and rebuilt (compression/schemes.h).
#define METEOR_SCHEMES(SCHEME) \
  SCHEME(spectral, true)       \
  SCHEME(clusters, true)       \
  SCHEME(quantised, true)      \
  SCHEME(hashed, false)        \
  SCHEME(centroids, true)      \
  SCHEME(none, true)
