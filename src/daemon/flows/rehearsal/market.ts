import type { Replay, ScriptedPrices } from '../../../core/brokers/simulated/index.js'
import { MasterSelection, simulatedMaster } from '../../../core/brokers/simulated/index.js'
import { Almanac, SEED_HOLIDAYS, SEED_TIMINGS } from '../../../core/calendar/index.js'
import { instantOf, marketSteps, type Scenario } from '../../../core/flows/index.js'
import { EXCHANGES, type Instrument } from '../../../core/instruments/index.js'
import { CASH_EXCHANGES } from '../../../core/instruments/schema.js'
import { type SymbolRef, symbolKey } from '../../../core/market/schema.js'
import { toRef } from './symbol.js'

/** The time, before the case begins, that each starting position takes to be bought. */
const SEED_MS = 5000

/**
 * Returns when the position at `index` of the account's list is bought. Positions are bought one after the
 * other, because each has its own price.
 */
export function seededAt(scenario: Scenario, index: number): number {
  const count = Math.max(1, scenario.account?.positions?.length ?? 0)
  return instantOf(scenario.at) - (count - index) * SEED_MS
}

/**
 * Returns the prices of a case: first the purchase price of each starting position, then the prices of the
 * steps.
 */
export function scriptOf(scenario: Scenario): ScriptedPrices[] {
  const startsAt = instantOf(scenario.at)
  const bySymbol = new Map<string, { at: number; price: number }[]>()
  const add = (key: string, step: { at: number; price: number }) => {
    const steps = bySymbol.get(key)
    if (steps) steps.push(step)
    else bySymbol.set(key, [step])
  }
  for (const [index, { symbol, exchange, average_price }] of (scenario.account?.positions ?? []).entries()) {
    add(`${exchange}:${symbol}`, { at: seededAt(scenario, index), price: average_price })
  }
  for (const { afterMs, prices } of marketSteps(scenario)) {
    for (const [key, price] of Object.entries(prices)) add(key, { at: startsAt + afterMs, price })
  }
  return [...bySymbol].map(([key, steps]) => ({ symbol: toRef(key), steps }))
}

/** Returns the symbols a case names. Only these and their derivative contracts are listed while it runs. */
export function namedSymbols(scenario: Scenario, replays: readonly Replay[]): SymbolRef[] {
  const keys = new Set(marketSteps(scenario).flatMap(({ prices }) => Object.keys(prices)))
  for (const { symbol, exchange } of scenario.account?.positions ?? []) keys.add(`${exchange}:${symbol}`)
  return [...[...keys].map(toRef), ...replays.map(({ spot }) => spot)]
}

/** The first token of added shares, above all tokens of the simulated market. */
const FIRST_TOKEN = 10_000_000

const ALMANAC = new Almanac(
  SEED_HOLIDAYS.map((holiday, id) => ({ ...holiday, id })),
  SEED_TIMINGS,
)
/** The answers of {@link isHoliday}: most cases of a file play on one day. */
const closedOn = new Map<string, boolean>()

function isHoliday(exchange: string, date: string): boolean {
  const key = `${exchange}|${date}`
  const known = closedOn.get(key)
  if (known !== undefined) return known
  const isClosed = !ALMANAC.isTradingDay(exchange, date)
  closedOn.set(key, isClosed)
  return isClosed
}

/** Returns the instrument master of a case: the symbols it names, and the contracts on them. */
export function masterOf(named: readonly SymbolRef[], now: number): Instrument[] {
  const rows = [...simulatedMaster({ now, isHoliday, selection: new MasterSelection(named) })].flat()
  const listed = new Set(rows.map(symbolKey))
  const unlisted = named.filter((ref) => !listed.has(symbolKey(ref)))
  const unknown = new Map(unlisted.map((ref) => [symbolKey(ref), ref]))
  return [
    ...rows,
    ...[...unknown.values()].flatMap(({ exchange, symbol }, index) => shareOf(exchange, symbol, index)),
  ]
}

/** Returns the instrument of a share that the simulated market does not have. */
function shareOf(exchange: string, symbol: string, index: number): Instrument[] {
  const known = EXCHANGES.find((one) => one === exchange)
  // On these, a symbol that the simulated market does not know counts as a share.
  if (known === undefined || !CASH_EXCHANGES.has(known)) return []
  return [
    {
      symbol,
      brokerSymbol: symbol,
      name: symbol,
      exchange: known,
      brokerExchange: known,
      token: String(FIRST_TOKEN + index),
      expiry: '',
      strike: 0,
      lotSize: 1,
      instrumentType: 'EQ',
      tickSize: 0.05,
    },
  ]
}
