# SPDX-License-Identifier: GPL-2.0-or-later
#
# Reads an apt .sources file (deb822 paragraphs) and prints "uri suite components signed-by trusted" a line for each
# URI x suite; components with commas, "-" for what is absent. A key that stands in the file itself is written to a
# file of its own in the directory `keys`. Flat repositories (suite ends in /) and disabled entries are left out.
function flush_paragraph(   u, s, c, nu, ns, nc, uri, suite, component, i, j, signed, trusted, file) {
    if (field["types"] != "" && tolower(field["enabled"]) !~ /^(no|false|off|0)$/) {
        nu = split(field["uris"], uri, /[ \t\n]+/)
        ns = split(field["suites"], suite, /[ \t\n]+/)
        nc = split(field["components"], component, /[ \t\n]+/)
        c = ""
        for (i = 1; i <= nc; i++)
            if (component[i] != "") c = c (c == "" ? "" : ",") component[i]
        signed = field["signed-by"] == "" ? "-" : field["signed-by"]
        if (signed ~ /BEGIN PGP/) {
            file = keys "/" (++embedded) ".asc"
            sub(/^[ \t\n]+/, "", signed)
            gsub(/\n[ \t]*\.(\n|$)/, "\n\n", signed)
            gsub(/\n[ \t]+/, "\n", signed)
            print signed > file
            close(file)
            signed = file
        }
        trusted = field["trusted"] == "" ? "-" : field["trusted"]
        for (i = 1; i <= nu; i++)
            for (j = 1; j <= ns; j++)
                if (uri[i] != "" && suite[j] != "" && suite[j] !~ /\/$/ && c != "" && uri[i] !~ /^cdrom:/)
                    print uri[i], suite[j], c, signed, trusted
    }
    for (i in field) delete field[i]
    name = ""
}
/^#/ { next }
/^[ \t]*$/ { flush_paragraph(); next }
/^[ \t]/ { if (name != "") field[name] = field[name] "\n" $0; next }
{
    colon = index($0, ":")
    if (!colon) next
    name = tolower(substr($0, 1, colon - 1))
    value = substr($0, colon + 1)
    sub(/^[ \t]+/, "", value)
    sub(/[ \t]+$/, "", value)
    field[name] = value
}
END { flush_paragraph() }
