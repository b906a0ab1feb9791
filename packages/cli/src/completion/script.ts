export const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;

export type Shell = (typeof shells)[number];

/** Creates the script by which a shell calls `tradepost complete`. */
export async function createScript(shell: Shell): Promise<string> {
  // The library's script needs the bash-completion package, and evaluates typed words.
  if (shell === 'bash') return bashScript;
  const { script } = await import('../lazy/completion-scripts');
  // The library prints its scripts synchronously.
  const { log } = console;
  let text = '';
  console.log = (line: string) => {
    text += `${line}\n`;
  };
  try {
    script(shell, 'tradepost', 'tradepost');
  } finally {
    console.log = log;
  }
  return text;
}

/**
 * The script for bash. It needs only bash, and never evaluates typed words.
 */
export const bashScript = String.raw`# bash completion for tradepost

_tradepost_complete() {
    COMPREPLY=()
    # Bash also splits words at = and :. Join what has no space in between.
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

    local typed=\${words[\${#words[@]} - 1]} reply directive
    reply=$(tradepost complete -- "\${words[@]:1}" 2>/dev/null) || return 0
    directive=\${reply##*:}
    if type compopt &>/dev/null; then
        [[ $((directive & 4)) -ne 0 ]] && compopt +o default
    fi

    # Of --option=value bash expects what follows the last character that it splits at.
    local flag= split= line
    [[ $typed == --*=* ]] && flag=\${typed%%=*}=
    [[ $COMP_WORDBREAKS == *=* && $typed == *=* ]] && split=\${typed%"\${typed##*=}"}
    [[ $COMP_WORDBREAKS == *:* && $typed == *:* ]] && split=\${typed%"\${typed##*:}"}
    while IFS= read -r line; do
        line=$flag\${line%%$'\t'*}
        COMPREPLY+=("\${line#"$split"}")
    done < <(printf '%s' "\${reply%:*}")
}

complete -o default -F _tradepost_complete tradepost
`.replaceAll('\\$', '$');
