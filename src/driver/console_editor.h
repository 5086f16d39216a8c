// The line that a person types, with history, completion and several lines in one entry: libedit, which edits, and
// hands over to the console whenever it would wait for a key.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lt {

// What can stand in the place of a word: the text from `begin` up to the cursor.
struct Completion {
    size_t begin = 0;
    std::vector<std::string> words = {};  // sorted; a word that ends in a space or bracket needs no space behind it
    std::string note = {};                // what is to be known here, where there are no words
};

// What ends a wait.
enum class Wake {
    key,        // a byte was typed
    output,     // there is something to show
    interrupt,  // Ctrl-C
    resize,     // the terminal has another size
    end,        // no more is to be read
};

struct EditorHost {
    // `for_keys`: what there is to show has to wait.
    std::function<Wake(char& key, bool for_keys)> wait;
    std::function<void()> show;       // the cursor is at the begin of an empty line: what there is to show is printed
    std::function<void()> interrupt;  // Ctrl-C, and there was no text to throw away
    std::function<bool(std::string_view text)> whole;           // can it be run, or does more follow on another line?
    std::function<Completion(std::string_view text)> complete;  // of what stands before the cursor
    std::function<void(const std::vector<std::string>&)> choices;  // shows what the word could become
};

class Editor {
  public:
    Editor(EditorHost host, std::string history_file);
    ~Editor();
    Editor(const Editor&) = delete;
    Editor& operator=(const Editor&) = delete;

    // An entry, which begins with `text`; none at the end of the input.
    std::optional<std::string> read(const std::string& text);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace lt
