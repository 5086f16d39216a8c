// Prints the command of each kind of suspect that lt triage knows, one a line: the kind, the command. Tests compile
// them.
#include <cstdio>

#include "driver/triage/suspects.h"

int main() {
    for (const lt::triage::KindRow& row : lt::triage::kind_rows()) {
        for (const uint64_t processes : {1, 2}) {
            lt::triage::Suspect suspect{.kind = row.kind, .number = 1, .process = 1, .name = "it's \"one\""};
            suspect.victims["it's \"two\""] = 1;
            suspect.members = processes;
            std::printf("%.*s\t%s\n", static_cast<int>(row.name.size()), row.name.data(), row.next(suspect).c_str());
        }
    }
}
