// Functions that hand over arguments and results in all the ways of the calling convention. Only read, never run.
#define function __attribute__((noinline))

namespace passing {

typedef float FourFloats __attribute__((vector_size(16)));

function long double extended(int first, int second) { return first + second; }
function _Complex double complex_number(int first, int second) { return first + second; }
function __float128 quadruple(int first, int second) { return first + second; }
function FourFloats vector(int first, int second) { return FourFloats{} + static_cast<float>(first + second); }

struct Pair {
    int a, b;
};
function long after_pair(int first, Pair pair, int last) { return first + pair.a + last; }
function Pair pair_of(int first) { return {first, first}; }

struct Empty {};
struct alignas(16) Padded {
    int number;
};
function long after_empty(Empty empty, int last) { return last + static_cast<long>(sizeof empty); }
function long after_padded(Padded padded, int last) { return padded.number + last; }
function long after_null(decltype(nullptr) null, int last) { return (null == nullptr) + last; }

struct __attribute__((packed)) Packed {
    char letter;
    int number;
};
struct Bits {
    int low : 9;
    int high : 12;
    long number;
};
function long after_packed(Packed packed, int last) { return packed.number + last; }
function Packed packed_of(int first) { return {'x', first}; }
function long after_bits(Bits bits, int last) { return bits.high + last; }

struct OnlyMoved {
    explicit OnlyMoved(long n) : number(n) {}
    OnlyMoved(const OnlyMoved&) = delete;
    OnlyMoved(OnlyMoved&&) = default;
    long number;
};
struct NeverCopied {
    explicit NeverCopied(long n) : number(n) {}
    NeverCopied(const NeverCopied&) = delete;
    long number;
};
function long moved(OnlyMoved given, int last) { return given.number + last; }
function long not_copied(NeverCopied given, int last) { return given.number + last; }

}  // namespace passing

int main() {
    using namespace passing;
    return static_cast<int>(extended(1, 2) + __real__ complex_number(1, 2) + static_cast<double>(quadruple(1, 2)) +
                            vector(1, 2)[0]) +
           static_cast<int>(after_pair(1, pair_of(2), 3) + after_empty({}, 1) + after_padded({1}, 2) +
                            after_null(nullptr, 1) + after_packed(packed_of(1), 2) + after_bits({1, 2, 3}, 4) +
                            moved(OnlyMoved(1), 2) + not_copied(NeverCopied(1), 2));
}
