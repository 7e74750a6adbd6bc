import type { NamedCommand } from './access.js'

/** The verbs that change nothing, for every noun. */
const READS: ReadonlySet<string> = new Set([
  ...['list', 'ls', 'show', 'get', 'status', 'count', 'info', 'events', 'history', 'journal', 'margin'],
  ...['validate', 'plan', 'drift', 'export', 'nodes', 'schema', 'executions', 'logs', 'graph'],
  ...['runs', 'orders', 'versions', 'follow', 'stats', 'help', 'replay'],
])

/** The nouns that have no verb that changes something. */
const READ_ONLY: ReadonlySet<string> = new Set([
  ...['status', 'doctor', 'quote', 'depth', 'history', 'symbol', 'search', 'expiry', 'chain', 'greeks'],
  ...['stream', 'holding', 'trade', 'fund', 'pnl', 'log', 'event', 'whoami', 'help', 'version', 'audit'],
  'login-activity',
])

/** Commands that take the terminal for themselves. */
const NEED_TERMINAL: ReadonlySet<string> = new Set(['tui', 'login', 'setup', 'up', 'demo'])

/** Returns why the command line cannot run a command; undefined if it can. */
export function refusalOf(command: NamedCommand | undefined): string | undefined {
  const [noun = '', verb] = command?.path ?? []
  const needsTerminal = NEED_TERMINAL.has(noun) || verb === 'watch'
  return needsTerminal ? `svc ${noun} needs a terminal of its own.` : undefined
}

/** The options that lead to a daemon which this program does not show. */
const OTHER_DAEMON = /^--(?:context|url|home)(?==|$)/

/** Returns why a line cannot run that leads to another daemon: its mode is not on the screen, and no question names it. */
export function otherDaemonRefusal(words: readonly string[]): string | undefined {
  const [option] = words.flatMap((word) => OTHER_DAEMON.exec(word) ?? [])
  return option && `${option} leads to another daemon. Open another svc tui for it.`
}

/** Nouns that print as long as they run. */
const STREAMS: ReadonlySet<string> = new Set(['stream', 'event', 'log', 'message'])

/** Returns the words of a command with a table for people as its output, unless the user asked for another one. */
export function withTable(words: readonly string[], command: NamedCommand | undefined): readonly string[] {
  const isChosen = words.some((word) => /^(-o|--output|--json|--jsonl|-q|--quiet|--jq|--template)/.test(word))
  const isStream = STREAMS.has(command?.path[0] ?? '')
  return isChosen || mayChange(command) || isStream ? words : [...words, '-o', 'table']
}

/** The commands that show what became of others, by their nouns. */
const CHECKS: Readonly<Record<string, string>> = {
  approval: 'svc order list',
  do: 'svc order list',
  flow: 'svc flow list',
  order: 'svc order list',
  position: 'svc order list',
  strategy: 'svc strategy list',
}

/** Returns the command that shows what became of a line. A line that may have a secret is named by its command alone. */
export function checkOf(line: string, command: NamedCommand | undefined): string {
  const { path } = command ?? { path: [] }
  const check = CHECKS[path[0] ?? '']
  if (check !== undefined) return `${check} (after svc ${line})`
  return path.length === 0 ? AUDIT : `${AUDIT} (after svc ${path.join(' ')})`
}

const AUDIT = 'svc audit list'

/** The commands that only lower risk, as the keys do that need no word. */
const LOWERS: ReadonlySet<string> = new Set([
  ...['order cancel', 'position close', 'strategy stop', 'strategy close'],
  ...['approval reject', 'risk kill', 'analyze on'],
])

/** Returns whether a command only lowers risk: it is confirmed with `y` in LIVE mode, too. */
export function lowersRisk(command: NamedCommand | undefined): boolean {
  return command !== undefined && LOWERS.has(command.path.join(' '))
}

/** The nouns whose changes may reach the broker in ANALYZE mode: the exits of a live run do. `api` takes any request. */
const LIVE_IN_ANALYZE: ReadonlySet<string> = new Set(['strategy', 'api'])

/** Returns whether a command may reach the broker although orders are simulated. */
export function mayReachBrokerInAnalyze(command: NamedCommand | undefined): boolean {
  return mayChange(command) && LIVE_IN_ANALYZE.has(command?.path[0] ?? '')
}

/** Returns whether a command may change something. One that is not known, or not known to read, counts as a change. */
export function mayChange(command: NamedCommand | undefined): boolean {
  if (command === undefined) return true
  const { path, isHelp } = command
  return !isHelp && !READ_ONLY.has(path[0] ?? '') && !READS.has(path.slice(1).at(-1) ?? '')
}
