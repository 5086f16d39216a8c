#include "systemtap/c/c_body.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "systemtap/c/c_value.h"

namespace lt::stp {
namespace {

// Statements that are dropped, and the warning for it.
struct LeftOut {
    std::string_view name;
    bool is_lock;
};
constexpr std::array left_out{
    LeftOut{"spin_lock", true},         LeftOut{"spin_unlock", true},
    LeftOut{"spin_lock_bh", true},      LeftOut{"spin_unlock_bh", true},
    LeftOut{"spin_lock_irq", true},     LeftOut{"spin_unlock_irq", true},
    LeftOut{"spin_lock_irqsave", true}, LeftOut{"spin_unlock_irqrestore", true},
    LeftOut{"read_lock", true},         LeftOut{"read_unlock", true},
    LeftOut{"read_lock_bh", true},      LeftOut{"read_unlock_bh", true},
    LeftOut{"rcu_read_lock", false},    LeftOut{"rcu_read_unlock", false},
    LeftOut{"local_bh_disable", false}, LeftOut{"local_bh_enable", false},
    LeftOut{"preempt_disable", false},  LeftOut{"preempt_enable", false},
    LeftOut{"cond_resched", false},     LeftOut{"sockfd_put", false},
    LeftOut{"set_fs", false},
};

// Macros of the kernel's headers that loop over lists. Some know the structure, others are given its member.
struct Walk {
    std::string_view name;
    bool ends_at_head;  // the list is a ring; otherwise the last entry has no next one
    std::string_view member;
};
constexpr std::array walks{
    Walk{"inet_bind_bucket_for_each", false, "node"}, Walk{"hlist_for_each_entry", false, ""},
    Walk{"hlist_for_each_entry_rcu", false, ""},      Walk{"list_for_each_entry", true, ""},
    Walk{"list_for_each_entry_rcu", true, ""},
};

constexpr size_t most_nested_statements = 100;
constexpr std::array<std::string_view, 2> prints{"_stp_printf", "STAP_PRINTF"};

template <class Rows>
auto find_row(const Rows& rows, const Piece& piece) {
    const auto found = std::ranges::find_if(rows, [&](const auto& row) { return piece.is_word(row.name); });
    return found == rows.end() ? nullptr : &*found;
}

class Body {
  public:
    Body(const Pieces& c, const CFacts& facts) : facts_(facts), values_(c, facts) {}

    SpelledC all() {
        while (values_.is_fine() && !values_.at_end()) statement();
        if (result_end_ == out_.size())
            give_at_once();
        else if (result_ && facts_.gives_number)
            leave_with({made(PieceKind::word, result_name)});
        if (!values_.is_fine() || (result_ && !facts_.gives_number)) return {{}, {}, {}, false, values_.refused()};
        return {std::move(out_), lock_, option_, needs_it_ || values_.names_tables, std::nullopt};
    }

  private:
    static constexpr const char* result_name = "result";
    static constexpr size_t nowhere = SIZE_MAX;

    const Piece& now() const { return values_.now(); }
    bool take(std::string_view mark) { return values_.take(mark); }
    void need(std::string_view mark) {
        if (!take(mark)) values_.refuse();
    }
    Piece made(PieceKind kind, std::string text) const { return values_.made(kind, std::move(text)); }
    void mark(std::string text) { out_.push_back(made(PieceKind::mark, std::move(text))); }
    void word(std::string text) { out_.push_back(made(PieceKind::word, std::move(text))); }
    void add(const Pieces& more) { out_.insert(out_.end(), more.begin(), more.end()); }

    void leave_with(const Pieces& value) {
        word("return");
        add(value);
        mark(";");
    }

    // A result that is only set at the very end becomes a `return`.
    void give_at_once() {
        const auto begin = out_.begin() + static_cast<ptrdiff_t>(result_begin_);
        begin->text = "return";
        out_.erase(begin + 1);
    }

    // ---- statements

    void nested() {
        mark("{");
        depth_++;
        statement();
        depth_--;
        mark("}");
    }
    void round() {
        loops_++;
        nested();
        loops_--;
    }

    void statement() {
        if (depth_ > most_nested_statements) return values_.refuse();
        if (take(";")) return;
        if (now().is("{")) return block();
        if (values_.take_word("if")) return branch();
        if (values_.take_word("while")) return repeat();
        if (values_.take_word("for")) return count();
        if (values_.take_word("return")) return leave();
        if (values_.begins_type()) return values_.declaration(out_), need(";");
        if (now().is_word("break") || now().is_word("continue")) {
            word(values_.next().text);
            mark(";");
            return need(";");
        }
        if (const LeftOut* row = find_row(left_out, now())) return leave_out(*row);
        if (const Walk* row = find_row(walks, now())) return walk(*row);
        if (std::ranges::find(prints, now().text) != prints.end()) return print();
        if (values_.take_word("STAP_RETURN")) return give_back();
        if (now().is_word("mm_segment_t") || values_.assigns_from("get_fs")) return skip();
        if (values_.assigns_from("sockfd_lookup")) return values_.look_up(out_), mark(";"), need(";");
        if (values_.sets_option()) return set_option(), need(";");
        const size_t begin = out_.size();
        const bool before = result_;
        assign();
        mark(";");
        need(";");
        if (before || !result_ || depth_ > 0 || !out_[begin + 1].is("=")) return;
        result_begin_ = begin, result_end_ = out_.size();
    }

    void block() {
        need("{");
        mark("{");
        depth_++;
        while (values_.is_fine() && !values_.at_end() && !now().is("}")) statement();
        depth_--;
        need("}");
        mark("}");
    }

    void condition() {
        need("(");
        mark("(");
        add(values_.truth().text);
        need(")");
        mark(")");
    }

    void branch() {
        word("if");
        condition();
        nested();
        if (!values_.take_word("else")) return;
        word("else");
        nested();
    }

    void repeat() {
        word("while");
        condition();
        round();
    }

    void count() {
        need("(");
        if (values_.begins_type()) {
            values_.declaration(out_);
            need(";");
            word("for"), mark("(");
        } else {
            word("for"), mark("(");
            if (!now().is(";")) assign();
            need(";");
        }
        mark(";");
        if (!now().is(";")) add(values_.truth().text);
        need(";");
        mark(";");
        if (!now().is(")")) assign();
        need(")");
        mark(")");
        round();
    }

    void leave() {
        need(";");
        // what comes later in a loop may have run before
        const bool comes = values_.names_later("STAP_RETVALUE") || values_.names_later("__retvalue");
        result_ = result_ || (loops_ > 0 && comes);
        if (facts_.gives_number && result_) return leave_with({made(PieceKind::word, result_name)});
        word("return");
        mark(";");
    }

    void skip() {
        while (values_.is_fine() && !now().is(";")) values_.next();
        need(";");
    }

    // Runs when the record is read: there is no result yet.
    void set_option() {
        if (!option_) option_ = now().span;
        add(values_.option());
        mark(";");
    }

    void give_back() {
        need("(");
        if (values_.sets_option()) {
            set_option();
            need(")");
            need(";");
            return leave_with({made(PieceKind::number, "0")});
        }
        const Pieces value = values_.value().text;
        need(")");
        need(";");
        if (!facts_.gives_number) values_.refuse();
        leave_with(value);
    }

    void leave_out(const LeftOut& row) {
        if (row.is_lock && !lock_) lock_ = now().span;
        needs_it_ = needs_it_ || row.is_lock;
        values_.next();
        values_.skip_brackets();
        need(";");
    }

    // name = value, name += value, name++
    void assign() {
        const bool before = now().is("++") || now().is("--");
        const std::string step = before ? values_.next().text : "";
        const auto target = values_.target();
        if (!target) return values_.refuse();
        if (target->is_result) result_ = true;
        const std::string name = target->is_result ? result_name : target->name;
        const bool only_counts = !target->is_unsigned && values_.only_counts(*target);
        const bool wraps = target->bits < long_bits && !only_counts;
        word(name);
        if (before || now().is("++") || now().is("--")) {
            const std::string by = before ? step : values_.next().text;
            return wraps ? change(*target, by.substr(1), one()) : mark(by);
        }
        if (take("=")) {
            if (values_.sets_option()) {
                out_.pop_back();
                set_option();
                word(name), mark("=");
                return out_.push_back(made(PieceKind::number, "0"));
            }
            mark("=");
            return add(values_.fitted(values_.value(), target->bits, target->is_unsigned).text);
        }
        constexpr std::array<std::string_view, 10> changes{
            "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="};
        if (std::ranges::find(changes, now().text) == changes.end() || target->is_result) return values_.refuse();
        const std::string by = values_.next().text;
        const CValue more = values_.value();
        const bool plain =
            (by == "+=" || by == "-=") && !wraps && more.kind == CValue::Kind::number && more.bits <= target->bits;
        if (!plain) return change(*target, by.substr(0, by.size() - 1), more);
        mark(by);
        add(more.text);
    }

    CValue one() const {
        CValue out;
        out.bits = int_bits, out.is_plain = true;
        out.text = {made(PieceKind::number, "1")};
        return out;
    }

    // name = name operation value, truncated to its width
    void change(const CValues::Target& target, const std::string& operation, const CValue& by) {
        mark("=");
        add(values_.changed(target, operation, by).text);
    }

    void print() {
        values_.next();
        needs_it_ = true;
        need("(");
        word("printf");
        mark("(");
        add(values_.printed());
        mark(")");
        mark(";");
        need(")");
        need(";");
    }

    // ---- lists

    // The loop's variable points to the structure; old kernels need another variable for the list.
    void walk(const Walk& row) {
        needs_it_ = true;
        values_.next();
        need("(");
        const std::string name = now().text;
        const std::string type = values_.pointee_of(name);
        values_.next();
        need(",");
        if (values_.is_lone_name() && values_.pointee_of(now().text) == "struct hlist_node") values_.next(), need(",");
        const Pieces head = values_.head_of_list();
        std::string member(row.member);
        if (member.empty()) {
            need(",");
            member = values_.next().text;
        }
        need(")");
        loop(row, {values_.spelled(name), type, member}, head);
        if (type.empty() || values_.names_later(name)) values_.refuse();
    }

    struct Visited {
        std::string name, type, member;
    };
    void loop(const Walk& row, const Visited& visited, const Pieces& head) {
        const std::string node = values_.fresh("node");
        const auto give = [&](const std::string& to) { word(to), mark("="); };
        give(node);
        add(head);
        mark("->"), word(row.ends_at_head ? "next" : "first"), mark(";");
        word("while"), mark("("), word(node);
        if (row.ends_at_head) mark("!="), mark("&"), add(head);
        mark(")"), mark("{");
        give(visited.name);
        add(container_call(values_, node, visited.type, visited.member));
        mark(";");
        give(node);
        add(cast_call(values_, {made(PieceKind::word, node)},
                      row.ends_at_head ? "struct list_head" : "struct hlist_node"));
        mark("->"), word("next"), mark(";");
        round();
        mark("}");
    }

    const CFacts& facts_;
    CValues values_;
    Pieces out_;
    std::optional<Span> lock_, option_;
    bool needs_it_ = false;
    bool result_ = false;
    size_t depth_ = 0, loops_ = 0;
    size_t result_begin_ = 0, result_end_ = nowhere;  // the statement that gives it its value
};

}  // namespace

SpelledC spell_out(const Pieces& c, const CFacts& facts) { return Body(c, facts).all(); }

}  // namespace lt::stp
