import { type ChildProcess, spawn } from 'node:child_process'
import { isObject, parseJson, textMember } from '../../../client/answers/json.js'
import { visible } from '../../../views/table/cells.js'
import { currentContext } from '../../contexts/file.js'
import { LOCAL } from '../../contexts/words.js'
import type { Input, NounSpec } from '../../framework/command/command.js'
import type { Context } from '../../framework/context.js'
import { CliError, usageError } from '../../framework/errors.js'
import { EXIT, type ExitStatus } from '../../framework/exit-codes.js'
import { probe } from '../../http/probe.js'
import { makeHome, portOf, readDaemonFile, requireHome } from '../../io/home.js'
import { isAlive } from '../../io/processes.js'
import { colours } from '../../output/colours.js'
import { logLine } from '../../output/text/log-line.js'
import { DaemonOutput } from './daemon-output.js'
import { tellReady } from './service-manager.js'

const LOOK_MS = 50
/** The interval at which a start that takes long says what it waits for. */
const SAY_EVERY_MS = 5_000

export const up: NounSpec = {
  isOfHome: 'said',
  summary: 'Starts the daemon of the home and prints its base URL.',
  examples: ['up', 'up --detach', 'up --home ./desk --port 0 --detach'],
  details:
    'In the foreground, the daemon runs until Ctrl-C or svc down; its log is in words on a terminal, JSON in a pipe. With --detach, the command returns when the daemon is ready. It waits as long as the daemon is starting, for example while a large file is migrated, and says what it waits for; --timeout sets a limit.',
  options: [
    { flags: '--port <port>', summary: 'HTTP port; 0 picks a free one (default: SVC_PORT, else 5000)' },
    { flags: '--ws-port <port>', summary: 'market-data WebSocket port (default: SVC_WS_PORT, else 8765)' },
    { flags: '--detach', summary: 'run in the background' },
  ],
  ownsSignals: true,
  async run(context, input) {
    const [port, wsPort] = [givenPort(input, 'port'), givenPort(input, 'wsPort')]
    const running = readDaemonFile(context.settings.home)
    if (running && isAlive(running.pid) && (await probe(context, running.url)).live) {
      const isElsewhere = port !== undefined && port !== 0 && port !== portOf(running.url)
      return alreadyRunning(context, running.url, running.pid, input.flag('detach') && !isElsewhere)
    }
    requireHome(context.settings.home)
    makeHome(context.settings.home)
    return input.flag('detach') ? startDetached(context, port, wsPort) : foreground(context, port, wsPort)
  },
}

function givenPort(input: Input, name: string): number | undefined {
  const port = input.number(name)
  if (port === undefined || (Number.isInteger(port) && port >= 0 && port <= 65_535)) return port
  throw usageError(`A port is a number from 0 to 65535, was "${port}".`)
}

async function alreadyRunning(
  context: Context,
  url: string,
  pid: number,
  detached: boolean,
): Promise<ExitStatus> {
  if (!detached) {
    throw new CliError(EXIT.failed, `A daemon already runs at ${url} (pid ${pid}).`, {
      hint: 'Stop it: svc down',
    })
  }
  context.out.note(`Already running (pid ${pid}).`)
  await showUrl(context, url)
  return EXIT.done
}

async function foreground(context: Context, port?: number, wsPort?: number): Promise<ExitStatus> {
  const { endAfterFailedStart, startDaemon } = await import('../../../daemon/main.js')
  // The daemon must not end because nobody reads its output.
  context.io.sent.begin()
  const daemon = await startDaemon({
    home: context.settings.home,
    ...(port === undefined ? {} : { port }),
    ...(wsPort === undefined ? {} : { wsPort }),
    ...(context.out.isHuman && { readable: await readable(context) }),
  }).catch((failure: unknown) => {
    endAfterFailedStart()
    throw failure
  })
  await showUrl(context, daemon.url)
  context.out.note('Ready. Ctrl-C or svc down stops it.')
  const untold = await tellReady(context.io.env)
  if (untold !== undefined) context.out.note(`The service manager does not know that it is ready: ${untold}`)
  return (await daemon.stopped) === 0 ? EXIT.done : EXIT.failed
}

/** Returns the function that turns a line of the log into words for a terminal. */
async function readable({ io, settings }: Context): Promise<(line: string) => string> {
  const paint = await colours(io.stdout, io, settings)
  return (line) => logLine(line, { human: true, utc: settings.utc, now: io.now() }, io.stdout.columns, paint)
}

/** The next commands go to the current context, unless they say that they mean this daemon. */
function runningText({ io, settings }: Context, pid: number): string {
  const isElsewhere = settings.daemon === undefined && currentContext(io) !== LOCAL
  const here = isElsewhere ? ' --context local' : ''
  return `Running (pid ${pid}). Next: svc status${here}; first time: svc setup${here}. Stop: svc down${here}`
}

/** Starts the daemon of the home in the background, and waits until it takes requests. */
export async function startDetached(context: Context, port?: number, wsPort?: number): Promise<ExitStatus> {
  const output = DaemonOutput.open(context.settings.home)
  try {
    return await waitUntilReady(context, spawnDaemon(context, output, port, wsPort), output)
  } finally {
    output.close()
  }
}

function spawnDaemon(
  { io: { env, self }, settings: { home } }: Context,
  { fd }: DaemonOutput,
  port?: number,
  wsPort?: number,
): ChildProcess {
  const args = [
    ...self.args,
    'up',
    // An SVC_URL or SVC_CONTEXT of the environment may name a daemon elsewhere, and comes before --home.
    ...['--home', home, '--context', LOCAL],
    ...(port === undefined ? [] : ['--port', String(port)]),
    ...(wsPort === undefined ? [] : ['--ws-port', String(wsPort)]),
  ]
  return spawn(self.command, args, { detached: true, stdio: ['ignore', fd, fd], env: { ...env } })
}

async function waitUntilReady(
  context: Context,
  child: ChildProcess,
  output: DaemonOutput,
): Promise<ExitStatus> {
  let ended: string | undefined
  child.on('error', (error) => {
    ended = error.message
  })
  child.on('exit', (code, signal) => {
    ended = `the process ended with ${signal ?? code}`
  })
  const began = context.io.now()
  const until = began + (context.settings.timeoutMs ?? Number.POSITIVE_INFINITY)
  let sayAt = began + SAY_EVERY_MS
  for (;;) {
    const daemon = readDaemonFile(context.settings.home)
    const runs = daemon !== undefined && daemon.pid === child.pid
    if (runs && (await probe(context, daemon.url)).accepts) {
      child.unref()
      await showUrl(context, daemon.url)
      context.out.note(runningText(context, daemon.pid))
      return EXIT.done
    }
    if (ended !== undefined) throw failedToStart(`The daemon did not start: ${ended}.`, output)
    const now = context.io.now()
    if (now > until) {
      // The daemon starts on without this command.
      child.unref()
      throw failedToStart('The daemon is not ready yet.', output)
    }
    if (now >= sayAt) {
      sayAt = now + SAY_EVERY_MS
      const seconds = Math.round((now - began) / 1000)
      const reason = runs ? 'it runs, but is not ready; svc doctor says why' : lastStep(output)
      context.out.note(`Waiting for the daemon since ${seconds} s: ${visible(reason)}. Ctrl-C stops it.`)
    }
    await context.io.sleep(LOOK_MS).catch((interrupted) => {
      child.kill()
      throw interrupted
    })
  }
}

/** Returns the last step in the log of this start: the event, and the file it is about. */
function lastStep(output: DaemonOutput): string {
  const log = output.lines().findLast((line) => line.startsWith('{') && line.endsWith('}'))
  if (log === undefined) return `it has not logged anything yet (${output.file})`
  const parsed = parseJson(log)
  const facts = isObject(parsed) ? parsed : {}
  const file = textMember(facts, 'file')
  return `its last step was ${textMember(facts, 'event') ?? 'unknown'}${file === undefined ? '' : `, ${file}`} (${output.file})`
}

function failedToStart(message: string, output: DaemonOutput): CliError {
  const said = lastWords(output.lines())
  return new CliError(EXIT.failed, said === '' ? message : `${message} ${said}`, {
    hint: `See ${output.file}`,
    lines: true,
  })
}

/** Returns the last error in the daemon's output, to its end; otherwise the last line. */
function lastWords(lines: readonly string[]): string {
  const at = lines.findLastIndex((line) => line.startsWith('error: '))
  return lines.slice(at === -1 ? -1 : at).join('\n')
}

async function showUrl(context: Context, url: string): Promise<void> {
  if (context.settings.format)
    await context.out.record({ record: { url }, fields: [{ key: 'url' }], id: 'url' })
  else context.out.write(`${url}\n`)
}
