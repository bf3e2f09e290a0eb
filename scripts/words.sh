#!/bin/sh
# words.sh: words that have made documentation hard to read are not in what users read: public headers, documents, the
# command's help and manual, examples. The field has better ones ("reported", "the waiting thread", "a tensor's device").
cd "$(dirname "$0")/.." || exit 2
words='told|tells|telling|whom|nobody|husk|stain|suspect|whose are|what is no [a-z]+|of which there (is|are)|of none|what there is|that there (is|are)\b'
! grep -nEwi "$words" README.md CONTRIBUTING.md CHANGELOG.md docs/*.md docs/guide/*.md include/facula/*.h include/facula/ops/*.h examples/*.c \
    tools/facula/facula.1 tools/facula/settings.c tools/facula/main.c
