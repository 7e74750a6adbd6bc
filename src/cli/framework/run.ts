import { type Command, CommanderError } from 'commander'
import { isObject } from '../../client/answers/json.js'
import { ServiceError } from '../../core/errors/index.js'
import { visible } from '../../views/table/cells.js'
import { withAlias } from '../aliases/expand.js'
import type { Io } from '../io/io.js'
import { colours } from '../output/colours.js'
import type { CommandSpec } from './command/command.js'
import type { NounEntry } from './command/noun.js'
import { asSentence, CliError, outputLost, usageError } from './errors.js'
import { EXIT } from './exit-codes.js'
import { meantBy } from './first-words.js'
import { nearest, nearestCommand } from './nearest.js'
import { buildProgram, pathOf } from './program.js'

/** The version and the nouns of the program. */
interface Own {
  version: string
  nouns: readonly NounEntry<CommandSpec>[]
}

/**
 * Runs one command line and returns its exit status. Data goes to stdout, everything else to stderr. An error
 * is one line with the next step (a JSON line when JSON was requested).
 */
export async function run(typed: readonly string[], io: Io, own: Own): Promise<number> {
  let argv = typed
  try {
    argv = withAlias(typed, io, own.nouns)
  } catch (thrown) {
    await report(asCliError(thrown), typed, io)
    return asCliError(thrown).exit
  }
  const exit = await executeCommand(argv, io, own)
  const lost = await io.stdout.flushed()
  if (lost === undefined) return exit
  const error = outputLost(lost, io.sent)
  await report(error, argv, io)
  return exit === EXIT.interrupted ? exit : error.exit
}

async function executeCommand(argv: readonly string[], io: Io, own: Own): Promise<number> {
  let exit: number = EXIT.done
  const program = buildProgram({
    io,
    nouns: own.nouns,
    program: { ...own, run: (line, otherIo) => run(line, otherIo, own) },
    finish: (status) => {
      exit = status
    },
  })
  try {
    if (argv.length === 0) program.outputHelp()
    else await program.parseAsync([...argv], { from: 'user' })
    return exit
  } catch (thrown) {
    if (thrown instanceof CommanderError) return parserSaid(thrown, program, argv, io)
    await report(asCliError(thrown), argv, io)
    return asCliError(thrown).exit
  }
}

async function parserSaid(
  error: CommanderError,
  program: Command,
  argv: readonly string[],
  io: Io,
): Promise<number> {
  if (['commander.helpDisplayed', 'commander.version'].includes(error.code)) return EXIT.done
  if (error.code === 'commander.help') return EXIT.usage
  const command = named(program, argv)
  const message = error.message.replace(/^error: /, '')
  const hint = meant(error, command, argv) ?? `See: ${pathOf(command)} --help`
  await report(usageError(sentence(message), hint), argv, io)
  return EXIT.usage
}

/** Returns what an unknown word or option may mean, or where the outputs are told. The parser's own suggestions also name what is not near. */
function meant({ code, message }: CommanderError, command: Command, argv: readonly string[]) {
  if (code === 'commander.unknownCommand')
    return otherWord(command) ?? verbTaking(command, argv) ?? nearVerb(command)
  if (code === 'commander.invalidArgument' && message.includes("'-o, --output "))
    return 'See: svc help output'
  if (code !== 'commander.unknownOption') return undefined
  const [, name] = /'--([^'=]+)/.exec(message) ?? []
  return name === undefined ? undefined : nearOption(command, name)
}

/** Returns the option nearest to an unknown one: of the command, or of one of its verbs. */
function nearOption(command: Command, name: string): string | undefined {
  const ofVerbs = command.commands.flatMap((verb) => longNames(verb).map((each) => [each, verb] as const))
  // Of two that are as near, the first counts: the command's own.
  const own = lineOf(command).flatMap(longNames)
  // The parser met it before the word of the command that takes it.
  if (own.includes(name)) return `Put --${name} after ${pathOf(command)}.`
  const near = nearest(name, [...own, ...ofVerbs.map(([each]) => each)])
  if (near === undefined || own.includes(near)) return near && `Did you mean --${near}?`
  const verb = ofVerbs.find(([each]) => each === near)?.[1]
  return verb && `Did you mean ${pathOf(verb)} --${near}?`
}

/** Returns a command and those above it, whose options it takes too. */
const lineOf = (command: Command): Command[] =>
  command.parent ? [command, ...lineOf(command.parent)] : [command]

const longNames = ({ options }: Command) =>
  options.flatMap(({ hidden, long }) => (hidden || long == null ? [] : [long.slice(2)]))

/** Returns what a word means that is no command of svc, but one of other programs. */
function otherWord(command: Command): string | undefined {
  if (command.parent) return undefined
  const [word] = command.args
  const meant = word === undefined ? undefined : meantBy(word)
  return meant && `Did you mean svc ${meant}?`
}

/** Returns the verb that takes the word: `svc mode auto` means `svc mode set auto`. */
function verbTaking(noun: Command, argv: readonly string[]): string | undefined {
  for (const verb of noun.commands) {
    const word = argv.find((one) => verb.registeredArguments[0]?.argChoices?.includes(one))
    if (word !== undefined) return `Did you mean ${pathOf(verb)} ${word}?`
  }
  return undefined
}

/** Returns the command nearest to an unknown one. The parser would also suggest one that deletes for one that does not. */
function nearVerb({ args: [word = ''], commands }: Command): string | undefined {
  const near = nearestCommand(
    word,
    commands.map((each) => each.name()),
  )
  return near && `Did you mean ${near}?`
}

/** Returns the deepest command that the words name. */
function named(program: Command, argv: readonly string[]): Command {
  let command = program
  for (const word of argv) {
    command = command.commands.find((one) => one.name() === word || one.aliases().includes(word)) ?? command
  }
  return command
}

function sentence(text: string): string {
  return asSentence(text.charAt(0).toUpperCase() + text.slice(1))
}

function asCliError(thrown: unknown): CliError {
  if (thrown instanceof CliError) return thrown
  const message = thrown instanceof Error ? thrown.message : String(thrown)
  // An error of this process itself (a daemon in the foreground) may have several lines.
  return new CliError(EXIT.failed, sentence(message), {
    cause: thrown,
    lines: thrown instanceof ServiceError,
  })
}

function shown({ message, lines }: CliError): string {
  const parts = lines ? asSentence(message).split('\n') : [asSentence(message)]
  return parts.map(visible).join('\n')
}

/** Returns whether the words ask for JSON. They are read as they are: the error may be about one of them. */
function asksForJson(argv: readonly string[]): boolean {
  return argv.some((word, at) => {
    if (word === '-o' || word === '--output') return /^jsonl?$/.test(argv[at + 1] ?? '')
    return /^(?:--jsonl?|--jq(?:=.*)?|(?:-o=?|--output=)jsonl?)$/.test(word)
  })
}

async function report(error: CliError, argv: readonly string[], io: Io): Promise<void> {
  const has = (...names: string[]) => argv.some((word) => names.includes(word))
  const verbose = has('-v', '--verbose')
  const details = { request_id: error.requestId, response: error.response }
  if (asksForJson(argv)) {
    const { message, code, hint, exit } = error
    const body = {
      status: 'error',
      code,
      message,
      hint,
      exit,
      ...(verbose && isObject(details) ? details : {}),
    }
    io.stderr.write(`${JSON.stringify(body)}\n`)
    return
  }
  const paint = await colours(io.stderr, io, { color: !has('--no-color') })
  const hint = error.hint === undefined ? '' : ` ${visible(error.hint)}`
  io.stderr.write(`${paint.red('error:')} ${shown(error)}${hint}\n`)
  if (verbose && error.requestId !== undefined) io.stderr.write(`request id: ${visible(error.requestId)}\n`)
  if (verbose && error.response !== undefined)
    io.stderr.write(`response: ${visible(JSON.stringify(error.response))}\n`)
  if (verbose && error.cause instanceof Error && error.stack) io.stderr.write(`${error.cause.stack}\n`)
}
