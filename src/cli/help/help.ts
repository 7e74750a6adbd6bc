import { aliasesOf, type CommandDescription } from '../framework/command/description.js'
import type { NounEntry, NounGroup } from '../framework/command/noun.js'
import { shownOptions } from '../framework/command/option.js'
import { GLOBAL_OPTIONS } from '../framework/globals.js'
import type { Io } from '../io/io.js'
import { TOPIC_SUMMARIES } from './topic-names.js'

const GROUPS: readonly { group: NounGroup; title: string }[] = [
  { group: 'daemon', title: 'Daemon' },
  { group: 'account', title: 'User and credentials' },
  { group: 'trade', title: 'Orders and books' },
  { group: 'market', title: 'Market and instruments' },
  { group: 'flow', title: 'Workflows' },
  { group: 'control', title: 'Approvals, modes and risk' },
  { group: 'more', title: 'More' },
]

const WIDEST_HELP = 100

/** Returns the width of help: that of the terminal or of COLUMNS, at most a readable one. */
export function helpWidth({ env, stdout }: Io): number {
  const set = Number(env.COLUMNS)
  const width = stdout.isTty ? stdout.columns : Number.isInteger(set) && set > 0 ? set : WIDEST_HELP
  return Math.min(WIDEST_HELP, width)
}

/**
 * Returns the help of a command, examples first. Texts wrap at `width`; lines to copy do not. Without a width nothing
 * wraps, as in a page.
 */
export function formatHelp(path: string, spec: CommandDescription, width = Number.POSITIVE_INFINITY): string {
  const verbs = spec.verbs ?? []
  return joined([
    wrapped(spec.summary, width),
    wrapped(spec.details ?? '', width),
    section(
      'Examples',
      spec.examples.map((example) => `  ${commandLine(example)}`),
    ),
    section('Usage', [`  ${usageOf(path, spec)}`]),
    ...verbSections(verbs, spec, width),
    section(
      'Arguments',
      pairs(
        (spec.arguments ?? []).map((one) => [one.syntax, choices(one)]),
        width,
      ),
    ),
    section(
      'Options',
      pairs(
        shownOptions(spec.options).map((one) => [one.flags, choices(one)]),
        width,
      ),
    ),
    'Options of every command: svc --help',
  ])
}

/** Returns the form of a command: `svc order status <order-id> [options]`. */
export function usageOf(
  path: string,
  { arguments: words = [], run, verbs = [] }: CommandDescription,
): string {
  const verb = verbs.length > 0 && !run ? ['<verb>'] : []
  return [path, ...verb, ...words.map(({ syntax }) => syntax), '[options]'].join(' ')
}

/** Returns the help of the program: its nouns in groups, and the options of every command. */
export function formatRootHelp(nouns: readonly NounEntry[], width = Number.POSITIVE_INFINITY): string {
  return joined([
    'svc routes orders and automates trading from the terminal.',
    section('Examples', [
      '  svc demo                                  see everything in ten seconds',
      '  svc up --detach                           start the daemon',
      '  svc setup                                 first user and API key',
      '  svc order place SBIN NSE BUY 10           place an order',
      '  svc approval watch                        live queue of orders waiting for approval',
    ]),
    section('Usage', ['  svc <noun> <verb> [arguments] [options]']),
    ...GROUPS.map(({ group, title }) =>
      section(
        title,
        pairs(
          nouns.filter((noun) => noun.group === group).map((noun) => [noun.name, withAliases(noun)]),
          width,
        ),
      ),
    ),
    section('Options of every command', [
      ...pairs(
        [...GLOBAL_OPTIONS.map((one): [string, string] => [one.flags, choices(one)]), HELP, VERSION],
        width,
      ),
    ]),
    section('Topics', pairs(Object.entries(TOPIC_SUMMARIES), width)),
    'More: svc <noun> --help, svc help <topic>, svc man <command>',
  ])
}

/** Returns all verbs under their headings; headings appear in the order of their first verb. */
function verbSections(
  verbs: readonly CommandDescription[],
  noun: CommandDescription,
  lineWidth: number,
): string[] {
  const width = Math.max(0, ...verbs.map((verb) => verb.name.length))
  const titles = [...new Set(verbs.map((verb) => verb.group ?? 'Verbs'))]
  return titles.map((title) => {
    const own = verbs.filter((verb) => (verb.group ?? 'Verbs') === title)
    return section(
      title,
      pairs(
        own.map((verb) => {
          const { summary } = verb
          return [verb.name.padEnd(width), withAliases({ summary, aliases: aliasesOf(verb, noun) })]
        }),
        lineWidth,
      ),
    )
  })
}

const HELP: [string, string] = ['-h, --help', 'help for any command']
const VERSION: [string, string] = ['-V, --version', 'the version of this program']

function withAliases(spec: { summary: string; aliases?: readonly string[] }): string {
  return spec.aliases?.length ? `${spec.summary} (alias: ${spec.aliases.join(', ')})` : spec.summary
}

function choices(spec: { summary: string; choices?: readonly string[] }): string {
  return spec.choices ? `${spec.summary}: ${spec.choices.join(' | ')}` : spec.summary
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : [`${title}:`, ...lines].join('\n')
}

function pairs(rows: readonly (readonly [string, string])[], lineWidth: number): string[] {
  const width = Math.max(0, ...rows.map(([name]) => name.length))
  const indent = ' '.repeat(width + 4)
  const room = Math.max(NARROWEST_TEXT, lineWidth - indent.length)
  return rows.map(
    ([name, text]) => `  ${name.padEnd(width)}  ${wrapped(text, room).replaceAll('\n', `\n${indent}`)}`,
  )
}

/** A text beside a long option never gets narrower columns. */
const NARROWEST_TEXT = 30

/** Returns a text whose longer lines are broken between words. The parts of a line keep its indentation. */
function wrapped(text: string, width: number): string {
  return text
    .split('\n')
    .flatMap((line) => (line.length <= width ? [line] : parts(line, width)))
    .join('\n')
}

function parts(line: string, width: number): string[] {
  const indent = ' '.repeat(line.length - line.trimStart().length)
  const lines: string[] = []
  for (const word of line.trimStart().split(' ')) {
    const longer = `${lines.at(-1) ?? ''} ${word}`
    if (lines.length > 0 && longer.length <= width) lines.splice(-1, 1, longer)
    else lines.push(indent + word)
  }
  return lines
}

function joined(parts: readonly string[]): string {
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`
}

/**
 * Returns an example as the user types it. An example that starts with another program already contains
 * `svc`, and not as the value of an option.
 */
export function commandLine(example: string): string {
  return /(?<!--\S+ )\bsvc /.test(example) ? example : `svc ${example}`
}
