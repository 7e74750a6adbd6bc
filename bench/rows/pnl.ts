import type { DayInstrument } from '../../src/core/pnl/index.js'
import { loadPnl } from '../compiled.js'
import { type Benchmark, median } from '../run.js'

const POSITIONS = 50
const BARS = 375
const TRADES = 8
const GOAL_MS = 50
const MINUTE_MS = 60_000
const DATE = '2026-11-20'
const OPENS = Date.parse(`${DATE}T09:15:00+05:30`)

/** The profit and loss of a day, once the bars are in memory, beside the sum of as many products of bigints. */
export const pnl: Benchmark = {
  name: 'pnl',
  summary: `P&L of ${POSITIONS} positions, each with ${TRADES} trades, over ${BARS} minute bars`,
  async run(run) {
    const { pnlOf } = await loadPnl()
    const instruments = Array.from({ length: POSITIONS }, (_, n) => instrumentOf(n))
    const day = { date: DATE, now: OPENS + BARS * MINUTE_MS, instruments, bookProfit: undefined }
    const rounds: { value: number; floor: number }[] = []
    for (let round = 0; round <= run.rounds(31, 5); round++) {
      const value = timed(() => pnlOf(day))
      const floor = timed(() => products(instruments))
      // The first round warms up.
      if (round > 0) rounds.push({ value, floor })
    }
    return [
      {
        name: `P&L of ${POSITIONS} positions, ${BARS} bars each`,
        value: median(rounds.map(({ value }) => value)),
        floor: median(rounds.map(({ floor }) => floor)),
        unit: 'ms',
        goal: { of: 'value', atMost: GOAL_MS },
      },
    ]
  },
}

/** Every second instrument was carried from the day before. */
function instrumentOf(n: number): DayInstrument {
  const closes = Array.from({ length: BARS }, (_, minute) =>
    BigInt(1_000_000 + n * 1000 + ((minute * 37) % 900)),
  )
  return {
    trades: Array.from({ length: TRADES }, (_, trade) => ({
      action: (trade + n) % 3 === 0 ? 'SELL' : 'BUY',
      units: 7_500_000_000n,
      price: 1_000_000n + BigInt(trade),
      at: OPENS + (trade * 40 + (n % 40)) * MINUTE_MS,
    })),
    carried: n % 2 === 0 ? { units: 15_000_000_000n, close: 1_000_000n } : undefined,
    bars: { stamps: closes.map((_, minute) => OPENS + minute * MINUTE_MS), closes },
  }
}

function products(instruments: readonly DayInstrument[]): bigint {
  let sum = 0n
  for (const { bars } of instruments) for (const close of bars.closes) sum += close * 7_500_000_000n
  return sum
}

function timed(work: () => unknown): number {
  const startedAt = performance.now()
  work()
  return performance.now() - startedAt
}
