import type { z } from 'zod'
import { CASH_EXCHANGES } from '../../instruments/schema.js'
import type { BatchLeg, batchLeg, SignalLeg, signalLeg } from './legs.js'
import type { BatchConfig, batchStrategy, SignalConfig, signalStrategy } from './schema.js'
import { type UnderlyingExchange, type UniverseTab, WEEK_DAYS } from './vocabulary.js'

type ParsedBatch = z.output<typeof batchStrategy>
type ParsedSignal = z.output<typeof signalStrategy>

const COMMODITY_EXCHANGES: readonly UnderlyingExchange[] = ['MCX', 'NCDEX', 'NCO']
const WEEKLY_RANKS: readonly (string | null)[] = ['weekly', 'next_week']

/** Fills in the defaults of a batch strategy that depend on other fields. */
export function canonicalBatch(parsed: ParsedBatch): BatchConfig {
  const legs = parsed.legs.map(canonicalBatchLeg)
  const universe_tab = parsed.universe_tab ?? universeOf(parsed.underlying_exchange, legs)
  return { ...parsed, legs, universe_tab, scheduler: inWeekOrder(parsed.scheduler) }
}

/** Fills in the defaults of a signal strategy that depend on other fields. */
export function canonicalSignal(parsed: ParsedSignal): SignalConfig {
  const legs = parsed.legs.map(canonicalSignalLeg)
  const universe_tab = parsed.universe_tab ?? universeOf(parsed.underlying_exchange, legs)
  return { ...parsed, legs, universe_tab, scheduler: inWeekOrder(parsed.scheduler) }
}

function canonicalBatchLeg(leg: z.output<typeof batchLeg>, index: number): BatchLeg {
  const isOption = leg.segment === 'options'
  const strike_mode = leg.strike_mode ?? (isOption ? 'atm' : null)
  const atm_offset = leg.atm_offset ?? (isOption && strike_mode === 'atm' ? 'ATM' : null)
  return { ...leg, id: leg.id ?? index + 1, strike_mode, atm_offset }
}

function canonicalSignalLeg(leg: z.output<typeof signalLeg>, index: number): SignalLeg {
  const isFuture = leg.segment === 'futures'
  return {
    ...leg,
    id: leg.id ?? index + 1,
    qty_mode: leg.qty_mode ?? (isFuture ? 'lots' : 'units'),
    expiry: leg.expiry ?? (isFuture ? 'current' : null),
  }
}

/** Keeps the order of a week. A day given twice stays twice, for the rule that refuses it. */
function inWeekOrder(scheduler: ParsedBatch['scheduler']): ParsedBatch['scheduler'] {
  if (!scheduler) return null
  const days = scheduler.days.toSorted((a, b) => WEEK_DAYS.indexOf(a) - WEEK_DAYS.indexOf(b))
  return { ...scheduler, days }
}

function universeOf(
  exchange: UnderlyingExchange,
  legs: readonly { segment: string; expiry: string | null }[],
): UniverseTab {
  if (legs.some(({ segment }) => segment === 'cash')) return 'stocks_fno'
  if (COMMODITY_EXCHANGES.includes(exchange)) return 'mcx'
  return legs.some(({ expiry }) => WEEKLY_RANKS.includes(expiry)) ? 'weekly_monthly' : 'monthly_only'
}

/** Returns whether contracts of an exchange are shares. */
export function isCashExchange(exchange: string): boolean {
  return CASH_EXCHANGES.has(exchange)
}
