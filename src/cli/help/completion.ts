import type { CommandSpec } from '../framework/command.js'
import { GLOBAL_OPTIONS } from '../framework/globals.js'
import { VISIBLE_NOUNS } from '../nouns.js'
import { TOPICS } from './topics.js'

/** One command of the tree, as a shell needs it. */
interface Node {
  /** `order place`; empty for the root. */
  path: string
  summary: string
  /** The words that may follow: verbs, or fixed values of the first argument. */
  words: readonly { word: string; summary: string }[]
  options: readonly { word: string; summary: string; takesValue: boolean; values: readonly string[] }[]
  /** The kind of values to ask the daemon for. */
  dynamic: string | undefined
}

/** The generator of each shell's script, from the command tree. */
export const SHELLS = { bash, zsh, fish } as const

async function tree(): Promise<Node[]> {
  const nodes: Node[] = []
  for (const entry of VISIBLE_NOUNS) {
    const spec = await entry.load()
    for (const name of [entry.name, ...(entry.aliases ?? [])]) walk(name, spec, nodes)
  }
  return nodes
}

function walk(path: string, spec: CommandSpec, into: Node[]): void {
  const [argument] = spec.arguments ?? []
  const topics = path === 'help' ? [...VISIBLE_NOUNS.map((noun) => noun.name), ...Object.keys(TOPICS)] : []
  const fixed = [...(argument?.choices ?? []), ...topics].map((word) => ({ word, summary: '' }))
  into.push({
    path,
    summary: spec.summary,
    words: [...(spec.verbs ?? []).map((verb) => ({ word: verb.name, summary: verb.summary })), ...fixed],
    options: (spec.options ?? []).map(optionNode),
    dynamic: argument?.complete,
  })
  for (const verb of spec.verbs ?? []) walk(`${path} ${verb.name}`, verb, into)
}

function optionNode(option: { flags: string; summary: string; choices?: readonly string[] }) {
  const word = /--[a-z-]+/.exec(option.flags)?.[0] ?? option.flags
  return {
    word,
    summary: option.summary,
    takesValue: option.flags.includes('<'),
    values: option.choices ?? [],
  }
}

const GLOBALS = GLOBAL_OPTIONS.map(optionNode)

async function bash(): Promise<string> {
  return `# bash completion of svc
${await table()}
_svc() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" path=svc word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [[ -n "\${_svc_words["$path $word"]+set}" ]] && path="$path $word"
  done
  local found="\${_svc_words["$path"]}"
  [[ "$current" == -* ]] && found="\${_svc_options["$path"]} \${_svc_options[svc]}"
  [[ -n "\${_svc_values["$path $previous"]}" ]] && found="\${_svc_values["$path $previous"]}"
  [[ -n "\${_svc_values["svc $previous"]}" ]] && found="\${_svc_values["svc $previous"]}"
  if [[ "$current" != -* && -n "\${_svc_dynamic["$path"]}" ]]; then
    found+=" $(svc __complete "\${_svc_dynamic["$path"]}" 2>/dev/null)"
  fi
  if [[ "$previous" == --from || "$previous" == --home ]]; then
    COMPREPLY=($(compgen -f -- "$current"))
  else
    COMPREPLY=($(compgen -W "$found" -- "$current"))
  fi
}
complete -F _svc svc
`
}

/** Returns the tree as associative arrays of bash. Keys are whole paths, because bash allows no empty key. */
async function table(): Promise<string> {
  const nodes = [rootNode(), ...(await tree())]
  const key = (node: Node) => (node.path === '' ? 'svc' : `svc ${node.path}`)
  const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
  const array = (name: string, rows: readonly (readonly [string, string])[]) =>
    [`declare -A ${name}=(`, ...rows.map(([at, value]) => `  [${quote(at)}]=${quote(value)}`), ')'].join('\n')
  const joined = (list: readonly { word: string }[]) => list.map((one) => one.word).join(' ')
  const values = nodes.flatMap((node) =>
    node.options
      .filter((option) => option.values.length > 0)
      .map((option) => [`${key(node)} ${option.word}`, option.values.join(' ')] as const),
  )
  return [
    array(
      '_svc_words',
      nodes.map((node) => [key(node), joined(node.words)]),
    ),
    array(
      '_svc_options',
      nodes.map((node) => [key(node), joined(node.options)]),
    ),
    array('_svc_values', values),
    array(
      '_svc_dynamic',
      nodes.flatMap((node) => (node.dynamic ? [[key(node), node.dynamic] as const] : [])),
    ),
  ].join('\n')
}

function rootNode(): Node {
  return {
    path: '',
    summary: '',
    words: VISIBLE_NOUNS.map((noun) => ({ word: noun.name, summary: noun.summary })),
    options: GLOBALS,
    dynamic: undefined,
  }
}

async function zsh(): Promise<string> {
  const nodes = [rootNode(), ...(await tree())]
  const text = (value: string) => value.replaceAll("'", '’').replaceAll(':', '\\:')
  const cases = nodes.map((node) => {
    const words = node.words.map((one) => `'${one.word}:${text(one.summary)}'`)
    const options = node.options.map((one) => `'${one.word}:${text(one.summary)}'`)
    return `    '${node.path}') verbs=(${words.join(' ')}); options=(${options.join(' ')}); dynamic='${node.dynamic ?? ''}' ;;`
  })
  const paths = nodes.filter((node) => node.path !== '').map((node) => `'${node.path}'`)
  return `#compdef svc
# zsh completion of svc
_svc() {
  local at='' candidate dynamic='' word
  local -a verbs options globals values paths
  paths=(${paths.join(' ')})
  globals=(${GLOBALS.map((one) => `'${one.word}:${text(one.summary)}'`).join(' ')})
  for word in "\${(@)words[2,CURRENT-1]}"; do
    candidate="\${at:+$at }$word"
    (( \${paths[(Ie)$candidate]} )) && at="$candidate"
  done
  case "$at" in
${cases.join('\n')}
  esac
  if [[ "$PREFIX" == -* ]]; then
    options+=("\${globals[@]}")
    _describe 'option' options
    return
  fi
  [[ -n "$dynamic" ]] && values=(\${(f)"$(svc __complete $dynamic 2>/dev/null)"})
  (( \${#values} )) && compadd -a values
  (( \${#verbs} )) && _describe 'command' verbs
  (( \${#verbs} + \${#values} )) || _files
}
compdef _svc svc
`
}

async function fish(): Promise<string> {
  const quote = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
  const lines = ['# fish completion of svc', 'complete -c svc -f']
  const option = (condition: string, one: Node['options'][number]) => {
    const value = one.values.length > 0 ? ` -xa ${quote(one.values.join(' '))}` : one.takesValue ? ' -r' : ''
    return `complete -c svc${condition} -l ${one.word.slice(2)}${value} -d ${quote(one.summary)}`
  }
  for (const one of GLOBALS) lines.push(option('', one))
  for (const { word, summary } of rootNode().words) {
    lines.push(`complete -c svc -n __fish_use_subcommand -a ${word} -d ${quote(summary)}`)
  }
  for (const node of await tree()) {
    const [noun, ...verbs] = node.path.split(' ')
    const seen = [
      `__fish_seen_subcommand_from ${noun}`,
      ...verbs.map((verb) => `__fish_seen_subcommand_from ${verb}`),
    ]
    const fresh =
      node.words.length > 0
        ? [`not __fish_seen_subcommand_from ${node.words.map((one) => one.word).join(' ')}`]
        : []
    const condition = (parts: readonly string[]) => ` -n ${quote(parts.join('; and '))}`
    for (const { word, summary } of node.words) {
      lines.push(`complete -c svc${condition([...seen, ...fresh])} -a ${word} -d ${quote(summary)}`)
    }
    if (node.dynamic)
      lines.push(`complete -c svc${condition(seen)} -a '(svc __complete ${node.dynamic} 2>/dev/null)'`)
    for (const one of node.options) lines.push(option(condition(seen), one))
  }
  return `${lines.join('\n')}\n`
}
