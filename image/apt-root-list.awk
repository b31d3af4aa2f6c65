# SPDX-License-Identifier: GPL-2.0-or-later
#
# Reads an apt sources.list (one entry a line) and prints "uri suite components signed-by trusted" for each deb or
# deb-src entry; components with commas, "-" for what is absent. Flat repositories (suite ends in /) are left out.
{ sub(/#.*/, "") }
$1 == "deb" || $1 == "deb-src" {
    signed = trusted = "-"
    line = $0
    sub(/^[ \t]*deb(-src)?[ \t]+/, "", line)
    if (line ~ /^\[/) {
        options = line
        sub(/\].*/, "", options)
        sub(/^\[/, "", options)
        sub(/^[^]]*\][ \t]*/, "", line)
        n = split(options, option, /[ \t]+/)
        for (i = 1; i <= n; i++) {
            if (option[i] ~ /^signed-by=/) signed = substr(option[i], 11)
            if (option[i] ~ /^trusted=/) trusted = substr(option[i], 9)
        }
    }
    n = split(line, word, /[ \t]+/)
    if (n < 3 || word[2] ~ /\/$/ || word[1] ~ /^cdrom:/) next
    components = ""
    for (i = 3; i <= n; i++)
        if (word[i] != "") components = components (components == "" ? "" : ",") word[i]
    print word[1], word[2], components, signed, trusted
}
