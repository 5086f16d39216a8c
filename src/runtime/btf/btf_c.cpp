// A text that names a structure needs its definition and those of the types in its members; libbpf's C printer handles
// these. Pointed-to types are only declared, unless the text follows that member: then the member's name is one of its
// words.
#include "runtime/btf/btf_c.h"

#include <bpf/btf.h>

#include <cstdarg>
#include <cstdio>
#include <deque>
#include <memory>
#include <span>
#include <utility>

namespace lt {
namespace {

using Words = std::set<std::string, std::less<>>;

class Finder {
  public:
    Finder(const btf* types, const Words& words) : types_(types), words_(words) {}

    std::set<uint32_t> run() {
        const uint32_t count = btf__type_cnt(types_);
        for (uint32_t id = 1; id < count; id++) {
            if (is_named(*type(id))) want(id);
        }
        while (!waiting_.empty()) {
            const uint32_t id = waiting_.front();
            waiting_.pop_front();
            if (btf_is_composite(type(id))) members(*type(id));
            if (btf_is_typedef(type(id))) want(whole(type(id)->type));
        }
        return std::move(wanted_);
    }

  private:
    const btf_type* type(uint32_t id) const { return btf__type_by_id(types_, id); }
    std::string_view name(uint32_t offset) const { return btf__name_by_offset(types_, offset); }
    bool is_word(uint32_t offset) const { return offset != 0 && words_.contains(name(offset)); }

    bool is_named(const btf_type& t) const {
        if (btf_is_enum(&t)) {
            for (const struct btf_enum& e : std::span(btf_enum(&t), btf_vlen(&t)))
                if (is_word(e.name_off)) return true;
        }
        if (btf_is_enum64(&t)) {
            for (const struct btf_enum64& e : std::span(btf_enum64(&t), btf_vlen(&t)))
                if (is_word(e.name_off)) return true;
        }
        return (btf_is_composite(&t) || btf_is_any_enum(&t) || btf_is_typedef(&t)) && is_word(t.name_off);
    }

    // Skips typedefs, qualifiers and arrays.
    uint32_t whole(uint32_t id) const {
        constexpr int most_steps = 32;  // a damaged file can contain a cycle
        for (int i = 0; i < most_steps && id != 0; i++) {
            const btf_type* t = type(id);
            if (btf_is_array(t))
                id = btf_array(t)->type;
            else if (btf_is_mod(t) || btf_is_typedef(t))
                id = t->type;
            else
                break;
        }
        return id;
    }

    void members(const btf_type& owner) {
        for (const btf_member& m : std::span(btf_members(&owner), btf_vlen(&owner))) {
            const uint32_t id = whole(m.type);
            if (id == 0) continue;
            if (btf_is_composite(type(id))) want(id);
            if (btf_is_ptr(type(id)) && is_word(m.name_off)) want(whole(type(id)->type));
        }
    }

    void want(uint32_t id) {
        const btf_type* t = id == 0 ? nullptr : type(id);
        if (t == nullptr || !(btf_is_composite(t) || btf_is_any_enum(t) || btf_is_typedef(t))) return;
        if (wanted_.insert(id).second) waiting_.push_back(id);
    }

    const btf* types_;
    const Words& words_;
    std::set<uint32_t> wanted_;
    std::deque<uint32_t> waiting_;
};

void append(void* out, const char* format, va_list values) {
    va_list again;
    va_copy(again, values);
    const int size = std::vsnprintf(nullptr, 0, format, again);
    va_end(again);
    if (size <= 0) return;
    std::string& text = *static_cast<std::string*>(out);
    const size_t before = text.size();
    text.resize(before + static_cast<size_t>(size) + 1);
    std::vsnprintf(text.data() + before, static_cast<size_t>(size) + 1, format, values);
    text.pop_back();
}

}  // namespace

std::string c_types(const btf* types, const Words& words) {
    std::string out;
    const std::unique_ptr<btf_dump, void (*)(btf_dump*)> printer(btf_dump__new(types, append, &out, nullptr),
                                                                 btf_dump__free);
    if (!printer) return out;
    for (uint32_t id : Finder(types, words).run()) btf_dump__dump_type(printer.get(), id);
    return out;
}

}  // namespace lt
