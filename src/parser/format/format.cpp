#include "parser/format/format.h"

#include <vector>

#include "parser/format/layout.h"
#include "parser/format/pieces.h"
#include "parser/parse.h"

namespace lt {

std::string formatted(const Source& source, Diags& diags) {
    const ast::Program program = parse_as_written(source, diags);
    if (diags.has_errors()) return {};
    std::vector<format::Piece> pieces = format::pieces_of(source);
    Source out{source.name, format::Layout(pieces).all(), {}, source.dialect};
    // A script never changes its meaning.
    Diags wrong;
    if (ast::dump(parse_as_written(out, wrong)) == ast::dump(program) && !wrong.has_errors()) return out.text;
    diags.error({}, "lt cannot format this script: the result would not mean the same").hint =
        "this is a mistake in lt; the script is left as it is";
    return {};
}

}  // namespace lt
