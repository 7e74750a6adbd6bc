import type { Column } from '../../../views/table/column.js'
import { everywhere, type Outcome, reportFailures } from '../../contexts/everywhere.js'
import type { CommandSpec } from '../../framework/command/command.js'
import type { Context } from '../../framework/context.js'
import { CliError } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'
import { probe } from '../../http/probe.js'

/** How long each daemon may take: with the start of this program, all of it is under two seconds. */
const ANSWER_WITHIN_MS = 1_400

const COLUMNS = [
  { key: 'context' },
  { key: 'state', kind: 'status' },
  { key: 'mode', kind: 'status' },
  { key: 'order_mode', title: 'ORDER MODE', kind: 'status', leaves: 3 },
  { key: 'broker', leaves: 1 },
  { key: 'broker_session', title: 'SESSION', kind: 'status' },
  { key: 'pnl', title: 'P&L ₹', kind: 'signed' },
  { key: 'pending_approvals', title: 'WAITING', kind: 'quantity' },
  { key: 'kill_switch', title: 'KILL SWITCH' },
  { key: 'url', leaves: 2 },
  { key: 'problem', leaves: 4 },
] as const satisfies readonly Column<keyof Row>[]

/** The state of one daemon; what is not known is null. */
interface Row {
  context: string
  /** `ready`, the state that the daemon says, or the code of the failure. */
  state: string
  mode: string | null
  order_mode: string | null
  broker: string | null
  broker_session: string | null
  /** Rupees, of the day. */
  pnl: number | null
  pending_approvals: number | null
  kill_switch: boolean | null
  url: string | null
  problem: string | null
}

const UNKNOWN = {
  mode: null,
  order_mode: null,
  broker: null,
  broker_session: null,
  pnl: null,
  pending_approvals: null,
  kill_switch: null,
  url: null,
} as const

export const status: CommandSpec = {
  name: 'status',
  summary: 'Asks all daemons at once: state, mode, broker session, profit and loss, approvals, kill switch.',
  details:
    'Each daemon may take 1.4 s, or --timeout. One that does not answer is named, and the others are shown. The exit status is that of the most severe failure: 7 for a daemon that is away, 1 for one that hangs or is not ready for orders, 3 without a credential or when another daemon answers.',
  examples: ['context status', 'context status --json', 'context status --timeout 5s'],
  columns: COLUMNS,
  async run(context) {
    const outcomes = await everywhere(context, ANSWER_WITHIN_MS, stateOf)
    await context.out.list({ rows: outcomes.map(rowOf), columns: COLUMNS, id: 'context', empty: '' })
    reportFailures(context, outcomes.map(withUnready))
    return EXIT.done
  },
}

type State = Omit<Row, 'context' | 'problem'>

async function stateOf(context: Context): Promise<State> {
  const { url } = context.target
  // Without a session it is still known whether a daemon is there.
  if (!context.hasSession) {
    const { failure } = await probe(context)
    if (failure !== undefined) throw failure
  }
  const [{ body }, pnl] = await Promise.all([context.read('GET /status'), profitOf(context)])
  const { broker, broker_session, kill_switch, mode, order_mode, pending_approvals, ready_for_orders } =
    body.data
  return {
    state: ready_for_orders ? 'ready' : 'not_ready',
    ...{ mode, order_mode, broker, pnl, pending_approvals, kill_switch, url },
    broker_session: broker_session.state,
  }
}

/** Returns the profit of the day in rupees; null if it cannot be read in time. */
async function profitOf(context: Context): Promise<number | null> {
  try {
    const call = context.changeCall('POST /pnltracker/api/pnl', {})
    return (await context.client().send({ ...call, changes: false })).body.data.current_mtm
  } catch (thrown) {
    if (!(thrown instanceof CliError) || thrown.exit === EXIT.interrupted) throw thrown
    return null
  }
}

function rowOf({ answer, failure, name }: Outcome<State>): Row {
  if (answer !== undefined) return { context: name, ...answer, problem: null }
  const { code = 'failed', message = '' } = failure ?? {}
  return { context: name, ...UNKNOWN, state: code, problem: message }
}

/** A daemon that takes no live orders is a failure too, as for svc status. */
function withUnready(outcome: Outcome<State>): Outcome<State> {
  if (outcome.answer?.state !== 'not_ready') return outcome
  const { broker, broker_session: session } = outcome.answer
  const message = `Not ready for orders: broker ${broker}, session ${session}.`
  const hint = `See: svc status --context ${outcome.name}`
  return { ...outcome, failure: new CliError(EXIT.failed, message, { code: 'not_ready', hint }) }
}
