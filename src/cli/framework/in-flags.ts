import type { CommandDescription } from './command/description.js'
import type { OptionSpec } from './command/option.js'
import type { CliError } from './errors.js'
import { EXIT, type ExitStatus } from './exit-codes.js'

/** The refusals that are about what the user typed. */
const ABOUT_WORDS: readonly ExitStatus[] = [EXIT.usage, EXIT.refused]
/** The field that a refusal begins with. */
const FIRST = /^([a-z]\w*)(?=: )/
/** A name of several words, which no sentence has by chance. */
const NAME = /\b[a-z]+(?:_[a-z]+)+\b/g

/**
 * Returns a refusal in the words that the user typed: it names options and arguments where the daemon names fields. A field
 * that only a file has keeps its name, which is that of the file.
 * @param given the values of the options, by their camel-case names
 */
export function inFlags(
  error: CliError,
  spec: Pick<CommandDescription, 'arguments' | 'options'>,
  given: Readonly<Record<string, unknown>>,
): CliError {
  if (!ABOUT_WORDS.includes(error.exit)) return error
  const typed = (field: string) => typedFor(field, spec, given) ?? field
  const message = error.message.replace(FIRST, typed).replaceAll(NAME, typed)
  return message === error.message ? error : error.withMessage(message)
}

function typedFor(
  field: string,
  { arguments: args = [], options = [] }: Pick<CommandDescription, 'arguments' | 'options'>,
  given: Readonly<Record<string, unknown>>,
): string | undefined {
  const own = options.filter((option) => (option.field ?? fieldNamed(option)) === field)
  const used = own.find((option) => given[camel(longName(option))] !== undefined)
  if (used) return `--${longName(used)}`
  const argument = args.find((one) => one.field === field)
  if (argument) return argument.syntax.replaceAll(/[<>[\].]/g, '')
  // The words of an order have the names of their fields.
  if (isFromFile(options, given) || args.some(({ fields }) => fields?.includes(field))) return undefined
  const shown = own.find(({ hidden }) => hidden !== true)
  return shown && `--${longName(shown)}`
}

function isFromFile(options: readonly OptionSpec[], { from }: Readonly<Record<string, unknown>>): boolean {
  return from !== undefined && options.some(({ flags }) => flags === '--from <file>')
}

const longName = ({ flags }: OptionSpec): string => /--([a-z][\w-]*)/.exec(flags)?.[1] ?? ''

const fieldNamed = (option: OptionSpec): string => longName(option).replaceAll('-', '_')

const camel = (name: string): string =>
  name.replaceAll(/-(\w)/g, (_all, letter: string) => letter.toUpperCase())
