// The line that the user types, with history, completion and entries of several lines. libedit does the editing, and
// calls the console whenever it would wait for a key.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lt {

// Candidates for a word: the text from `begin` up to the cursor.
struct Completion {
    size_t begin = 0;
    std::vector<std::string> words = {};  // sorted; a word that ends in a space or bracket gets no space after it
    std::string note = {};                // a hint for this position if there are no words
};

// Reasons to stop waiting.
enum class Wake {
    key,        // a byte was typed
    output,     // there is something to show
    interrupt,  // Ctrl-C
    resize,     // the terminal's size changed
    end,        // end of input
};

struct EditorHost {
    // `for_keys`: output has to wait.
    std::function<Wake(char& key, bool for_keys)> wait;
    std::function<void()> show;       // the cursor is at the start of an empty line: print pending output
    std::function<void()> interrupt;  // Ctrl-C when there was no text to discard
    std::function<bool(std::string_view text)> whole;              // is the text complete, or are more lines needed?
    std::function<Completion(std::string_view text)> complete;     // `text` is the text before the cursor
    std::function<void(const std::vector<std::string>&)> choices;  // shows the candidates
};

class Editor {
  public:
    Editor(EditorHost host, std::string history_file);
    ~Editor();
    Editor(const Editor&) = delete;
    Editor& operator=(const Editor&) = delete;

    // Reads an entry; none at the end of the input.
    std::optional<std::string> read();

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace lt
