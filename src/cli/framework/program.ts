import { Argument, Command, Option } from 'commander'
import { visible } from '../../views/table/cells.js'
import { currentContext } from '../contexts/file.js'
import { isLocal } from '../contexts/target.js'
import { isLoopback, LOCAL, type NamedDaemon } from '../contexts/words.js'
import { formatHelp, formatRootHelp, helpWidth } from '../help/help.js'
import { NoCredentialError } from '../http/credentials.js'
import { probe } from '../http/probe.js'
import type { Io } from '../io/io.js'
import { type CommandSpec, Input, type OfHome } from './command/command.js'
import { aliasesOf } from './command/description.js'
import { type NounEntry, type Program, visibleNouns } from './command/noun.js'
import type { OptionSpec } from './command/option.js'
import { Context } from './context.js'
import { asSentence, CliError, NOTHING_SENT, usageError } from './errors.js'
import { EXIT } from './exit-codes.js'
import { meantBy } from './first-words.js'
import { GLOBAL_OPTIONS, ONLY_MODE, readSettings } from './globals.js'
import { inFlags } from './in-flags.js'
import { nearestCommand } from './nearest.js'

/** The context of one invocation, besides its words. */
interface Invocation {
  io: Io
  program: Program
  nouns: readonly NounEntry<CommandSpec>[]
  /** Receives the exit status of the command that ran. */
  finish(exit: number): void
}

/**
 * Builds the command line parser. It knows nouns by name and summary only, and loads the module of a noun
 * when the command line names it, so that start-up costs no more than the command that runs.
 */
export function buildProgram(invocation: Invocation): Command {
  const { io, nouns } = invocation
  const program = new Command('svc')
    .exitOverride()
    .showSuggestionAfterError(false)
    .version(`svc ${invocation.program.version}`, '-V, --version', 'the version of this program')
    .helpOption('-h, --help', 'help for any command')
    .helpCommand(false)
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      outputError: () => undefined,
    })
    .configureHelp({
      formatHelp(command) {
        requireKnown(command)
        return formatRootHelp(visibleNouns(nouns), helpWidth(io))
      },
    })
  for (const option of GLOBAL_OPTIONS) program.addOption(toOption(option))

  const loaders = new Map<Command, () => Promise<void>>()
  for (const noun of nouns) {
    const command = program.command(noun.name, { hidden: noun.hidden === true }).description(noun.summary)
    for (const alias of noun.aliases ?? []) command.alias(alias)
    loaders.set(command, async () => define(command, await noun.load(), invocation))
  }
  program.hook('preSubcommand', async (_program, noun) => {
    await loaders.get(noun)?.()
  })
  return program
}

/** Copies a spec to a commander command. */
export function define(command: Command, spec: CommandSpec, invocation: Omit<Invocation, 'nouns'>): void {
  command.helpCommand(false).allowExcessArguments(false)
  command.configureHelp({
    formatHelp() {
      requireKnown(command)
      return formatHelp(pathOf(command), spec, helpWidth(invocation.io))
    },
  })
  for (const argument of spec.arguments ?? []) {
    const made = new Argument(argument.syntax, argument.summary)
    command.addArgument(argument.choices ? made.choices(argument.choices) : made)
  }
  for (const option of spec.options ?? []) command.addOption(toOption(option))
  for (const verb of spec.verbs ?? []) {
    const child = command.command(verb.name).description(verb.summary)
    for (const alias of aliasesOf(verb, spec)) child.alias(alias)
    define(child, verb, invocation)
  }
  if (spec.isOfHome) homeNouns.set(command, spec.isOfHome)
  if (spec.run) command.action(() => execute(command, spec, invocation))
}

async function execute(
  command: Command,
  spec: CommandSpec,
  { io, program, finish }: Omit<Invocation, 'nouns'>,
): Promise<void> {
  // `--no-input` is an option of every command, and `--input` of one: the command's own option wins.
  const options: Record<string, unknown> = { ...command.optsWithGlobals(), ...command.opts() }
  const args: readonly unknown[] = command.processedArgs
  if (!spec.ownsSignals) io.interrupts()
  const context = new Context(io, readSettings(options, io), program)
  // A query that is no program must not come to light after an order was sent.
  await context.out.requireQuery()
  const ofHome = spec.isOfHome ?? (command.parent ? homeNouns.get(command.parent) : undefined)
  if (ofHome !== undefined) placeAtHome(context, command, ofHome)
  const run = () => spec.run?.(context, new Input(args, options))
  // The word - is a file, too.
  const given = args.flat().includes('-') ? { from: '-', ...options } : options
  const exit =
    (await answered(context, run).catch((thrown) => refuse(toldUnsent(thrown, spec, io), spec, given))) ?? 0
  if (exit === 0) await context.out.warnUnqueried()
  finish(exit)
}

/** Throws the error of a command, in the words that the user typed. */
function refuse(thrown: unknown, spec: CommandSpec, given: Readonly<Record<string, unknown>>): never {
  throw thrown instanceof CliError ? inFlags(thrown, spec, given) : thrown
}

/** Says of a command that sends orders that it sent none, if it got no answer to what it reads before. */
function toldUnsent(thrown: unknown, { options = [] }: CommandSpec, { sent }: Io): unknown {
  if (!(thrown instanceof CliError) || sent.any || !options.some(({ flags }) => flags === ONLY_MODE))
    return thrown
  const hasNoAnswer = thrown.exit === EXIT.noDaemon || thrown.code === 'timeout'
  return hasNoAnswer ? thrown.withMessage(`${asSentence(thrown.message)} ${NOTHING_SENT}`) : thrown
}

/** Runs a command. Without a credential it first says that no daemon is there: nobody can sign in then. */
async function answered<T>(context: Context, run: () => T): Promise<Awaited<T>> {
  try {
    return await run()
  } catch (thrown) {
    // An address that is no context and not on this machine is left alone: it may be a wrong word.
    const isKnown = context.target.context !== undefined || isLocal(context.target)
    if (!(thrown instanceof NoCredentialError) || !isKnown) throw thrown
    const { failure } = await probe(context)
    throw failure !== undefined && failure.exit !== EXIT.failed ? failure : thrown
  }
}

/** The commands of the home, of which a verb is one too. */
const homeNouns = new WeakMap<Command, OfHome>()

/**
 * A command of this machine must not seem to be one of the daemon elsewhere that the user has named, or that is current.
 * @throws a usage error for a daemon elsewhere that is named, and before an end or a replacement for one that is current
 */
function placeAtHome({ io, settings: { daemon, home } }: Context, command: Command, ofHome: OfHome): void {
  const works = `${pathOf(command)} works on the home of this machine`
  const elsewhere = daemon === undefined ? undefined : elsewhereOf(daemon)
  if (elsewhere !== undefined) {
    throw usageError(
      `${works}, not ${elsewhere}.`,
      'Run it on the machine of that daemon; here: --context local',
    )
  }
  if (daemon !== undefined) return
  const current = currentContext(io)
  if (current === LOCAL) return
  const told = `${works}, ${visible(home)}; the current context is ${visible(current)}.`
  if (ofHome === 'named') throw usageError(told, 'If you mean the home of this machine: --context local')
  io.stderr.write(`${told}\n`)
}

function elsewhereOf(daemon: NamedDaemon): string | undefined {
  if ('url' in daemon) return isLoopback(daemon.url) ? undefined : `at ${visible(daemon.url)}`
  return daemon.context === LOCAL ? undefined : `in the context ${visible(daemon.context)}`
}

function toOption(spec: OptionSpec): Option {
  const option = new Option(spec.flags, spec.summary)
  if (spec.choices) option.choices(spec.choices)
  if (spec.hidden) option.hideHelp()
  if (spec.repeatable) {
    option.argParser<string[]>((value, previous) => [...(Array.isArray(previous) ? previous : []), value])
  }
  return option
}

/**
 * Refuses help for a word that is no command: the parser would show that of the command before it.
 * @throws CliError of usage, with the nearest command
 */
function requireKnown(command: Command): void {
  const [word] = command.args
  if (word === undefined || word.startsWith('-') || command.commands.length === 0) return
  if (command.registeredArguments.length > 0) return
  const names = command.commands.map((each) => each.name())
  const near = (command.parent ? undefined : meantBy(word)) ?? nearestCommand(word, names)
  const path = pathOf(command)
  throw usageError(
    `Unknown command '${word}'.`,
    near ? `Did you mean ${path} ${near}?` : `See: ${path} --help`,
  )
}

/** Returns the path of a command: `svc order place`. */
export function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name()
}
