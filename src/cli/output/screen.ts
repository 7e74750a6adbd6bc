import { existsSync, readFileSync } from 'node:fs'
import { withoutByteOrderMark } from '../../core/csv/index.js'
import type { CommandAccess, TuiSettings } from '../../tui/index.js'
import type { ScreenId } from '../../views/screens.js'
import { LOCAL } from '../contexts/words.js'
import type { Context } from '../framework/context.js'
import { interruptedError, usageError } from '../framework/errors.js'
import { EXIT, type ExitStatus } from '../framework/exit-codes.js'
import { homeFile } from '../io/home.js'
import { colours } from './colours.js'
import { ScreenAccess } from './screen-access.js'

/** Loads the terminal program. */
const terminalProgram = () => import('../../tui/index.js')

/**
 * Returns whether a person can use the screen: both ends are a terminal, and no format was asked for. Messages may go
 * elsewhere: the screen is on the standard output.
 */
export function canShowScreen({ io, settings }: Context): boolean {
  const { format, table, jq, template, input } = settings
  const isPlain = [format, table, jq, template].every((one) => one === undefined)
  return isPlain && input && io.stdin.isTty && io.stdout.isTty && io.env.TERM !== 'dumb'
}

/** Shows the terminal program, with a screen first, until the user leaves it. */
export async function showScreen(context: Context, first: ScreenId): Promise<ExitStatus> {
  const { lostText, runTui } = await terminalProgram()
  const { io, settings } = context
  const paint = await colours(io.stdout, io, settings)
  const tuiSettings = await ownSettings(settings.home)
  const { interrupted, ...lost } = await runTui({
    first,
    colours: paint.level > 0,
    utc: settings.utc,
    settings: tuiSettings,
    commands: commandsOf(context),
    interrupts: io.interrupts(),
    daemon: new ScreenAccess(context),
  })
  if (!interrupted) return EXIT.done
  const text = lostText(lost)
  throw interruptedError(text && `Interrupted. ${text}`)
}

/** Returns the acts of the program, with the keys that the user's own settings give them. */
export async function ownActs(home: string) {
  const { listedActs } = await terminalProgram()
  const { keys } = await ownSettings(home)
  return listedActs(keys)
}

/** Reads the user's own settings of the program from the home. */
async function ownSettings(home: string): Promise<TuiSettings> {
  const { DEFAULTS, readSettings } = await terminalProgram()
  const file = homeFile(home, 'tui.yaml')
  if (!existsSync(file)) return DEFAULTS
  try {
    return await readSettings(withoutByteOrderMark(readFileSync(file, 'utf8')))
  } catch (thrown) {
    throw usageError(`${file}: ${thrown instanceof Error ? thrown.message : String(thrown)}`)
  }
}

/** Returns the commands of `svc` for the command line of the program: for this daemon, with these credentials. */
function commandsOf(context: Context): CommandAccess {
  const { io, settings } = context
  const { command, args } = io.self
  return {
    program: [command, ...args],
    env: {
      SVC_HOME: settings.home,
      ...addressOf(context),
      ...(settings.apikey !== undefined && { SVC_API_KEY: settings.apikey }),
    },
    async expanded(words) {
      const { expandedLine } = await import('../aliases/expand.js')
      return expandedLine(words, io, context.nouns).words
    },
    async commandOf(words) {
      const { commandOf } = await import('../completion/candidates.js')
      return commandOf(words, context.nouns)
    },
    async complete(words) {
      const { completionsOf } = await import('../commands/shell/completion.js')
      const { SVC_URL: url, SVC_CONTEXT: name } = addressOf(context)
      const named = url === undefined ? [`--context=${name}`] : [`--url=${url}`]
      const same = [`--home=${settings.home}`, ...named]
      return completionsOf([...same, ...words], context)
    },
  }
}

/** Returns the variables that lead to the daemon of the program. Another context that is chosen meanwhile changes nothing. */
function addressOf({ settings: { caFile, daemon }, target }: Context) {
  const isUrl = daemon !== undefined && 'url' in daemon
  return {
    SVC_URL: isUrl ? daemon.url : undefined,
    SVC_CONTEXT: isUrl ? undefined : (target.context?.name ?? LOCAL),
    SVC_CA_FILE: caFile?.path,
    // They are sent to the daemon of the program only if they were meant for it.
    ...(target.ownsEnvironment ? {} : { SVC_TOKEN: undefined, SVC_API_KEY: undefined }),
  }
}
