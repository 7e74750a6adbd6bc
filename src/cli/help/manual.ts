import { aliasesOf, type CommandDescription } from '../framework/command/description.js'
import type { NounEntry } from '../framework/command/noun.js'
import { shownOptions } from '../framework/command/option.js'
import { EXIT_MEANINGS, WORST_EXIT_RULE } from '../framework/exit-codes.js'
import { GLOBAL_OPTIONS } from '../framework/globals.js'
import type { FoundCommand } from './find.js'
import { commandLine, usageOf } from './help.js'
import { TOPIC_SUMMARIES } from './topic-names.js'
import { ENVIRONMENT } from './topics.js'

/*
 * Manual pages as the source that man(1) formats, made of the same definitions as the help. They have only macros of
 * man(7), which every formatter knows.
 */

/** Returns the page of a command: svc-order-place(1). */
export function manualOf({ path, spec }: FoundCommand, version: string): string {
  const { arguments: words = [], details, examples, options = [], summary, verbs = [] } = spec
  return page(path, version, [
    section('NAME', `${plain(path.replaceAll(' ', '-'))} \\- ${plain(summary.replace(/\.$/, ''))}`),
    section('SYNOPSIS', `.B ${plain(usageOf(path, spec))}`),
    details === undefined ? '' : section('DESCRIPTION', plain(details)),
    list(
      'VERBS',
      verbs.map((verb) => [verb.name, withAliases(verb, spec)]),
    ),
    list(
      'ARGUMENTS',
      words.map((one) => [one.syntax, withChoices(one)]),
    ),
    list(
      'OPTIONS',
      shownOptions(options).map((one) => [one.flags, withChoices(one)]),
    ),
    section('EXAMPLES', code(examples.map(commandLine))),
    section('SEE ALSO', seeAlso(path, verbs)),
  ])
}

/** Returns the page of the program: svc(1). */
export function manualOfProgram(nouns: readonly NounEntry[], version: string): string {
  return page('svc', version, [
    section('NAME', 'svc \\- routes orders and automates trading from the terminal'),
    section('SYNOPSIS', `.B ${plain('svc <noun> <verb> [arguments] [options]')}`),
    list(
      'COMMANDS',
      nouns.map(({ name, summary }) => [name, summary]),
    ),
    list(
      'OPTIONS OF EVERY COMMAND',
      GLOBAL_OPTIONS.map((one) => [one.flags, withChoices(one)]),
    ),
    list(
      'EXIT STATUS',
      EXIT_MEANINGS.map(({ meaning, status }) => [String(status), meaning]),
    ),
    section('', plain(WORST_EXIT_RULE)),
    list('ENVIRONMENT', Object.entries(ENVIRONMENT)),
    list(
      'TOPICS',
      Object.entries(TOPIC_SUMMARIES).map(([name, about]) => [`svc help ${name}`, about]),
    ),
    section('SEE ALSO', nouns.map(({ name }) => `.BR svc\\-${plain(name)} (1)`).join(',\n')),
  ])
}

function page(path: string, version: string, parts: readonly string[]): string {
  const name = path.replaceAll(' ', '-').toUpperCase()
  const head = `.TH "${plain(name)}" "1" "" "svc ${plain(version)}" "svc"`
  return `${[head, ...parts.filter((part) => part !== '')].join('\n')}\n`
}

function section(title: string, text: string): string {
  return title === '' ? `.PP\n${text}` : `.SH ${title}\n${text}`
}

function list(title: string, rows: readonly (readonly [string, string])[]): string {
  if (rows.length === 0) return ''
  return section(title, rows.map(([term, text]) => `.TP\n.B ${plain(term)}\n${plain(text)}`).join('\n'))
}

const code = (lines: readonly string[]): string => `.nf\n${lines.map(plain).join('\n')}\n.fi`

function seeAlso(path: string, verbs: readonly CommandDescription[]): string {
  const parent = path.split(' ').slice(0, -1).join('-')
  const pages = [parent, ...verbs.map(({ name }) => `${path.replaceAll(' ', '-')}-${name}`)]
  return pages.map((name) => `.BR ${plain(name)} (1)`).join(',\n')
}

function withAliases(verb: CommandDescription, noun: CommandDescription): string {
  const names = aliasesOf(verb, noun)
  return names.length === 0 ? verb.summary : `${verb.summary} (alias: ${names.join(', ')})`
}

const withChoices = ({ choices, summary }: { summary: string; choices?: readonly string[] }): string =>
  choices ? `${summary}: ${choices.join(' | ')}` : summary

/** Returns a text that roff prints as it is: its escape character, its minus, and a line that would be a request. */
function plain(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^(?=[.'])/gm, '\\&')
}
