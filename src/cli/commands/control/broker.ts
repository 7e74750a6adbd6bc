import type { RouteAnswer } from '../../../client/endpoints.js'
import { budgetLines } from '../../../views/system/budget.js'
import { feedText } from '../../../views/system/feed.js'
import { visible } from '../../../views/table/cells.js'
import { asksAgain } from '../../framework/asks-again.js'
import type { CommandSpec, Input, NounSpec } from '../../framework/command/command.js'
import { called, declared, either } from '../../framework/command/declared.js'
import type { Context } from '../../framework/context.js'
import { usageError } from '../../framework/errors.js'
import { confirmWhileLive, LIVE_OPTION, sessionDestination } from '../../io/confirm.js'
import { readInput } from '../order/request.js'
import { login } from './broker-login.js'

type Algorithms = RouteAnswer<'GET /broker/algos' | 'PUT /broker/algos'>

const algoView = {
  list: ({ data: { algos, broker } }: Algorithms) =>
    ({
      rows: algos,
      columns: [{ key: 'strategy' }, { key: 'algo_id', title: 'ALGORITHM' }],
      id: 'strategy',
      empty: `No strategy has an algorithm at ${broker}.`,
    }) as const,
  note: ({ data: { algos, broker, sent } }: Algorithms) =>
    sent || algos.length === 0 ? undefined : `${broker} takes no id of an algorithm: orders go without it.`,
}

const algorithms = called({ calls: 'GET /broker/algos', ...algoView })

const mapped = called({
  calls: 'PUT /broker/algos',
  request: (input) => ({ body: mappingOf(input.required(0)) }),
  ...algoView,
})

const algo: CommandSpec = {
  name: 'algo',
  summary: 'Shows or sets the registered algorithm that the live orders of a strategy are sent under.',
  details:
    'STRATEGY=ID maps one, STRATEGY= removes it. An order that names its own algorithm keeps that. The mapping is that of\n' +
    'the active broker; a broker that takes no id of an algorithm gets the orders without it.',
  examples: ['broker algo', 'broker algo momentum=ALGO1', 'broker algo momentum='],
  arguments: [{ syntax: '[strategy=id]', summary: 'the strategy, and the id that the broker knows' }],
  run: either((input) => input.argument(0) === undefined, algorithms, mapped),
}

/** Reads `momentum=ALGO1`; the name of a strategy may have the sign itself, an id never has. */
function mappingOf(word: string): { strategy: string; algo_id: string | null } {
  const place = word.lastIndexOf('=')
  if (place <= 0) throw usageError(`"${word}" names no algorithm.`, 'Example: svc broker algo momentum=ALGO1')
  const id = word.slice(place + 1).trim()
  return { strategy: word.slice(0, place), algo_id: id === '' ? null : id }
}

type Change = RouteAnswer<'GET /broker/use'>['data']

const list = declared({
  name: 'list',
  summary: 'Lists the available brokers.',
  examples: ['broker list'],
  calls: 'GET /broker/list',
  list: ({ data }) => ({
    rows: data,
    id: 'id',
    empty: 'No brokers.',
    columns: [
      { key: 'id' },
      { key: 'name' },
      { key: 'active' },
      { key: 'available', leaves: 2 },
      { key: 'exchanges', leaves: 1 },
    ],
  }),
})

const status = declared({
  name: 'status',
  summary: 'Shows the session at the broker, its instruments, its feed, and the calls that are left.',
  examples: ['broker status', 'broker status --json'],
  calls: 'GET /broker/status',
  record: ({ data }, { context }) => ({
    record: context.settings.format ? data : brokerRecord(data),
    id: 'broker',
    fields: [
      { key: 'broker' },
      { key: 'available' },
      { key: 'connected' },
      { key: 'session', kind: 'status' },
      { key: 'reason' },
      { key: 'next_step', title: 'NEXT STEP' },
      { key: 'since', kind: 'time' },
      { key: 'failed', title: 'LAST FAILED CALL' },
      { key: 'failed_at', title: 'AT', kind: 'time' },
      { key: 'failing_since', title: 'FAILING SINCE', kind: 'time' },
      { key: 'session_expires_at', title: 'SESSION UNTIL', kind: 'time' },
      { key: 'count', title: 'INSTRUMENTS', kind: 'quantity' },
      { key: 'loaded_at', title: 'LOADED', kind: 'time' },
      { key: 'source' },
      { key: 'feed' },
      { key: 'budget', title: 'CALLS LEFT', kind: 'lines' },
      { key: 'in_doubt', title: 'IN DOUBT', kind: 'quantity' },
      { key: 'drift', title: 'NOT FROM HERE' },
    ],
  }),
})

/** Returns the state of the broker as a person reads it: each fact in one line. */
function brokerRecord(data: RouteAnswer<'GET /broker/status'>['data']) {
  const { count, loaded_at, source } = data.instruments
  const failed = data.failed_call
  return {
    ...data,
    session: data.session.state,
    since: data.session.since,
    reason: data.reason ?? data.session.reason,
    next_step: data.session.next_step,
    count,
    loaded_at,
    source,
    feed: feedText(data.feed),
    budget: budgetLines(data.budgets),
    failed: failed && `${failed.call}: ${failed.message}`,
    failed_at: failed?.at,
    failing_since: failed?.failing_since,
    drift: data.drift && (data.drift.summary ?? 'nothing'),
  }
}

const use = declared({
  name: 'use',
  summary:
    'Chooses the broker that live orders go to, after it has shown what stays at the one in use. While orders are live it asks for the word LIVE.',
  details: asksAgain(),
  examples: ['broker use simulated', 'broker use simulated --confirm LIVE'],
  arguments: [{ syntax: '<broker-id>', summary: 'id from svc broker list', complete: 'brokers' }],
  options: [LIVE_OPTION],
  calls: 'POST /broker/use',
  request: (input) => ({ body: { broker: input.required(0) } }),
  async confirms({ context, input }) {
    const id = input.required(0)
    const { data: change } = (await context.read('GET /broker/use', { query: { broker: id } })).body
    for (const sentence of [...change.stays, ...change.moves]) context.out.note(visible(`${sentence}.`))
    await confirmChange(context, input, change)
  },
  acted: (_, { input }) => `Live orders go to ${input.required(0)}. Next: svc broker status`,
})

/** Asks for the word LIVE while orders are live; in Analyzer mode asks if anything stays or goes on elsewhere. */
async function confirmChange(context: Context, input: Input, change: Change): Promise<void> {
  const { mode } = await sessionDestination(context)
  const touches = change.stays.length + change.moves.length > 0
  if (mode === 'analyze' && touches && input.text('confirm') === undefined) {
    await context.prompts.confirm(`Use ${change.to} instead of ${change.from}`)
  }
  await confirmWhileLive(context, input, (now) => `Live orders will go to ${change.to} instead of ${now}`)
}

const logout = declared({
  name: 'logout',
  summary: 'Ends the session at the broker; live orders are refused until the next login.',
  examples: ['broker logout', 'broker logout --yes'],
  calls: 'POST /broker/logout',
  asks: () => 'Sign out at the broker; live orders will be refused',
  acted: () => 'Signed out at the broker.',
})

const sync = declared({
  name: 'sync',
  summary: "Loads the instruments from the broker, or from a broker's dump.",
  examples: ['broker sync', 'broker sync --from instruments.csv', 'curl … | svc broker sync --from -'],
  options: [
    { flags: '--from <file>', summary: 'a CSV dump; - reads stdin' },
    { flags: '--format <name>', summary: 'format of the dump (default: that of the broker in use)' },
    { flags: '--force', summary: 'accept a dump with less than half of the instruments loaded now' },
  ],
  calls: 'POST /broker/sync',
  async request(input, { io }) {
    const file = input.text('from')
    const dump = file === undefined ? undefined : await readInput(file, io)
    const format = dump === undefined ? undefined : input.text('format')
    return { query: { format, force: input.flag('force') ? 'true' : undefined }, body: dump }
  },
  waits: 'Loading instruments …',
  timeoutMs: 180_000,
  followUp: () => 'Check the loaded instruments: svc broker status',
  record: ({ data }) => ({
    record: data,
    id: 'count',
    fields: [
      { key: 'count', title: 'LOADED', kind: 'quantity' },
      { key: 'skipped', kind: 'quantity' },
    ],
  }),
  note: ({ data: { rejected } }) =>
    rejected.length === 0
      ? undefined
      : rejected.map(({ line, reason }) => visible(`line ${line}: ${reason}`)).join('\n'),
})

export const broker: NounSpec = {
  summary: 'Brokers, their sessions and their instruments.',
  examples: ['broker list', 'broker use simulated', 'broker status', 'broker sync --from instruments.csv'],
  verbs: [list, use, login, logout, status, sync, algo],
}
