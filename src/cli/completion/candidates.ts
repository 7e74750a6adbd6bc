import { type ArgumentSpec, aliasesOf, type CommandDescription } from '../framework/command/description.js'
import { type NounEntry, visibleNouns } from '../framework/command/noun.js'
import { type Completion, type OptionSpec, shownOptions } from '../framework/command/option.js'
import { GLOBAL_OPTIONS } from '../framework/globals.js'

/** A word that the shell may insert. */
export interface Candidate {
  value: string
  summary: string
}

/** The place in a command line at which the user asks for completion. */
export interface Place {
  /** The words of the arguments so far. */
  args: readonly string[]
  /** The last value of each option so far, by its long name without dashes. */
  options: ReadonlyMap<string, string>
  /** The beginning of the word to complete. */
  partial: string
  /** The columns of the list that the command prints. */
  columns: readonly string[]
}

/** Reads the values of a kind, usually from the daemon. */
export type ReadValues = (
  kind: Exclude<Completion, readonly string[]>,
  place: Place,
) => Promise<readonly Candidate[]>

/**
 * Returns the candidates for the last of the words, which may be empty. The command tree decides: nouns, verbs,
 * options, and the values of arguments and options.
 */
export async function candidatesFor(
  words: readonly string[],
  nouns: readonly NounEntry[],
  read: ReadValues,
): Promise<Candidate[]> {
  const partial = words.at(-1) ?? ''
  const at = await walk(words.slice(0, -1), nouns)
  const columns = (at.spec?.columns ?? []).map(({ key }) => key)
  const place: Place = { args: at.args, options: at.options, partial, columns }
  const found = await candidatesAt(at, place, read)
  const typed = partial.toLowerCase()
  return found.filter(({ value }) => value.toLowerCase().startsWith(typed))
}

/** The command that a line names, by the names of its noun and verbs, and whether the line asks for its help. */
interface NamedCommand {
  path: readonly string[]
  isHelp: boolean
}

/** Returns the command that words name; undefined when that is not certain. */
export async function commandOf(
  words: readonly string[],
  nouns: readonly NounEntry[],
): Promise<NamedCommand | undefined> {
  const { path, isHelp, isClear } = await walk(words, nouns)
  return isClear && path.length > 0 ? { path, isHelp } : undefined
}

interface Walked {
  nouns: readonly NounEntry[]
  /** The names of the noun and its verbs. */
  path: string[]
  /** False after a word that may be, or take, another word than the walk knows: an unknown option before the verb. */
  isClear: boolean
  isHelp: boolean
  /** The command that the words name; undefined at the root. */
  spec: CommandDescription | undefined
  args: string[]
  options: Map<string, string>
  /** The option whose value is the next word. */
  waiting: OptionSpec | undefined
  /** True after `--`: no more options. */
  ended: boolean
}

async function walk(words: readonly string[], nouns: readonly NounEntry[]): Promise<Walked> {
  const at: Walked = {
    nouns,
    path: [],
    isClear: true,
    isHelp: false,
    spec: undefined,
    args: [],
    options: new Map(),
    waiting: undefined,
    ended: false,
  }
  for (const word of words) await step(at, word)
  return at
}

async function step(at: Walked, word: string): Promise<void> {
  if (at.waiting) {
    at.options.set(optionName(at.waiting), word)
    at.waiting = undefined
  } else if (word === '--' && !at.ended) {
    at.ended = true
  } else if (isOption(word) && !at.ended) {
    const [flag = '', value] = word.split(/=(.*)/s)
    const option = optionsAt(at).find((one) => flagsOf(one).includes(flag))
    if (option) at.options.set(optionName(option), value ?? '')
    else if (word === '-h' || word === '--help') at.isHelp = true
    else if (mayGoOn(at)) at.isClear = false
    if (option && takesValue(option) && value === undefined) at.waiting = option
  } else {
    await takeWord(at, word)
  }
}

/** Takes a noun, a verb or an argument. A verb after an argument is not certain to be one. */
async function takeWord(at: Walked, word: string): Promise<void> {
  const { spec } = at
  const next =
    spec === undefined
      ? await at.nouns.find(({ name, aliases = [] }) => [name, ...aliases].includes(word))?.load()
      : spec.verbs?.find((one) => [one.name, ...aliasesOf(one, spec)].includes(word))
  if (next === undefined) at.args.push(word)
  else {
    if (at.args.length > 0) at.isClear = false
    at.path.push(next.name)
    at.spec = next
  }
}

/** Returns whether the next words may still name the command. */
const mayGoOn = ({ spec }: Walked): boolean => spec === undefined || spec.verbs !== undefined

async function candidatesAt(at: Walked, place: Place, read: ReadValues): Promise<readonly Candidate[]> {
  const { partial } = place
  if (at.waiting) return candidateValues(at.waiting, place, read)
  if (isOption(partial) && !at.ended) {
    const [flag = '', value] = partial.split(/=(.*)/s)
    const option = optionsAt(at).find((one) => flagsOf(one).includes(flag))
    if (value === undefined || !option)
      return shownOptions(optionsAt(at))
        .filter((one) => isFree(one, at))
        .map(described)
    const values = await candidateValues(option, { ...place, partial: value }, read)
    return values.map((one) => ({ ...one, value: `${flag}=${one.value}` }))
  }
  if (at.spec === undefined) {
    const isKnown = at.args.length === 0
    return isKnown ? visibleNouns(at.nouns).map(({ name, summary }) => ({ value: name, summary })) : []
  }
  const verbs = at.args.length > 0 ? [] : (at.spec.verbs ?? [])
  const argument = argumentAt(at.spec.arguments ?? [], at.args)
  const values = argument ? await candidateValues(argument, place, read) : []
  return [...verbs.map(({ name, summary }) => ({ value: name, summary })), ...values]
}

/** Returns the argument that comes after the words so far; the last one may take any number of words. */
function argumentAt(
  specs: readonly ArgumentSpec[],
  given: readonly string[],
): Pick<ArgumentSpec, 'choices' | 'complete'> | undefined {
  const last = specs.at(-1)
  const spec = specs[given.length] ?? (last?.syntax.includes('...') ? last : undefined)
  if (spec?.words === undefined || spec !== last) return spec
  const inside = given.slice(specs.length - 1)
  // NSE:SBIN takes the places of two words, SBIN NSE.
  return spec.words[inside.length + (inside[0]?.includes(':') ? 1 : 0)]
}

async function candidateValues(
  { choices, complete }: Pick<OptionSpec | ArgumentSpec, 'choices' | 'complete'>,
  place: Place,
  read: ReadValues,
): Promise<readonly Candidate[]> {
  const fixed = choices ?? (Array.isArray(complete) ? complete : undefined)
  if (fixed) return fixed.map((value: string) => ({ value, summary: '' }))
  return typeof complete === 'string' ? read(complete, place) : []
}

const optionsAt = ({ spec }: Walked): readonly OptionSpec[] => [...(spec?.options ?? []), ...GLOBAL_OPTIONS]
const flagsOf = ({ flags }: OptionSpec): string[] => flags.match(/(?<![\w-])--?[a-zA-Z][\w-]*/g) ?? []
const longFlag = (option: OptionSpec): string =>
  flagsOf(option).find((flag) => flag.startsWith('--')) ?? option.flags
const optionName = (option: OptionSpec): string => longFlag(option).slice(2)
const takesValue = ({ flags }: OptionSpec): boolean => flags.includes('<')
const isOption = (word: string): boolean => word.startsWith('-') && word !== '-'
const isFree = (option: OptionSpec, { options }: Walked): boolean =>
  option.repeatable === true || !options.has(optionName(option))
const described = (option: OptionSpec): Candidate => ({ value: longFlag(option), summary: option.summary })
