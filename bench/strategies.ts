import { StrategyRun } from '../src/core/strategies/engine/index.js'
import type { Run, RunDefinition, RunLeg } from '../src/core/strategies/engine/types.js'

/**
 * Measures what ticks cost the engine: 200 runs of four legs each with stop, target and trail. `npx tsx bench/strategies.ts [symbols]`:
 * with 4 symbols each tick concerns 200 legs.
 * It prints the time per tick and the share of a core at 1,000 ticks a second.
 */

const RUNS = 200
const TICKS = 1_000_000
const SYMBOLS = Number(process.argv[2] ?? 400)

function legOf(id: number, symbol: string): RunLeg {
  return {
    id,
    symbol,
    exchange: 'NFO',
    position: id % 2 === 0 ? 'S' : 'B',
    quantity: 75,
    product: 'NRML',
    risk: { unit: 'points', stop: 50, target: 50, trail: { x: 30, y: 0 } },
    reentry: null,
    squareOffAt: 9e12,
  }
}

function definitionOf(runId: number): RunDefinition {
  return {
    runId,
    strategyId: runId,
    strategyName: 'Bench',
    kind: 'batch',
    mode: 'sandbox',
    trigger: 'manual',
    legs: [1, 2, 3, 4].map((id) => legOf(id, `S${(runId * 4 + id) % SYMBOLS}`)),
    risk: {
      overallStop: 1e6,
      overallTarget: 1e6,
      dailyLossLimit: 1e6,
      lockProfit: { mode: 'lock_and_trail', ifProfitReaches: 9e5, lockProfit: 1e5, trailStep: 1e4 },
      trailToEntry: true,
    },
    earlierRealized: 0,
    exitAt: 9e12,
  }
}

function openRun(runId: number): Run {
  let made = 0
  const ids = { order: () => `o${runId}-${++made}`, position: () => `p${runId}-${++made}` }
  const run = StrategyRun.start(definitionOf(runId), ids, 0)
  for (const effect of run.apply({ type: 'start', at: 0 })) {
    if (effect.type !== 'place') continue
    const { id, quantity } = effect.order
    run.apply({
      type: 'order',
      orderId: id,
      status: 'complete',
      filledQuantity: quantity,
      averagePrice: 100,
      at: 0,
    })
  }
  return run
}

const bySymbol = new Map<string, Run[]>()
for (let runId = 1; runId <= RUNS; runId++) {
  const run = openRun(runId)
  for (const { symbol } of run.symbols) bySymbol.set(symbol, [...(bySymbol.get(symbol) ?? []), run])
}

function feed(ticks: number, isMoving: boolean): number {
  const began = process.hrtime.bigint()
  for (let i = 0; i < ticks; i++) {
    const symbol = `S${i % SYMBOLS}`
    const price = isMoving ? 95 + ((i + 7 * Math.floor(i / SYMBOLS)) % 200) / 20 : 100
    for (const run of bySymbol.get(symbol) ?? [])
      run.apply({ type: 'tick', symbol, exchange: 'NFO', price, at: i })
  }
  return Number(process.hrtime.bigint() - began) / ticks
}

feed(200_000, true)
const moving = feed(TICKS, true)
feed(SYMBOLS, false)
const still = feed(TICKS, false)
const held = [...bySymbol.values()].reduce((sum, runs) => sum + runs.length, 0)
console.log(`${RUNS} runs, ${held} legs, ${TICKS} ticks`)
console.log(
  `a tick that moves the price: ${(moving / 1000).toFixed(2)} µs, ${(moving / 10_000).toFixed(3)} % of a core at 1,000 ticks/s`,
)
console.log(
  `a tick that changes nothing: ${(still / 1000).toFixed(2)} µs, ${(still / 10_000).toFixed(3)} % of a core at 1,000 ticks/s`,
)
