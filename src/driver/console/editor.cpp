// libedit calls back in C; each callback finds the editor as its client data. Output during editing goes through a key
// of our own, whose function makes libedit redraw the line: it asks for the prompt when the screen is clear.
#include "driver/console/editor.h"

#include <histedit.h>
#include <unistd.h>

#include <algorithm>
#include <clocale>
#include <cstdio>
#include <cwchar>
#include <string_view>
#include <utility>

namespace lt {
namespace {

// Keys that are rarely typed by accident.
constexpr wchar_t output_key = 0x1d, interrupt_key = 0x1e;
constexpr wchar_t search_key = 0x12;
constexpr int most_history = 2000;

// While libedit searches the history it reads keys itself, and stops at one that is not for the search. Our own keys
// stop it, too.
bool goes_on_searching(wchar_t key) {
    constexpr std::wstring_view of_search = L"\x08\x12\x13\x17\x7f";
    return key >= L' ' || of_search.find(key) != of_search.npos;
}

}  // namespace

struct Editor::State {
    EditorHost host;
    std::string history_file;
    EditLine* line = nullptr;
    ::History* history = nullptr;
    bool clear = false;     // the cursor is at the start of an empty line
    bool entering = false;  // Enter was typed
    bool accepted = false;  // the entry is done
    bool ended = false;
    bool searching = false;  // libedit is searching the history
    bool hidden = false;     // the prompt is hidden
    bool resized = false;    // while text was being pasted
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
    int length() const {  // in characters, as libedit counts
        const LineInfoW* info = el_wline(line);
        return static_cast<int>(info->lastchar - info->buffer);
    }
    unsigned char redraw() {
        clear = true;
        return CC_REDISPLAY;
    }
    void to_end() const { el_cursor(line, length()); }
    void resize();
    unsigned char paste();
    int next(wchar_t* c);
    bool decode(char byte, wchar_t* c);
    unsigned char complete();
    unsigned char enter();
    unsigned char interrupt();
};

// Decodes a character of one or more bytes; skips invalid bytes.
bool Editor::State::decode(char byte, wchar_t* c) {
    const size_t n = std::mbrtowc(c, &byte, 1, &bytes);
    if (n == static_cast<size_t>(-1)) bytes = {};
    return n <= 1;
}

int Editor::State::next(wchar_t* c) {
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
                resize();
                break;
            case Wake::end:
                ended = true;
                return 0;
        }
    }
}

// libedit keeps its cursor position after a resize, even if the new screen does not have it, and writes there. So the
// cursor goes to the top of an empty screen first, and the text is redrawn.
void Editor::State::resize() {
    const LineInfoW* info = el_wline(line);
    const std::wstring typed(info->buffer, info->lastchar);
    const auto after_cursor = static_cast<int>(info->lastchar - info->cursor);
    to_end();
    if (!typed.empty()) el_deletestr(line, static_cast<int>(typed.size()));
    hidden = true;
    el_set(line, EL_REFRESH);
    el_resize(line);
    hidden = false;
    if (!typed.empty()) el_winsertstr(line, typed.c_str());
    el_cursor(line, -after_cursor);
    el_set(line, EL_REFRESH);
}

// Pasted text goes into the line as it is, with its newlines. Control characters are dropped.
unsigned char Editor::State::paste() {
    constexpr std::string_view end = "\033[201~";
    constexpr size_t most = 256 << 10;
    std::string pasted;
    while (!pasted.ends_with(end)) {
        char key = 0;
        const Wake wake = host.wait(key, true);
        if (wake == Wake::end) {
            ended = true;
            return CC_EOF;
        }
        if (wake == Wake::interrupt) return redraw();
        if (wake == Wake::key && pasted.size() < most + end.size()) pasted += key;
        if (wake == Wake::key && pasted.size() == most + end.size()) pasted.erase(most, 1);
        resized = resized || wake == Wake::resize;
    }
    pasted.resize(pasted.size() - end.size());
    std::string text;
    for (const char c : pasted) {
        const bool is_blank = c == '\t' || c == '\r';
        if (is_blank || c == '\n' || static_cast<unsigned char>(c) >= 0x20)
            text += c == '\t' ? ' ' : c == '\r' ? '\n' : c;
    }
    if (std::exchange(resized, false)) resize();
    if (!text.empty() && el_insertstr(line, text.c_str()) != 0) return CC_ERROR;
    return CC_REFRESH;
}

// Completes as far as all candidates agree; then shows them.
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

// First moves the cursor to the end of the text, so that output starts below it. The key comes a second time, once the
// line is redrawn.
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
    if (length() == 0)
        host.interrupt();
    else
        el_deletestr(line, length());
    return redraw();
}

Editor::Editor(EditorHost host, std::string history_file) : state_(std::make_unique<State>()) {
    State& s = *state_;
    s.host = std::move(host);
    s.history_file = std::move(history_file);
    std::setlocale(LC_CTYPE, "");
    if (MB_CUR_MAX == 1) std::setlocale(LC_CTYPE, "C.UTF-8");
    s.line = el_init_fd("lt", stdin, stdout, stderr, STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO);
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
        static char text[] = "lt> ", nothing[] = "";
        State& state = State::of(el);
        if (state.hidden) return nothing;
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
    bind("\\e[200~", "lt-paste", +[](EditLine* el, int) { return State::of(el).paste(); });
    bind("^]", "lt-output", +[](EditLine* el, int) { return State::of(el).redraw(); });
    bind("\\036", "lt-interrupt", +[](EditLine* el, int) { return State::of(el).interrupt(); });
}

Editor::~Editor() {
    State& s = *state_;
    HistEvent event;
    if (!s.history_file.empty()) ::history(s.history, &event, H_SAVE, s.history_file.c_str());
    history_end(s.history);
    el_end(s.line);
}

std::optional<std::string> Editor::read() {
    State& s = *state_;
    s.clear = true;
    s.accepted = s.searching = false;
    int count = 0;
    // Before the prompt; otherwise the terminal itself would echo typed keys.
    el_set(s.line, EL_PREP_TERM, 1);
    const bool on_terminal = isatty(STDOUT_FILENO) != 0;
    if (on_terminal) std::fputs("\033[?2004h", stdout);  // bracketed paste: marks the start and end of pasted text
    std::fflush(stdout);
    const char* line = el_gets(s.line, &count);
    std::fputs(on_terminal ? "\033[?2004l\n" : "\n", stdout);
    std::fflush(stdout);
    if (!s.accepted || s.ended) return {};
    std::string entry(line ? line : "", line ? static_cast<size_t>(count) : 0);
    HistEvent event;
    if (!entry.empty()) ::history(s.history, &event, H_ENTER, entry.c_str());
    return entry;
}

}  // namespace lt
