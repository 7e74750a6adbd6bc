import type { Instrument } from '../../instruments/index.js'
import { istTime } from '../../time/index.js'
import { SIGNALS, type Signal, type SignalNote } from '../config/vocabulary.js'
import { type Refusal, refusal, TEXTS } from './answer.js'
import { isOneOf } from './batch.js'
import type { WebhookLeg, WebhookStrategy } from './strategies.js'

/** The instrument master, as far as signals need it. */
export interface WebhookInstruments {
  find(symbol: string, exchange: string): Instrument | undefined
  /** False before the master of an exchange is loaded. */
  hasExchange(exchange: string): boolean
}

/** The request in the body of a delivery, in the sender's own words. */
export interface SignalRequest {
  readonly action: unknown
  readonly legId?: unknown
  readonly symbol?: unknown
  readonly exchange?: unknown
}

/** The settings of a strategy that decide about its signals. */
export type SignalRules = Pick<
  WebhookStrategy,
  'direction' | 'strategyType' | 'product' | 'entryTime' | 'exitTime' | 'legs'
>

/** A signal for a leg that accepts it. With a note it has no effect, so the engine does not get it. */
export interface AcceptedSignal {
  readonly leg: WebhookLeg
  readonly signal: Signal
  readonly note: SignalNote | undefined
}

interface Checked {
  readonly strategy: SignalRules
  readonly leg: WebhookLeg
  readonly signal: Signal
  readonly isEntry: boolean
  readonly side: 'long' | 'short'
  /** Undefined if the master does not list the contract. */
  readonly instrument: Instrument | undefined
  readonly instruments: WebhookInstruments
}

interface SignalCheck {
  readonly name: string
  /** True for checks of entries only: a change of a lot size must not keep anybody in a position. */
  readonly entryOnly?: true
  /** Returns the message of a refusal. */
  check(signal: Checked): string | undefined
}

/** The checks of a signal for a leg, in their order. The first refusal ends it. */
export const SIGNAL_CHECKS: readonly SignalCheck[] = [
  {
    name: 'direction',
    check: ({ side, strategy: { direction } }) =>
      allows(direction, side) ? undefined : `This strategy is ${direction}; a ${side} signal is not accepted`,
  },
  {
    name: 'leg side',
    check: ({ leg, side }) =>
      takes(leg, side) ? undefined : `Leg ${leg.id} only accepts ${leg.side} signals`,
  },
  {
    name: 'cash short',
    entryOnly: true,
    check: ({ leg, side, strategy }) =>
      isOvernightShort(leg, side, strategy)
        ? `Leg ${leg.id}: cash cannot be held short overnight, and product CNC carries the position. Use MIS for an intraday short.`
        : undefined,
  },
  {
    name: 'contract on exchange',
    check: ({ instrument, instruments, leg }) =>
      instrument || !instruments.hasExchange(leg.exchange)
        ? undefined
        : `Leg ${leg.id}: ${leg.symbol} is not a contract on ${leg.exchange}`,
  },
  { name: 'whole lots', entryOnly: true, check: lotsProblem },
]

type Side = 'long' | 'short'

const allows = (direction: SignalRules['direction'], side: Side): boolean =>
  direction === 'both' || direction === `${side}_only`

const takes = (leg: WebhookLeg, side: Side): boolean => leg.side === 'both' || leg.side === side

/** Shares cannot be held short over the night. */
const isOvernightShort = (leg: WebhookLeg, side: Side, { product }: Pick<SignalRules, 'product'>): boolean =>
  side === 'short' && leg.segment === 'cash' && product !== 'MIS'

/** Returns whether the leg of a request can hold a position of a side. If there is no such leg, the checks say so. */
export function canHold(request: SignalRequest, strategy: SignalRules, side: Side): boolean {
  if (!allows(strategy.direction, side)) return false
  const leg = legOf(request, strategy.legs, side)
  return typeof leg === 'string' || (takes(leg, side) && !isOvernightShort(leg, side, strategy))
}

function lotsProblem({
  instrument,
  leg: { id, qty, qtyMode, segment, symbol },
}: Checked): string | undefined {
  if (segment === 'cash') return undefined
  // Without any contracts of the exchange nobody can check units, and nobody can count lots.
  if (!instrument && qtyMode !== 'lots') return undefined
  const lotSize = instrument?.lotSize ?? 0
  if (!(lotSize > 0)) return `No lot size is known for ${symbol}`
  return qtyMode === 'lots' || qty % lotSize === 0
    ? undefined
    : `Leg ${id}: ${qty} is not a whole number of lots; ${symbol} trades in lots of ${lotSize}`
}

/** Returns the leg that a signal is for and its effect, or the refusal of it. */
export function checkSignal(
  request: SignalRequest,
  strategy: SignalRules,
  { instruments, now }: { instruments: WebhookInstruments; now: number },
): AcceptedSignal | Refusal {
  const signal = wordOf(request.action)
  if (!isOneOf(SIGNALS, signal)) return invalid(TEXTS.signalAction)
  const side = signal.startsWith('long') ? 'long' : 'short'
  const leg = legOf(request, strategy.legs, side)
  if (typeof leg === 'string') return invalid(leg)
  const isEntry = signal.endsWith('entry')
  const instrument = instruments.find(leg.symbol, leg.exchange)
  const checked = { strategy, leg, signal, isEntry, side, instrument, instruments } as const
  for (const { check, entryOnly } of SIGNAL_CHECKS) {
    const problem = entryOnly && !isEntry ? undefined : check(checked)
    if (problem !== undefined) return invalid(problem)
  }
  return { leg, signal, note: windowNote(strategy, isEntry, now) }
}

const invalid = (message: string): Refusal => refusal('rejected_invalid_action', message)

/** Returns a word of a body as senders may write it: in any case, with spaces around it. */
export const wordOf = (value: unknown): string =>
  typeof value === 'string' ? value.trim().toLowerCase() : ''

const nameOf = (value: unknown): string => (typeof value === 'string' ? value.trim().toUpperCase() : '')

/** Returns the leg of a request, or the reason for a refusal. */
function legOf(
  { exchange, legId, symbol }: SignalRequest,
  legs: readonly WebhookLeg[],
  side: 'long' | 'short',
): WebhookLeg | string {
  if (isGiven(legId)) {
    const leg = legs.find(({ id }) => id === numberOf(legId))
    if (leg && isGiven(symbol) && nameOf(symbol) !== leg.symbol) return TEXTS.otherSymbol
    return leg ?? TEXTS.noLeg
  }
  const [symbolName, venue] = [nameOf(symbol), isGiven(exchange) ? nameOf(exchange) : undefined]
  const named = legs.filter(
    (leg) => leg.symbol === symbolName && (venue === undefined || leg.exchange === venue),
  )
  const accepting = named.filter((leg) => takes(leg, side))
  const [leg, another] = accepting.length > 0 ? accepting : named
  if (!leg) return TEXTS.noLeg
  // A guess could trade a leg that the sender did not mean.
  return another && accepting.length > 1 ? `Several legs match this signal. Add 'leg_id' or 'exchange'` : leg
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== ''

/** Senders with templates put numbers into quotes. */
function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value
  return typeof value === 'string' && /^\s*\d{1,2}\s*$/.test(value) ? Number(value) : undefined
}

/** Returns why a signal of an intraday strategy has no effect at this time. */
function windowNote(
  { entryTime, exitTime, strategyType }: SignalRules,
  isEntry: boolean,
  now: number,
): SignalNote | undefined {
  if (strategyType !== 'intraday') return undefined
  const time = istTime(now).slice(0, 5)
  if (isEntry && entryTime !== null && time < entryTime) return 'outside_entry_window'
  return exitTime !== null && time >= exitTime ? 'outside_trading_window' : undefined
}
