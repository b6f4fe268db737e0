// Memory for a large table that is read at random places. In pages of the usual 4 kB the processor
// would have to look up most reads' pages in memory, too.
#ifndef DYNOLITH_TOOLS_LAB_LOAD_HUGE_PAGES_H_
#define DYNOLITH_TOOLS_LAB_LOAD_HUGE_PAGES_H_

#include <sys/mman.h>

#include <cstddef>
#include <new>

namespace dynolith::lab {

// An allocator of containers. Asks the system for large pages if the memory fills one; the system
// may give small ones instead.
template <typename T>
class HugePages {
 public:
  using value_type = T;

  HugePages() = default;
  template <typename Other>
  explicit HugePages(const HugePages<Other>&) {}

  T* allocate(size_t count) {
    const size_t bytes = count * sizeof(T);
    if (bytes < kPage) return static_cast<T*>(::operator new(bytes));
    void* const memory = ::operator new (bytes, std::align_val_t{kPage});
#ifdef MADV_HUGEPAGE
    madvise(memory, bytes, MADV_HUGEPAGE);  // only advice, so a failure changes nothing
#endif
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, size_t count) {
    if (count * sizeof(T) < kPage) return ::operator delete(memory);
    ::operator delete (memory, std::align_val_t{kPage});
  }

  friend bool operator==(const HugePages&, const HugePages&) { return true; }

 private:
  static constexpr size_t kPage = size_t{2} << 20;
};

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_LOAD_HUGE_PAGES_H_
