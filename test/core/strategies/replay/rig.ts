import { Almanac, SEED_HOLIDAYS, SEED_TIMINGS } from '../../../../src/core/calendar/index.js'
import { parseStrategy, type StrategyConfig } from '../../../../src/core/strategies/config/index.js'
import {
  type BarFile,
  NO_SLIPPAGE,
  RecordedContracts,
  type ReplayReport,
  type ReplayRequest,
  readBars,
  readSignals,
  replay,
} from '../../../../src/core/strategies/replay/index.js'

export const ALMANAC = new Almanac(
  SEED_HOLIDAYS.map((holiday, id) => ({ ...holiday, id })),
  SEED_TIMINGS,
)
export const CALL = 'NIFTY24NOV2626000CE'
export const PUT = 'NIFTY24NOV2626000PE'

/** A short straddle of one lot a side on 20 November 2026, 09:20 to 15:15. */
export function straddle(more: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  const leg = { segment: 'options', position: 'S', lots: 1, expiry: 'weekly' }
  return {
    name: 'Straddle',
    underlying: 'NIFTY',
    underlying_exchange: 'NSE_INDEX',
    product: 'MIS',
    entry_time: '09:20',
    exit_time: '15:15',
    legs: [
      { ...leg, option_type: 'CE' },
      { ...leg, option_type: 'PE' },
    ],
    ...more,
  }
}

/** A strategy that trades SBIN by signals. */
export function signalStrategy(more: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    name: 'Signals',
    strategy_kind: 'signal',
    underlying: 'SBIN',
    underlying_exchange: 'NSE',
    product: 'MIS',
    entry_time: '09:20',
    exit_time: '15:15',
    legs: [{ symbol: 'SBIN', exchange: 'NSE', qty: 10 }],
    ...more,
  }
}

/** `09:20 26000 26010 25990 26005`, with a date before the time for another day than 20 November. */
type Row = string

/** Returns a file of bars: a row for each line, its contract before the colon. */
export function bars(contract: string, rows: readonly Row[], lotSize = 75): BarFile {
  const [exchange, symbol] = contract.split(':')
  const lines = rows.map((row) => {
    const cells = row.split(' ')
    const date = cells[0]?.includes('-') ? cells.shift() : '2026-11-20'
    const [time, ...prices] = cells
    return `${symbol},${exchange},${date} ${time},${prices.join(',')},100,${exchange === 'NFO' ? lotSize : ''}`
  })
  const heading = 'symbol,exchange,time,open,high,low,close,volume,lot_size'
  return { name: `${symbol}.csv`, text: `${[heading, ...lines].join('\n')}\n` }
}

/** A bar without a move. */
export const flat = (time: string, price: number): Row => `${time} ${price} ${price} ${price} ${price}`

export interface PlayOptions extends Partial<Pick<ReplayRequest, 'slippage' | 'steps'>> {
  signals?: string
  chosen?: Readonly<Record<number, string>>
  lotSizes?: Readonly<Record<string, number>>
  intervalMs?: number
}

export function requestOf(
  config: StrategyConfig | Record<string, unknown>,
  files: readonly BarFile[],
  { chosen = {}, intervalMs = 60_000, lotSizes = {}, signals, ...more }: PlayOptions = {},
): ReplayRequest {
  const recording = readBars(files, intervalMs)
  const refs = Object.entries(chosen).map(
    ([id, symbol]) => [Number(id), { symbol, exchange: 'NFO' }] as const,
  )
  const choice = { almanac: ALMANAC, chosen: new Map(refs), lotSizes: new Map(Object.entries(lotSizes)) }
  return {
    config: parseStrategy(config),
    recording,
    signals: signals === undefined ? [] : readSignals([{ name: 'signals.csv', text: signals }]),
    slippage: NO_SLIPPAGE,
    steps: 1,
    contracts: new RecordedContracts(recording, choice),
    ...more,
  }
}

/** Plays a strategy with four ticks a bar, so that a test can name every price. */
export function play(...given: Parameters<typeof requestOf>): ReplayReport {
  return replay(requestOf(...given))
}

export const tradeLines = ({ trades }: ReplayReport): string[] =>
  trades.map(
    ({ entry_price, entry_time, exit_kind, exit_price, exit_time, leg_id, pnl, quantity, side, symbol }) =>
      `${leg_id} ${side} ${quantity} ${symbol} ${entry_time.slice(11, 19)} ${entry_price} ` +
      `${exit_time?.slice(11, 19) ?? '-'} ${exit_price ?? '-'} ${exit_kind ?? 'open'} ${pnl}`,
  )
