# Counts the cases in CTest's log of a run (Testing/Temporary/LastTest.log): cmocka's `[       OK ] name` and
# `[  FAILED  ] name` lines, or a line `N passed, N failed` that a program prints itself. A test without either is one
# case: passed, skipped if it says `skipped: why`, or failed, as is one that died. Prints `N passed, N failed, N skipped`.
function leave() {
    if (!inside)
        return
    if (own) {
        ok = own_ok; bad = own_bad; skip = own_skip
    }
    if (died && !bad)
        bad = 1
    if (!died && skipped && !ok && !bad && !skip)
        skip = 1
    if (!died && !skipped && !ok && !bad && !skip)
        ok = 1
    passed += ok; failed += bad; left_out += skip
    inside = 0
}
/^[0-9]+\/[0-9]+ Testing: / {
    leave()
    section++
    inside = 1; ok = bad = skip = own = own_ok = own_bad = own_skip = skipped = 0
    died = lost; lost = 0
}
/^\[       OK \]/ { ok++ }
/^\[  FAILED  \] / && !/test\(s\), listed below/ && !(($0, section) in named) { named[$0, section]; bad++ }
/^\[  SKIPPED \] [0-9]+ test\(s\)/ { skip += $4 }
/^[0-9]+ passed, [0-9]+ failed/ { own = 1; own_ok += $1; own_bad += $3; own_skip += $5 }
/^skipped: / { skipped = 1 }
/^Test Failed\./ { died = 1 }
/^Unable to find executable/ { lost = 1 }
END {
    leave()
    printf "%d passed, %d failed, %d skipped\n", passed, failed, left_out
}
