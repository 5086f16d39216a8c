// Runs a fuzzer's target without libFuzzer: a short run as a test, in the build that is there.
//   PROGRAM COUNT SEED FILE...: each file as it is, then so many of them damaged in a few places.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
extern "C" __attribute__((weak)) int LLVMFuzzerInitialize(int* argc, char*** argv);

namespace {

using Bytes = std::vector<uint8_t>;
using Random = std::minstd_rand;

Bytes read(const char* path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

void damage(Bytes& bytes, Random& random) {
    constexpr uint32_t telling[] = {0, 1, 0x7f, 0x80, 0xff, 0x7fffffff, 0x80000000, 0xffffffff};
    const size_t at = random() % bytes.size();
    switch (random() % 5) {
        case 0:
            bytes[at] ^= static_cast<uint8_t>(1 << random() % 8);
            break;
        case 1:
            bytes[at] = static_cast<uint8_t>(random());
            break;
        case 2:
            for (size_t i = 0; i < 4 && at + i < bytes.size(); i++)
                bytes[at + i] = static_cast<uint8_t>(telling[random() % std::size(telling)] >> 8 * i);
            break;
        case 3:
            bytes.resize(at + 1);
            break;
        default:
            std::copy_n(bytes.begin() + static_cast<ptrdiff_t>(random() % bytes.size()), 1,
                        bytes.begin() + static_cast<ptrdiff_t>(at));
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 4) return 2;
    if (LLVMFuzzerInitialize) LLVMFuzzerInitialize(&argc, &argv);
    const long count = std::atol(argv[1]);
    Random random(static_cast<Random::result_type>(std::atol(argv[2])));
    std::vector<Bytes> files;
    for (int i = 3; i < argc; i++) files.push_back(read(argv[i]));
    for (const Bytes& file : files) LLVMFuzzerTestOneInput(file.data(), file.size());
    for (long i = 0; i < count; i++) {
        Bytes bytes = files[random() % files.size()];
        for (auto places = 1 + random() % 4; places > 0 && !bytes.empty(); places--) damage(bytes, random);
        LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
    }
    std::printf("%ld inputs, all refused or answered\n", count + static_cast<long>(files.size()));
    return 0;
}
