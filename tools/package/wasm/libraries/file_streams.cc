// Streams of files, which zig's libc++ does not contain: Abseil's and hnswlib's functions that read
// and write files are linked, but nobody calls them.
#include <fstream>

template class std::basic_filebuf<char>;
template class std::basic_ifstream<char>;
template class std::basic_ofstream<char>;
