import { istTime } from '../../time/index.js'
import type { SignalConfig, SignalLeg } from '../config/schema.js'
import type { SignalNote } from '../config/vocabulary.js'
import type { RecordedSignal } from './signals.js'

/** A signal that a leg accepts, without effect if it has a note; or the reason of a refusal. */
export type GateResult = { leg: SignalLeg; note: SignalNote | null } | { refusal: string }

/** Decides about a recorded signal as the webhook does. */
export function admit(signal: RecordedSignal, config: SignalConfig): GateResult {
  const side = signal.signal.startsWith('long') ? 'long' : 'short'
  const isEntry = signal.signal.endsWith('entry')
  const leg = legOf(signal, config.legs, side)
  if (!leg) return { refusal: 'No leg matches this signal' }
  if (config.direction !== 'both' && config.direction !== `${side}_only`) {
    return { refusal: `This strategy is ${config.direction}; a ${side} signal is not accepted` }
  }
  if (leg.side !== 'both' && leg.side !== side) {
    return { refusal: `Leg ${leg.id} only accepts ${leg.side} signals` }
  }
  if (isEntry && side === 'short' && leg.segment === 'cash' && config.product !== 'MIS') {
    return {
      refusal: `Leg ${leg.id}: cash cannot be held short overnight, and product CNC carries the position. Use MIS for an intraday short.`,
    }
  }
  return { leg, note: windowNote(config, isEntry, signal.time) }
}

function legOf(
  { exchange, legId, symbol }: RecordedSignal,
  legs: readonly SignalLeg[],
  side: 'long' | 'short',
): SignalLeg | undefined {
  if (legId !== null) return legs.find(({ id }) => id === legId)
  if (symbol === null) return legs.length === 1 ? legs[0] : undefined
  const named = legs.filter(
    (leg) => leg.symbol === symbol && (exchange === null || leg.exchange === exchange),
  )
  return named.find((leg) => leg.side === 'both' || leg.side === side) ?? named[0]
}

function windowNote(
  { entry_time, exit_time, strategy_type }: SignalConfig,
  isEntry: boolean,
  at: number,
): SignalNote | null {
  if (strategy_type !== 'intraday') return null
  const time = istTime(at).slice(0, 5)
  if (isEntry && entry_time !== null && time < entry_time) return 'outside_entry_window'
  return exit_time !== null && time >= exit_time ? 'outside_trading_window' : null
}
