import type { Replay, ScriptedPrices } from '../../../core/brokers/simulated/index.js'
import { Almanac, SEED_HOLIDAYS, SEED_TIMINGS } from '../../../core/calendar/index.js'
import { marketSteps, type Scenario } from '../../../core/flows/index.js'
import { type Instrument, simulatedMaster } from '../../../core/instruments/index.js'
import type { SymbolRef } from '../../../core/market/index.js'
import { toRef } from './symbol.js'

/** The prices of a case: positions are bought at their own price just before it, then its steps begin. */
export function scriptOf(scenario: Scenario, startsAt: number, seedsAt: number): ScriptedPrices[] {
  const bySymbol = new Map<string, { at: number; price: number }[]>()
  const add = (key: string, step: { at: number; price: number }) => {
    const steps = bySymbol.get(key)
    if (steps) steps.push(step)
    else bySymbol.set(key, [step])
  }
  for (const { symbol, exchange, average_price } of scenario.account?.positions ?? []) {
    add(`${exchange}:${symbol}`, { at: seedsAt, price: average_price })
  }
  for (const { afterMs, prices } of marketSteps(scenario)) {
    for (const [key, price] of Object.entries(prices)) add(key, { at: startsAt + afterMs, price })
  }
  return [...bySymbol].map(([key, steps]) => ({ symbol: toRef(key), steps }))
}

/** Symbols a case names: with their contracts, all that is listed while it runs. */
export function namedSymbols(scenario: Scenario, replays: readonly Replay[]): SymbolRef[] {
  const keys = new Set(marketSteps(scenario).flatMap(({ prices }) => Object.keys(prices)))
  for (const { symbol, exchange } of scenario.account?.positions ?? []) keys.add(`${exchange}:${symbol}`)
  return [...[...keys].map(toRef), ...replays.map(({ spot }) => spot)]
}

/** What is listed: the symbols that are named, and the contracts on them. */
export function masterOf(named: readonly SymbolRef[], now: number): Instrument[] {
  const keys = new Set(named.map(({ exchange, symbol }) => `${exchange}:${symbol}`))
  const names = new Set(named.map(({ symbol }) => symbol))
  const rows: Instrument[] = []
  const almanac = new Almanac(
    SEED_HOLIDAYS.map((holiday, id) => ({ ...holiday, id })),
    SEED_TIMINGS,
  )
  const isHoliday = (exchange: string, date: string) => !almanac.isTradingDay(exchange, date)
  for (const chunk of simulatedMaster({ now, isHoliday })) {
    for (const row of chunk) {
      const isContract =
        row.expiry !== '' && (names.has(row.name) || named.some(({ symbol }) => symbol === row.symbol))
      if (keys.has(`${row.exchange}:${row.symbol}`) || isContract) rows.push(row)
    }
  }
  return rows
}
