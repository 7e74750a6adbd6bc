import type { RunDefinition, StrategyRun } from '../../../src/core/strategies/engine/index.js'
import { loadStrategies } from '../../compiled.js'
import type { Row } from '../../report.js'
import { type Benchmark, type Run, timed } from '../../run.js'

const RUNS = 200
const LEGS = 4
const TICKS_PER_SECOND = 1_000
const SHARE_PERCENT = 30
const MINUTES = 375
const SYMBOLS = ['NIFTY24NOV2626000CE', 'NIFTY24NOV2626000PE', 'NIFTY24NOV2626100CE', 'NIFTY24NOV2625900PE']

/** The engine of strategies under ticks, and the speed of a replay. */
export const strategies: Benchmark = {
  name: 'strategies',
  summary: `${RUNS} runs with ${LEGS} legs each at ${TICKS_PER_SECOND} ticks a second; a replay in bars per second`,
  async run(run) {
    return [await ticks(run, RUNS * LEGS), await ticks(run, LEGS), await replaySpeed(run)]
  },
}

/** Measures the time of the ticks of some seconds. With few contracts, a tick concerns every run. */
async function ticks(run: Run, contracts: number): Promise<Row> {
  const { StrategyRun: Engine } = await loadStrategies()
  let made = 0
  const ids = { order: () => `o${++made}`, position: () => `p${++made}` }
  const byContract = new Map<number, StrategyRun[]>()
  for (let number = 0; number < RUNS; number++) {
    const numbers = Array.from({ length: LEGS }, (_, leg) => (number * LEGS + leg) % contracts)
    const one = Engine.start(definition(number, numbers), ids, 0)
    for (const effect of one.apply({ type: 'start', at: 0 })) {
      if (effect.type !== 'place') continue
      const { id: orderId, quantity } = effect.order
      one.apply({ type: 'ack', orderId, at: 0, ack: { outcome: 'accepted', brokerOrderId: orderId } })
      const news = { status: 'complete', filledQuantity: quantity, averagePrice: 100 } as const
      one.apply({ type: 'order', orderId, at: 0, ...news })
    }
    for (const contract of numbers) byContract.set(contract, [...(byContract.get(contract) ?? []), one])
  }
  const seconds = run.seconds(30, 5)
  let wrong = 0
  const ms = await timed(() => {
    for (let tick = 0; tick < seconds * TICKS_PER_SECOND; tick++) {
      const contract = (tick * 7) % contracts
      // A price that changes with each tick and stays between stop and target.
      const price = 100 + ((tick * 13) % 97) / 20
      const input = { type: 'tick', symbol: `S${contract}`, exchange: 'NFO', price, at: tick } as const
      for (const one of byContract.get(contract) ?? []) wrong += one.apply(input).length
    }
  })
  if (wrong > 0) throw new Error('a tick of the benchmark has an effect')
  return {
    name: `${RUNS} runs of ${LEGS} legs, ${TICKS_PER_SECOND.toLocaleString('en-US')} ticks a second in ${contracts} contracts`,
    value: ms / (seconds * 10),
    unit: '% of a core',
    goal: { of: 'value', atMost: SHARE_PERCENT },
  }
}

function definition(number: number, contracts: readonly number[]): RunDefinition {
  return {
    runId: number,
    strategyId: number,
    strategyName: 'benchmark',
    kind: 'batch',
    mode: 'sandbox',
    trigger: 'manual',
    earlierRealized: 0,
    exitAt: null,
    date: '2026-11-20',
    legs: contracts.map((contract, index) => ({
      id: index + 1,
      symbol: `S${contract}`,
      exchange: 'NFO',
      position: 'B',
      quantity: 75,
      product: 'NRML',
      risk: { unit: 'points', stop: 90, target: 90, trail: { x: 50, y: 10 } },
      reentry: null,
      squareOffAt: null,
      expiry: null,
    })),
    risk: {
      overallStop: 1_000_000,
      overallTarget: 1_000_000,
      dailyLossLimit: 1_000_000,
      lockProfit: { mode: 'lock_and_trail', ifProfitReaches: 900_000, lockProfit: 1000, trailStep: 1000 },
      trailToEntry: false,
    },
  }
}

/** Plays four legs over days of one-minute bars, with the usual ticks of a bar. */
async function replaySpeed(run: Run): Promise<Row> {
  const { DEFAULT_STEPS, NO_SLIPPAGE, openReplay, parseStrategy } = await loadStrategies()
  const days = run.pick(20, 3, 1)
  const replayer = openReplay({
    bars: SYMBOLS.map((symbol, index) => ({ name: symbol, text: barsOf(symbol, index, days) })),
    signals: [],
    intervalMs: undefined,
    contracts: new Map(SYMBOLS.map((symbol, index) => [index + 1, symbol])),
    lotSizes: new Map(),
    slippage: NO_SLIPPAGE,
    steps: DEFAULT_STEPS,
  })
  const leg = {
    segment: 'options',
    position: 'S',
    lots: 1,
    expiry: 'weekly',
    sl_pts: 30,
    risk_unit: 'percent',
  }
  const config = parseStrategy({
    name: 'Benchmark',
    underlying: 'NIFTY',
    underlying_exchange: 'NSE_INDEX',
    product: 'MIS',
    entry_time: '09:16',
    exit_time: '15:29',
    legs: ['CE', 'PE', 'CE', 'PE'].map((option_type) => ({ ...leg, option_type })),
  })
  let bars = 0
  const ms = await timed(async () => {
    const { summary } = await replayer.play(config, async () => undefined)
    bars = summary.bars
    if (summary.runs !== days) throw new Error('a day of the benchmark has no run')
  })
  return {
    name: `replay of ${LEGS} legs over ${days} days of one-minute bars, ${3 * DEFAULT_STEPS + 1} ticks a bar`,
    value: (bars / ms) * 1000,
    unit: 'bars/s',
  }
}

/** Bars of weekdays before the expiry, whose prices swing without end. */
function barsOf(symbol: string, phase: number, days: number): string {
  const rows = ['symbol,exchange,time,open,high,low,close,volume,lot_size']
  const first = Date.parse('2026-11-23T09:15:00+05:30')
  for (let day = 0; day < days; day++) {
    for (let minute = 0; minute < MINUTES; minute++) {
      const at = new Date(first - day * 86_400_000 + minute * 60_000).toISOString()
      const open = 100 + 5 * Math.sin(phase + minute / 20)
      const close = 100 + 5 * Math.sin(phase + (minute + 1) / 20)
      const [high, low] = [Math.max(open, close) + 0.5, Math.min(open, close) - 0.5]
      const prices = [open, high, low, close].map((price) => price.toFixed(2))
      rows.push(`${symbol},NFO,${at},${prices.join(',')},1000,65`)
    }
  }
  return rows.join('\n')
}
