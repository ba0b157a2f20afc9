#include "mpi/encoding.h"

#include <boost/archive/impl/archive_serializer_map.ipp>
#include <boost/archive/impl/basic_binary_iarchive.ipp>
#include <boost/archive/impl/basic_binary_iprimitive.ipp>

// What Boost compiles into its library for archives of its own.
template class boost::archive::detail::archive_serializer_map<meteor::BoundedArchive>;
template class boost::archive::basic_binary_iarchive<meteor::BoundedArchive>;
template class boost::archive::basic_binary_iprimitive<meteor::BoundedArchive, char, std::char_traits<char>>;
template class boost::archive::binary_iarchive_impl<meteor::BoundedArchive, char, std::char_traits<char>>;
