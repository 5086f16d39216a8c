// libedit calls back in C; each callback finds the editor as its client data. What is shown while a line is edited goes
// through a key of our own, whose function has the line drawn anew: the prompt is asked for when the screen is clear.
#include "console_editor.h"

#include <histedit.h>

#include <algorithm>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <cwchar>
#include <string_view>
#include <utility>

namespace lt {
namespace {

// Keys that nobody types by chance.
constexpr wchar_t output_key = 0x1d, interrupt_key = 0x1e, begin_key = 0x1f;
constexpr wchar_t search_key = 0x12;
constexpr int most_history = 2000;

// libedit's search in the history takes keys by itself, and ends at one that is not for it: our own, too.
bool goes_on_searching(wchar_t key) {
    constexpr std::wstring_view of_search = L"\x08\x12\x13\x17\x7f";
    return key >= L' ' || of_search.find(key) != of_search.npos;
}

}  // namespace

struct Editor::State {
    EditorHost host;
    std::string history_file;
    EditLine* line = nullptr;
    History* history = nullptr;
    std::string begin;      // to be put into the line before the first key
    bool clear = false;     // the cursor is at the begin of an empty line
    bool entering = false;  // Enter was typed
    bool accepted = false;  // the entry is done
    bool ended = false;
    bool searching = false;  // in the history, by libedit
    std::mbstate_t bytes{};

    static State& of(EditLine* el) {
        void* data = nullptr;
        el_get(el, EL_CLIENTDATA, &data);
        return *static_cast<State*>(data);
    }
    std::string before_cursor() const {
        const LineInfo* info = el_line(line);
        return {info->buffer, static_cast<size_t>(info->cursor - info->buffer)};
    }
    std::string text() const {
        const LineInfo* info = el_line(line);
        return {info->buffer, static_cast<size_t>(info->lastchar - info->buffer)};
    }
    unsigned char redraw() {
        clear = true;
        return CC_REDISPLAY;
    }
    void to_end() const { el_cursor(line, static_cast<int>(text().size())); }
    int next(wchar_t* c);
    bool decode(char byte, wchar_t* c);
    unsigned char complete();
    unsigned char enter();
    unsigned char interrupt();
};

// A character of one or more bytes; what is no character is skipped.
bool Editor::State::decode(char byte, wchar_t* c) {
    const size_t n = std::mbrtowc(c, &byte, 1, &bytes);
    if (n == static_cast<size_t>(-1)) bytes = {};
    return n <= 1;
}

int Editor::State::next(wchar_t* c) {
    if (!begin.empty()) {
        *c = begin_key;
        return 1;
    }
    if (entering) {
        *c = L'\r';
        return 1;
    }
    for (char key = 0;;) {
        switch (host.wait(key, searching)) {
            case Wake::key:
                if (!decode(key, c)) break;
                searching = *c == search_key || (searching && goes_on_searching(*c));
                return 1;
            case Wake::output:
                *c = output_key;
                return 1;
            case Wake::interrupt:
                searching = false;
                *c = interrupt_key;
                return 1;
            case Wake::resize:
                el_resize(line);
                break;
            case Wake::end:
                ended = true;
                return 0;
        }
    }
}

// As far as all candidates agree; then they are shown.
unsigned char Editor::State::complete() {
    const std::string before = before_cursor();
    const Completion found = host.complete(before);
    if (!found.note.empty()) {
        host.choices({found.note});
        return redraw();
    }
    if (found.words.empty()) return CC_REFRESH_BEEP;
    std::string common = found.words.front();
    for (const std::string& word : found.words) {
        const auto differs = std::mismatch(common.begin(), common.end(), word.begin(), word.end()).first;
        common.erase(differs, common.end());
    }
    const std::string typed = before.substr(found.begin);
    if (common.size() > typed.size()) {
        el_insertstr(line, common.c_str() + typed.size());
        return CC_REFRESH;
    }
    if (found.words.size() == 1) return CC_REFRESH;
    host.choices(found.words);
    return redraw();
}

// The cursor goes to the end of the text first, so that what follows stands below it: the key comes a second time, when
// the line has been drawn so.
unsigned char Editor::State::enter() {
    entering = !entering;
    to_end();
    if (entering) return CC_REFRESH;
    if (!host.whole(text())) {
        el_insertstr(line, "\n");
        return CC_REFRESH;
    }
    accepted = true;
    return CC_NEWLINE;
}

unsigned char Editor::State::interrupt() {
    to_end();
    const std::string typed = text();
    if (typed.empty())
        host.interrupt();
    else
        el_deletestr(line, static_cast<int>(typed.size()));
    return redraw();
}

Editor::Editor(EditorHost host, std::string history_file) : state_(std::make_unique<State>()) {
    State& s = *state_;
    s.host = std::move(host);
    s.history_file = std::move(history_file);
    std::setlocale(LC_CTYPE, "");
    if (MB_CUR_MAX == 1) std::setlocale(LC_CTYPE, "C.UTF-8");
    s.line = el_init("lt", stdin, stdout, stderr);
    s.history = history_init();
    HistEvent event;
    ::history(s.history, &event, H_SETSIZE, most_history);
    ::history(s.history, &event, H_SETUNIQUE, 1);
    if (!s.history_file.empty()) ::history(s.history, &event, H_LOAD, s.history_file.c_str());
    el_set(s.line, EL_CLIENTDATA, &s);
    el_set(s.line, EL_EDITOR, "emacs");
    el_set(s.line, EL_SIGNAL, 0);
    el_set(s.line, EL_HIST, ::history, s.history);
    el_source(s.line, nullptr);
    const auto prompt = +[](EditLine* el) -> char* {
        static char text[] = "lt> ";
        State& state = State::of(el);
        if (state.clear) {
            state.clear = false;
            state.host.show();
        }
        return text;
    };
    el_set(s.line, EL_PROMPT, prompt);
    el_set(s.line, EL_GETCFN, +[](EditLine* el, wchar_t* c) { return State::of(el).next(c); });
    const auto bind = [&](const char* key, const char* name, unsigned char (*work)(EditLine*, int)) {
        el_set(s.line, EL_ADDFN, name, name, work);
        el_set(s.line, EL_BIND, key, name, nullptr);
    };
    bind("^I", "lt-complete", +[](EditLine* el, int) { return State::of(el).complete(); });
    bind("^M", "lt-enter", +[](EditLine* el, int) { return State::of(el).enter(); });
    el_set(s.line, EL_BIND, "^J", "lt-enter", nullptr);
    el_set(s.line, EL_BIND, "^R", "em-inc-search-prev", nullptr);
    bind("^]", "lt-output", +[](EditLine* el, int) { return State::of(el).redraw(); });
    bind("\\036", "lt-interrupt", +[](EditLine* el, int) { return State::of(el).interrupt(); });
    bind(
        "\\037", "lt-begin", +[](EditLine* el, int) -> unsigned char {
            State& state = State::of(el);
            const std::string begin = std::exchange(state.begin, "");
            el_insertstr(el, begin.c_str());
            return CC_REFRESH;
        });
}

Editor::~Editor() {
    State& s = *state_;
    HistEvent event;
    if (!s.history_file.empty()) ::history(s.history, &event, H_SAVE, s.history_file.c_str());
    history_end(s.history);
    el_end(s.line);
}

std::optional<std::string> Editor::read(const std::string& text) {
    State& s = *state_;
    s.begin = text;
    s.clear = true;
    s.accepted = s.searching = false;
    int count = 0;
    // Before the prompt, or the terminal itself would echo what is typed at once.
    el_set(s.line, EL_PREP_TERM, 1);
    const char* line = el_gets(s.line, &count);
    std::fputs("\n", stdout);
    std::fflush(stdout);
    if (!s.accepted || s.ended) return {};
    std::string entry(line ? line : "", line ? static_cast<size_t>(count) : 0);
    HistEvent event;
    if (!entry.empty()) ::history(s.history, &event, H_ENTER, entry.c_str());
    return entry;
}

}  // namespace lt
