import { usageError } from '../framework/errors.js'
import { GLOBAL_OPTIONS } from '../framework/globals.js'
import { withoutSecrets } from '../framework/secret-arguments.js'
import { wordsOf } from './words.js'

/** A name of the user for a command line, which may have the places `$1` to `$9`. */
export interface Alias {
  name: string
  /** The command line without `svc`, as the user wrote it. */
  line: string
}

const PLACE = /\$([1-9])/g
/** The name of an option that is filled in could be one that no alias may have; a place has one digit. */
const FILLED_NAME = /^-[^=]*\$/
const TWO_DIGITS = /\$\d\d/
/** The options that answer a question, or that make a second order look like the first. */
const NEVER: Readonly<Record<string, string>> = {
  '--yes': 'it would answer the question before a change',
  '--confirm': 'it would answer the question before a change',
  '--force': 'it would answer the question before a change',
  '--idempotency-key': 'a second order with the same key is not sent',
}

/**
 * Refuses a line that no alias may stand for. An alias asks every question that its command asks.
 * @param isCommand returns whether a word is a noun of svc
 * @throws a usage error that says the rule
 */
export function checkLine(line: string, isCommand: (word: string) => boolean): void {
  const words = wordsOf(line)
  const [noun] = words
  if (noun === undefined) throw usageError('The command of an alias is empty.', EXAMPLE)
  if (!isCommand(noun)) {
    throw usageError(
      `"${noun}" is not a command of svc: an alias begins with a noun, without svc and without another alias.`,
      EXAMPLE,
    )
  }
  for (const word of words) {
    if (FILLED_NAME.test(word)) {
      throw usageError(`An alias cannot have ${word}: the name of an option is written out.`, EXAMPLE)
    }
    if (TWO_DIGITS.test(word))
      throw usageError(`An alias cannot have ${word}: the places are $1 to $9.`, EXAMPLE)
    const option = word.split('=')[0] ?? ''
    const why = Object.hasOwn(NEVER, option) ? NEVER[option] : hasYes(word) ? NEVER['--yes'] : undefined
    if (why !== undefined)
      throw usageError(`An alias cannot have ${option}: ${why}.`, 'Type it with the alias.')
  }
  if (withoutSecrets(words) !== undefined)
    throw usageError('An alias cannot have a secret: it is stored as it is.')
}

const EXAMPLE = "Example: svc alias set b 'order place $1 NSE BUY $2'"

/** `-y`, alone or with other letters, as in `-qy`. */
const hasYes = (word: string): boolean => /^-[a-zA-Z]*y[a-zA-Z]*$/.test(word)

/** Returns how many words an alias needs after its name. */
export function placesOf({ line }: Pick<Alias, 'line'>): number {
  return Math.max(0, ...[...line.matchAll(PLACE)].map(([, place]) => Number(place)))
}

/**
 * Returns the command line of an alias with its words: each goes to its place as one word, whatever is in it, and those
 * without a place follow.
 * @throws a usage error when words are missing
 */
export function expansionOf(alias: Alias, given: readonly string[]): string[] {
  const places = placesOf(alias)
  const missing = given.slice(0, places).some((word) => word.startsWith('-') && word !== '-')
  if (given.length < places || missing) {
    throw usageError(
      `${alias.name} needs ${places === 1 ? 'one word' : `${places} words`} after it: svc ${alias.line}`,
      `See: svc ${alias.name} --help`,
    )
  }
  const filled = wordsOf(alias.line).map((word) =>
    word.replace(PLACE, (_all, place: string) => given[Number(place) - 1] ?? ''),
  )
  return [...filled, ...given.slice(places)]
}

/**
 * Returns the words to complete for an alias: the command line up to the place that the last word fills, or all of it.
 * @param given the words after the name; the last one is the beginning of a word
 */
export function wordsToComplete(alias: Alias, given: readonly string[]): string[] {
  const words = wordsOf(alias.line)
  const filled = (word: string) =>
    word.replace(PLACE, (all, place: string) => given[Number(place) - 1] ?? all)
  const at = words.indexOf(`$${given.length}`)
  if (at >= 0) return words.slice(0, at + 1).map(filled)
  return [...words.map(filled), ...given.slice(Math.min(placesOf(alias), given.length - 1))]
}

/** Returns the place of the first word that is no option of every command nor the value of one; -1 if there is none. */
export function firstWordAt(argv: readonly string[]): number {
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at] ?? ''
    if (!word.startsWith('-') || word === '-') return at
    if (word === '--') return -1
    if (TAKES_VALUE.has(word)) at += 1
  }
  return -1
}

const TAKES_VALUE: ReadonlySet<string> = new Set(
  GLOBAL_OPTIONS.filter(({ flags }) => flags.includes('<')).flatMap(
    ({ flags }) => flags.match(/--?[a-zA-Z][\w-]*/g) ?? [],
  ),
)
