import { expiryDateOf, largestOrderOf } from '../../instruments/index.js'
import { type Quote, type SymbolRef, symbolKey } from '../../market/schema.js'
import { type Money, timesQuantity, toMoney } from '../../money/index.js'
import { istDate, sessionDate } from '../../time/index.js'
import type { Engine } from '../engine/engine.js'
import { cancelOrder, type Decision } from '../engine/execution.js'
import { realizedToday, unrealized } from '../engine/ledger.js'
import { endGtt, expireGtts, gttsOf, undoStrandedClaims } from '../gtt/gtts.js'
import { EXPIRY_STRATEGY, SQUARE_OFF_STRATEGY } from '../own-strategies.js'
import type { Runtime } from '../runtime.js'
import type { SandboxHolding, SandboxJobMark, SandboxOrder, SandboxPosition } from '../schema.js'
import { markJob } from './job-marks.js'
import { type ExitPrice, exitPosition, lastPrice, marketExit } from './position-exit.js'
import { isOption, settleDelivery } from './settlement.js'
import type { DueMoment, JobKind } from './timetable.js'

/**
 * The outcome of a job: its effects are decided; `durable` resolves when the effects and the mark are on
 * disk.
 */
interface JobOutcome {
  /** False when the job has to be retried shortly; it has no mark then. */
  done: boolean
  durable: Promise<void>
}

type Quotes = ReadonlyMap<string, Quote>

/** The moment a job runs for, and the prices it runs on. */
interface Occasion extends DueMoment {
  quotes: Quotes
  /** The last ticks of the same session, of the symbols for which the market does not answer. */
  ticks: Quotes
  /** True when the trading session of the moment is over. */
  late: boolean
}

/** Makes the decision of a job. Returns false when the job is not complete. */
type Decide = (engine: Engine, decision: Decision, occasion: Occasion) => boolean

interface JobDefinition {
  /** Selects the rows whose price the decision needs. */
  priced?: (row: SandboxPosition | SandboxHolding, moment: DueMoment, engine: Engine) => boolean
  decide: Decide
}

/** The jobs and their effects; the timetable is in docs/sandbox.md. */
const DEFINITIONS: Readonly<Record<JobKind, JobDefinition>> = {
  square_off: { priced: isIntraday, decide: squareOff },
  close: { decide: closeDay },
  expiry: { priced: isExpired, decide: settleExpired },
  snapshot: { priced: ({ quantity }) => quantity !== 0, decide: snapshot },
  t1: { decide: settle },
  reset: { decide: resetAll },
  gtt_sweep: { decide: sweep },
}

/**
 * Runs a job and marks its moment, in one decision: after a crash either both are on disk or neither. Fetches
 * prices first. A moment missed in an earlier session is dated back to its own time.
 */
export async function runJob(runtime: Runtime, moment: DueMoment): Promise<JobOutcome> {
  const { priced, decide } = DEFINITIONS[moment.job.kind]
  const prices = priced
    ? await pricesFor(runtime, sessionDate(moment.dueAt), (row, engine) => priced(row, moment, engine))
    : NO_PRICES
  const now = runtime.clock.now()
  const late = sessionDate(moment.dueAt) !== sessionDate(now)
  const day = istDate(moment.dueAt)
  const { answer, durable } = await runtime.take(
    (engine, decision) => {
      // The snapshot of the last day is written at midnight: what is settled then is profit of the day that begins.
      const session = day > decision.session ? day : decision.session
      const done = decide(engine, { ...decision, session }, { ...moment, ...prices, late })
      if (done) markJob(engine.state, moment.job.name, { ...decision, now }, moment)
      return done
    },
    late ? moment.dueAt : now,
  )
  return { done: answer, durable }
}

const NO_PRICES: Pick<Occasion, 'quotes' | 'ticks'> = { quotes: new Map(), ticks: new Map() }

async function pricesFor(
  runtime: Runtime,
  session: string,
  isDue: (row: SandboxPosition | SandboxHolding, engine: Engine) => boolean,
): Promise<Pick<Occasion, 'quotes' | 'ticks'>> {
  const refs = await runtime.look((engine) => {
    const found = new Map<string, SymbolRef>()
    for (const { positions, holdings } of engine.state.accounts.values()) {
      for (const row of [...positions.values(), ...holdings.values()]) {
        if (isDue(row, engine)) found.set(symbolKey(row), { symbol: row.symbol, exchange: row.exchange })
      }
    }
    return [...found.values()]
  })
  const quotes = new Map<string, Quote>()
  const ticks = new Map<string, Quote>()
  await Promise.all(
    refs.map(async (ref) => {
      const quote = await runtime.quote(ref)
      const tick = quote ? undefined : runtime.tickOf(ref, session)
      if (quote) quotes.set(symbolKey(ref), quote)
      if (tick) ticks.set(symbolKey(ref), tick)
    }),
  )
  return { quotes, ticks }
}

/**
 * Ends intraday trading: cancels waiting orders and closes positions at the market. A position without a
 * sound price is retried until the exchange closes, and then leaves at the last known price.
 */
function squareOff(engine: Engine, decision: Decision, occasion: Occasion): boolean {
  const { date, dueAt, job, late, quotes } = occasion
  const close = engine.hours.close(job.exchange, date)
  const final = late || close === undefined || decision.now >= close
  // For an earlier session, only older positions; for this session every open one, also after the time was
  // set back.
  const before = late ? dueAt : Number.POSITIVE_INFINITY
  let complete = true
  for (const [userId, account] of engine.state.accounts) {
    const data = { cancelled_orders: 0, closed_positions: 0 }
    for (const order of engine.state.waitingOf(userId)) {
      if (order.product !== 'MIS' || order.exchange !== job.exchange || order.createdAt >= before) continue
      if (isForLater(order, dueAt)) continue
      cancelOrder(engine, account, order, 'Cancelled at square-off', decision)
      data.cancelled_orders += 1
    }
    for (const position of [...account.positions.values()]) {
      if (!isIntraday(position, occasion) || position.openedAt >= before) continue
      const quote = quotes.get(symbolKey(position))
      const last = lastPrice(position, lastQuote(position, occasion))
      const exit = marketExit(position, quote) ?? (final ? atPrice(last) : undefined)
      if (!exit) {
        complete = false
        continue
      }
      const largest = largestOrderOf(engine.instruments, position)
      exitPosition(engine, account, position, exit, SQUARE_OFF_STRATEGY, decision, largest)
      data.closed_positions += 1
    }
    if (data.cancelled_orders + data.closed_positions > 0) {
      decision.changes.events.push({ topic: 'sandbox.auto_squareoff', userId, data })
    }
  }
  return complete
}

/**
 * Returns whether intraday trading went on after the square-off of this date, because somebody set its time later and
 * then back. Those positions and orders end today, too.
 */
export function resumedIntraday(
  { state }: Engine,
  moment: DueMoment,
  { slot, ranAt }: SandboxJobMark,
  { now }: Decision,
): boolean {
  const { date, job } = moment
  if (job.kind !== 'square_off' || slot !== moment.slot || date !== istDate(now)) return false
  const isOf = ({ exchange, product }: SandboxOrder | SandboxPosition) =>
    exchange === job.exchange && product === 'MIS'
  return (
    [...state.waiting.values()].some((order) => isOf(order) && order.createdAt >= ranAt) ||
    [...state.accounts.values()].some(({ positions }) =>
      [...positions.values()].some((row) => isOf(row) && row.quantity !== 0 && row.openedAt >= ranAt),
    )
  )
}

/** Cancels the day orders of a session that is over. */
function closeDay(engine: Engine, decision: Decision, { job, dueAt }: Occasion): boolean {
  for (const order of [...engine.state.waiting.values()]) {
    if (order.exchange !== job.exchange || order.createdAt >= dueAt || isForLater(order, dueAt)) continue
    cancelOrder(engine, engine.account(order.userId, decision), order, 'Cancelled at market close', decision)
  }
  return true
}

/** Settles contracts in cash on their last day, and ends the orders and GTTs that wait on them. */
function settleExpired(engine: Engine, decision: Decision, occasion: Occasion): boolean {
  const { state, instruments, settings } = engine
  const over = (row: SymbolRef) => hasExpired(row, occasion, engine)
  for (const order of [...state.waiting.values()]) {
    if (!over(order)) continue
    cancelOrder(engine, engine.account(order.userId, decision), order, 'Contract expired', decision)
  }
  for (const [userId, account] of state.accounts) {
    for (const gtt of gttsOf(state, userId)) {
      if (over(gtt)) endGtt(engine, account, gtt, 'expired', decision)
    }
    for (const position of [...account.positions.values()]) {
      if (!isExpired(position, occasion, engine)) continue
      const worthless = settings.get('option_expiry_settlement') === 'zero' && isOption(position, instruments)
      const price = worthless ? 0n : lastPrice(position, lastQuote(position, occasion))
      exitPosition(engine, account, position, atPrice(price), EXPIRY_STRATEGY, decision)
    }
  }
  return true
}

function settle(engine: Engine, decision: Decision, { dueAt }: Occasion): boolean {
  const data = { settled_users: 0, settled_positions: 0 }
  for (const account of engine.state.accounts.values()) {
    const settled = settleDelivery(engine, account, dueAt, decision)
    data.settled_positions += settled
    if (settled > 0) data.settled_users += 1
  }
  if (data.settled_positions > 0) {
    decision.changes.events.push({ topic: 'sandbox.t1_settlement', userId: undefined, data })
  }
  return true
}

/** Writes a line of history for every account. Rows keep the price, for a morning without a market. */
function snapshot(engine: Engine, { changes }: Decision, occasion: Occasion): boolean {
  const { date } = occasion
  for (const [userId, { funds, positions, holdings, totals }] of engine.state.accounts) {
    let positionsUnrealized: Money = 0n
    let holdingsUnrealized: Money = 0n
    for (const position of positions.values()) {
      if (position.quantity === 0) continue
      position.ltp = lastPrice(position, lastQuote(position, occasion))
      positionsUnrealized += unrealized(position, position.ltp)
      changes.positions.add(position)
      totals.rowChanged(position)
    }
    for (const holding of holdings.values()) {
      const quote = lastQuote(holding, occasion)
      if (quote) holding.ltp = toMoney(quote.ltp)
      if (holding.ltp > 0n) holdingsUnrealized += timesQuantity(holding.ltp, holding.quantity) - holding.cost
      changes.holdings.add(holding)
      totals.rowChanged(holding)
    }
    const realized = realizedToday(funds, date)
    changes.dailyPnl.add({
      userId,
      date,
      realized,
      positionsUnrealized,
      holdingsUnrealized,
      totalMtm: realized + positionsUnrealized + holdingsUnrealized,
      available: funds.available,
      used: funds.used,
      portfolioValue: funds.available + funds.used,
    })
  }
  return true
}

function resetAll(engine: Engine, decision: Decision): boolean {
  for (const userId of [...engine.state.accounts.keys()]) engine.reset(userId, 'account', decision)
  return true
}

function sweep(engine: Engine, decision: Decision): boolean {
  undoStrandedClaims(engine, decision)
  expireGtts(engine, decision)
  return true
}

function isIntraday(row: SandboxPosition | SandboxHolding, { job }: DueMoment): row is SandboxPosition {
  if (!('product' in row) || row.product !== 'MIS') return false
  return row.exchange === job.exchange && row.quantity !== 0
}

function isExpired(row: SandboxPosition | SandboxHolding, moment: DueMoment, engine: Engine): boolean {
  return 'product' in row && row.quantity !== 0 && hasExpired(row, moment, engine)
}

function hasExpired(row: SymbolRef, { job, date }: DueMoment, { instruments }: Engine): boolean {
  if (row.exchange !== job.exchange) return false
  const expiry = expiryDateOf(row, instruments)
  return expiry !== undefined && expiry <= date
}

/** Returns whether an order waits for the opening of a later session. */
function isForLater({ opensAt }: SandboxOrder, dueAt: number): boolean {
  return opensAt !== null && opensAt >= dueAt
}

function lastQuote(row: SymbolRef, { quotes, ticks }: Occasion): Quote | undefined {
  return quotes.get(symbolKey(row)) ?? ticks.get(symbolKey(row))
}

function atPrice(price: Money): ExitPrice {
  return { price, mark: price }
}
