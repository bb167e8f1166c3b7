# SPDX-License-Identifier: Apache-2.0
# What Doxygen needs and a reader of the header does not: a comment before a declaration becomes /**, one after it /**<, and one
# after several names of one type (`int a, b; /* text */`) is repeated for each.
/^#/ || /^\/\* SPDX/ || /^\/\* ---/ { print; next }
/^ *\/\* / { sub(/\/\* /, "/** "); print; next }
/^ +[a-z][^(]*, [^(]*; +\/\* .* \*\/$/ {
    match($0, /; +\/\* /)
    text = substr($0, RSTART + RLENGTH)
    gsub(/  +/, " ", text)
    names = split(substr($0, 1, RSTART - 1), name, /, /)
    match(name[1], /.*[ *]/)
    type = substr(name[1], 1, RLENGTH)
    for (i = 1; i <= names; i++)
        printf "%s%s; /**< %s ", i == 1 ? "" : type, name[i], text
    print ""
    next
}
{ sub(/[^ ] +\/\* /, "&<"); sub(/\/\* </, "/**< "); print }
