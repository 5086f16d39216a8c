// Prints the examples of all tables, one a line: what it is of, its name, the program. Tests run them.
#include <cstdio>

#include "stdlib/functions/builtins.h"
#include "stdlib/functions/topics.h"
#include "stdlib/probes.h"

namespace {

template <class Rows>
void print(const char* what, const Rows& rows) {
    for (const auto& row : rows)
        std::printf("%s\t%.*s\t%.*s\n", what, static_cast<int>(row.name.size()), row.name.data(),
                    static_cast<int>(row.example.size()), row.example.data());
}

}  // namespace

int main() {
    print("probe", lt::probe_rows());
    print("value", lt::variable_rows());
    print("function", lt::function_rows());
    print("topic", lt::topic_rows());
}
