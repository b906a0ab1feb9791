/**
 * The script for bash. It needs nothing but bash, and runs nothing that stands on the command line:
 * what is typed is handed over as it is.
 */
export const bashScript = String.raw`# bash completion for tradepost

_tradepost_complete() {
    COMPREPLY=()
    # Bash splits words at = and : as well. What no space stands between belongs together.
    local rest=\${COMP_LINE:0:COMP_POINT} words=() glued=0 part i
    for ((i = 0; i < COMP_CWORD; i++)); do
        part=\${COMP_WORDS[i]}
        if [[ $glued -eq 1 && $rest != [[:space:]]* ]]; then
            words[\${#words[@]} - 1]+=$part
        else
            words+=("$part")
        fi
        glued=1
        rest=\${rest#"\${rest%%[![:space:]]*}"}
        rest=\${rest#"$part"}
    done
    if [[ $glued -eq 1 && -n $rest && $rest != [[:space:]]* ]]; then
        words[\${#words[@]} - 1]+=$rest
    else
        words+=("\${rest#"\${rest%%[![:space:]]*}"}")
    fi

    local typed=\${words[\${#words[@]} - 1]} answer directive
    answer=$(tradepost complete -- "\${words[@]:1}" 2>/dev/null) || return 0
    directive=\${answer##*:}
    if type compopt &>/dev/null; then
        [[ $((directive & 2)) -ne 0 ]] && compopt -o nospace
        [[ $((directive & 4)) -ne 0 ]] && compopt +o default
    fi

    # Of --option=value bash wants what follows the last character that it splits at.
    local flag= split= line
    [[ $typed == --*=* ]] && flag=\${typed%%=*}=
    [[ $COMP_WORDBREAKS == *=* && $typed == *=* ]] && split=\${typed%"\${typed##*=}"}
    [[ $COMP_WORDBREAKS == *:* && $typed == *:* ]] && split=\${typed%"\${typed##*:}"}
    while IFS= read -r line; do
        line=$flag\${line%%$'\t'*}
        COMPREPLY+=("\${line#"$split"}")
    done < <(printf '%s' "\${answer%:*}")
}

complete -o default -F _tradepost_complete tradepost
`.replaceAll('\\$', '$');
