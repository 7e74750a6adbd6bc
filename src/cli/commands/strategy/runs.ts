import type { RouteAnswer } from '../../../client/endpoints.js'
import type { Column } from '../../../views/table/column.js'
import type { CommandSpec, Input } from '../../framework/command/command.js'
import { called, declared, either } from '../../framework/command/declared.js'
import type { Context } from '../../framework/context.js'
import { CliError, usageError } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'
import { findId, type OfStrategy, STRATEGY, strategyOf } from './find.js'

const checkRun = ({ request }: OfStrategy) =>
  `Check the run before you repeat it: svc strategy events ${request.params.id}`

const EXIT_COLUMNS = [
  { key: 'leg_id', title: 'LEG' },
  { key: 'mode' },
  { key: 'symbol' },
  { key: 'ok' },
  { key: 'error' },
] as const satisfies readonly Column[]

const isLive = (input: Input) => input.text('mode') === 'live'

/**
 * Asks before live orders, and before a start that enters ahead of the entry time: a start does not wait for it.
 * @throws a usage error in a script that does not say `--now`
 */
async function confirmStart({ context, input, request }: OfStrategy & { context: Context; input: Input }) {
  const { interactive, yes } = context.settings
  const { id } = request.params
  const early = input.flag('now') ? undefined : await entryAheadOf(context, id)
  const when = early === undefined ? '' : `: it enters now, before its entry time ${early}`
  const what = `Start strategy ${input.required(0)}${isLive(input) ? ' with live orders' : ''}`
  if (early !== undefined && (yes || !interactive)) {
    const hint = `Pass --now to enter at once. A schedule starts it at its time: svc strategy show ${id}`
    throw usageError(`${what}${when}.`, hint)
  }
  if (isLive(input) || early !== undefined) await context.prompts.confirm(`${what}${when}`)
}

async function entryAheadOf(context: Context, id: string): Promise<string | undefined> {
  const { entryAhead } = await import('../../../core/strategies/config/exit.js')
  const { data } = (await context.read('GET /strategy/api/strategies/:id', { params: { id } })).body
  return data.current_run_id === null ? entryAhead(data, context.io.now()) : undefined
}

export const start = declared({
  name: 'start',
  summary: 'Starts a batch strategy at once, in the sandbox unless --mode live.',
  examples: [
    'strategy start 1',
    'strategy start morning-straddle --mode live --yes',
    'strategy start morning-straddle --now --mode live --yes',
  ],
  details:
    'A start enters now: only the schedule of the strategy waits for a time. Before the entry time a terminal says so and asks, and a script needs --now.\n' +
    'After the exit time of the day a start is refused (exit 5).',
  arguments: [STRATEGY],
  options: [
    { flags: '--mode <mode>', summary: 'sandbox (default) or live', choices: ['sandbox', 'live'] },
    { flags: '--now', summary: 'enter at once, also before the entry time' },
  ],
  calls: 'POST /strategy/api/strategies/:id/start',
  request: async (input, context) => ({
    ...(await strategyOf(input, context)),
    body: { mode: isLive(input) ? 'live' : 'sandbox' },
  }),
  confirms: confirmStart,
  followUp: checkRun,
  list: ({ legs }) => ({
    rows: legs,
    columns: [
      { key: 'leg_id', title: 'LEG' },
      { key: 'symbol' },
      { key: 'ok' },
      { key: 'broker_order_id', title: 'ORDER' },
      { key: 'error' },
    ],
    id: 'leg_id',
    empty: '',
  }),
  note: ({ mode, run_id }) => `Run ${run_id} has started in ${mode} mode.`,
})

export const stop = declared({
  name: 'stop',
  summary: 'Stops the run of a strategy: closes every position it holds.',
  examples: ['strategy stop 1', 'strategy stop morning-straddle --json'],
  arguments: [STRATEGY],
  calls: 'POST /strategy/api/strategies/:id/stop',
  request: strategyOf,
  followUp: checkRun,
  list: exitList,
  note: (stopped, { request }) => stoppedText(request.params.id, stopped),
})

const closeAll = called({
  calls: 'POST /strategy/api/strategies/:id/close_all',
  request: strategyOf,
  followUp: checkRun,
  list: exitList,
  note: (stopped, { request }) => stoppedText(request.params.id, stopped),
})

const closeLeg = called({
  calls: 'POST /strategy/api/strategies/:id/legs/:leg/close',
  async request(input, context) {
    const leg = input.text('leg') ?? ''
    if (!/^([1-9]|10)$/.test(leg)) throw usageError('--leg is a number from 1 to 10.')
    return { params: { id: await findId(context, input.required(0)), leg } }
  },
  followUp: checkRun,
  list: exitList,
  note: ({ mode, run_id, run_stopped }, { request: { params } }) =>
    run_stopped
      ? `The ${mode} run ${run_id} is stopped.`
      : `The ${mode} run ${run_id} goes on: svc strategy orders ${params.id} --run ${run_id}`,
})

export const close: CommandSpec = {
  name: 'close',
  summary: 'Closes every position of the run, or those of one leg.',
  examples: ['strategy close 1', 'strategy close 1 --leg 2'],
  arguments: [STRATEGY],
  options: [{ flags: '--leg <id>', summary: 'only this leg' }],
  run: either((input) => input.text('leg') === undefined, closeAll, closeLeg),
}

type Stopped = RouteAnswer<'POST /strategy/api/strategies/:id/stop'>

/** Returns the exits as a list, each with the mode of its run. */
function exitList({ exits, mode }: Pick<Stopped, 'exits' | 'mode'>) {
  const rows = exits.map((exit) => ({ ...exit, mode }))
  return { rows, columns: EXIT_COLUMNS, id: 'leg_id', empty: 'There was nothing to close.' } as const
}

function stoppedText(
  id: string,
  { mode, run_id, stop_pending }: Pick<Stopped, 'mode' | 'run_id' | 'stop_pending'>,
): string | undefined {
  if (run_id === null) return undefined
  return stop_pending
    ? `The ${mode} run ${run_id} waits for its exits: svc strategy events ${id}`
    : `The ${mode} run ${run_id} is stopped.`
}

export const release = declared({
  name: 'release',
  summary: 'Ends a reserved run whose positions you have closed by hand. It sends no order.',
  examples: [
    'strategy release 1 --reason "closed in the app of the broker"',
    'strategy release morning-straddle --run 5 --reason "never held anything" --yes',
  ],
  details:
    'A run is reserved if a start could not restore it, or if it was live in a restored backup.\n' +
    'The service neither watches nor closes its positions. The release is refused while an order of\n' +
    'the run may still trade, and while the account shows a position in its contracts.\n' +
    'With --positions-checked, these positions belong to somebody else.',
  arguments: [STRATEGY],
  options: [
    { flags: '--run <id>', summary: 'the reserved run; otherwise the current one', complete: 'strategyRuns' },
    { flags: '--reason <text>', summary: 'what you found and did; stored with the event' },
    { flags: '--positions-checked', summary: "the account's positions in its contracts are not the run's" },
  ],
  calls: 'POST /strategy/api/strategies/:id/runs/:run/release',
  async request(input, context) {
    const reason = input.text('reason')
    if (reason === undefined) {
      throw usageError('The reason is missing.', 'Pass --reason TEXT: what you found and did.')
    }
    const run = input.text('run')
    if (run !== undefined && !/^[1-9]\d*$/.test(run)) throw usageError('--run is the number of a run.')
    const id = await findId(context, input.required(0))
    const isChecked = input.flag('positionsChecked')
    return {
      params: { id, run: run ?? (await currentRun(context, id)) },
      body: { reason, closed_by_hand: true, ...(isChecked && { positions_checked: true }) },
    }
  },
  asks: ({ request }) => `Release run ${request.params.run}: it holds nothing any more`,
  acted: ({ message }) => message,
})

async function currentRun(context: Context, id: string): Promise<string> {
  const { data } = (await context.read('GET /strategy/api/strategies/:id', { params: { id } })).body
  if (data.current_run_id !== null) return String(data.current_run_id)
  throw new CliError(EXIT.refused, `Strategy ${id} has no unfinished run.`, {
    code: 'conflict',
    hint: `See its runs: svc strategy runs ${id}`,
  })
}
