#include "systemtap/c/cursor.h"

#include <algorithm>
#include <utility>

namespace lt::stp {

Piece CCursor::next() {
    if (!at_end()) return c_[at_++];
    refuse();
    return end_;
}

void CCursor::refuse() {
    if (fine_ && !c_.empty()) refused_ = c_[std::min(at_, c_.size() - 1)].span;
    fine_ = false;
}

bool CCursor::take(std::string_view mark) {
    if (!now().is(mark)) return false;
    at_++;
    return true;
}

bool CCursor::take_word(std::string_view word) {
    if (!now().is_word(word)) return false;
    at_++;
    return true;
}

void CCursor::skip_brackets() {
    size_t open = 0;
    do {
        const Piece piece = next();
        open += piece.is("(");
        open -= piece.is(")") && open > 0;
    } while (open > 0 && fine_);
}

Piece CCursor::made(PieceKind kind, std::string text) const {
    return {kind, c_.empty() ? Span{} : c_[std::min(at_, c_.size() - 1)].span, std::move(text)};
}

}  // namespace lt::stp
