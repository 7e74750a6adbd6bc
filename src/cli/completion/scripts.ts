/**
 * The completion script of each shell. The scripts only pass the words on to `svc __complete`, which prints one
 * candidate per line: the word, a tab, and its description. The rules are in one place, and a script stays valid
 * when commands change. Without candidates the shell completes file names.
 */
export const COMPLETION_SCRIPTS = { bash: bash(), zsh: zsh(), fish: fish() } as const

/** Bash splits words at `:` and `=`, so the part before the last of them is removed from each candidate. */
function bash(): string {
  return String.raw`# bash completion of svc
_svc() {
  local line="\${COMP_LINE:0:COMP_POINT}" kept='' one
  local -a words=() found=()
  read -ra words <<<"$line"
  [[ "$line" == *[[:space:]] ]] && words+=('')
  local current="\${words[-1]}"
  if [[ "$current" == *[:=]* ]]; then kept="\${current%"\${current##*[:=]}"}"; fi
  mapfile -t found < <(svc __complete -- "\${words[@]:1}" 2>/dev/null)
  COMPREPLY=()
  for one in "\${found[@]}"; do
    one="\${one%%$'\t'*}"
    [[ "$one" == *= ]] && compopt -o nospace 2>/dev/null
    one="\${one#"$kept"}"
    [[ "$one" == *[^A-Za-z0-9_@%+=:,./-]* ]] && printf -v one %q "$one"
    COMPREPLY+=("$one")
  done
}
complete -o default -F _svc svc
`.replaceAll('\\$', '$')
}

function zsh(): string {
  return String.raw`#compdef svc
# zsh completion of svc
_svc() {
  local line
  local -a values shown open open_shown
  for line in "\${(@f)$(svc __complete -- "\${(@)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null)}"; do
    [[ -z "$line" ]] && continue
    if [[ "\${line%%$'\t'*}" == *= ]]; then
      open+=("\${line%%$'\t'*}"); open_shown+=("\${line/$'\t'/  -- }")
    else
      values+=("\${line%%$'\t'*}"); shown+=("\${line/$'\t'/  -- }")
    fi
  done
  (( \${#values} )) && compadd -U -l -d shown -a values
  (( \${#open} )) && compadd -U -l -S '' -d open_shown -a open
  (( \${#values} + \${#open} )) || _files
}
compdef _svc svc
`.replaceAll('\\$', '$')
}

function fish(): string {
  return String.raw`# fish completion of svc
function __svc_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -e words[1]
    set -l found (svc __complete -- $words "$current" 2>/dev/null)
    if test (count $found) -gt 0
        printf '%s\n' $found
    else
        __fish_complete_path "$current"
    end
end
complete -c svc -f -a '(__svc_complete)'
`
}
