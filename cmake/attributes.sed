# Of the BPF library's functions: what they promise is of no use once they are inlined. A group may not be empty.
/^attributes /s/ "[a-z-]+"="[^"]*"//g
/^attributes /s/ (nounwind|nofree|norecurse|nosync|mustprogress|willreturn|nocallback|memory\([^)]*\))//g
/^attributes /s/\{/{ nounwind/
/^(define|declare)/s/ (noundef|nocapture|readonly|readnone|writeonly|nonnull|dso_local|local_unnamed_addr|range\([^)]*\))//g
