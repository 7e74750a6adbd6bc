import type { NounEntry } from '../framework/command/noun.js'
import type { Io } from '../io/io.js'
import { type Alias, checkLine, expansionOf, firstWordAt } from './expansion.js'
import { readAliases } from './file.js'
import { wordsOf } from './words.js'

/** Returns what says whether a word is a noun of svc: a command always comes before an alias of its name. */
export function isNounOf(nouns: readonly NounEntry[]): (word: string) => boolean {
  const names = new Set(nouns.flatMap(({ aliases = [], name }) => [name, ...aliases]))
  return (word) => names.has(word)
}

/** A command line without an alias. */
interface Expanded {
  words: readonly string[]
  /** The alias, if the line asks for its help. */
  explained?: Alias
}

/**
 * Returns a command line with its alias replaced. Only the first word can be an alias, and what it stands for begins with
 * a command, so nothing is replaced twice.
 * @throws CliError for a broken file, and a usage error for missing words or a line that no alias may have
 */
export function expandedLine(
  argv: readonly string[],
  io: Pick<Io, 'env' | 'userHome'>,
  nouns: readonly NounEntry[],
): Expanded {
  const at = firstWordAt(argv)
  const word = argv[at]
  const isNoun = isNounOf(nouns)
  if (word === undefined || isNoun(word)) return { words: argv }
  const alias = readAliases(io).get(word)
  if (alias === undefined) return { words: argv }
  // The file may have been written by hand.
  checkLine(alias.line, isNoun)
  const [before, given] = [argv.slice(0, at), argv.slice(at + 1)]
  if (given.some((one) => one === '-h' || one === '--help')) {
    return { words: [...before, ...commandOf(alias), '--help'], explained: alias }
  }
  return { words: [...before, ...expansionOf(alias, given)] }
}

/**
 * Returns a command line with its alias replaced. `--help` shows what the alias stands for, before the help of its command.
 * @throws CliError as `expandedLine` does
 */
export function withAlias(argv: readonly string[], io: Io, nouns: readonly NounEntry[]): readonly string[] {
  const { words, explained } = expandedLine(argv, io, nouns)
  if (explained !== undefined) io.stdout.write(`${standsFor(explained)}\n\n`)
  return words
}

/** Returns a sentence for a person: `b is an alias: svc order place $1 NSE BUY $2`. */
export const standsFor = ({ line, name }: Alias): string => `${name} is an alias: svc ${line}`

/** Returns the words of an alias that name its command, and perhaps an argument of it. */
export function commandOf({ line }: Alias): string[] {
  const words = wordsOf(line)
  const end = words.findIndex((word) => word.startsWith('-') || word.includes('$'))
  return end < 0 ? words : words.slice(0, end)
}
