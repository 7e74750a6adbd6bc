import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Instrument } from '../../src/core/instruments/schema.js'
import { silentLogger } from '../../src/core/logging/index.js'
import type { SymbolRef, TickHub } from '../../src/core/market/index.js'
import type { OrderRequest } from '../../src/core/orders/schema.js'
import type { Sandbox } from '../../src/core/sandbox/index.js'
import { loadMarket, loadSandbox, loadStorage, loadTime } from '../compiled.js'
import { tickAt } from '../load/tick.js'
import type { Row } from '../report.js'
import { type Benchmark, median, type Run, timed } from '../run.js'

const USER = 'asha'
const CALLERS = 64
const WAITING = [1_000, 10_000]
/** A tick that acts on nothing. */
const TICK_GOAL = { of: 'value', atMost: 1 } as const
const SBIN: SymbolRef = { symbol: 'SBIN', exchange: 'NSE' }

/** The sandbox without a server around it. */
export const sandbox: Benchmark = {
  name: 'sandbox',
  summary: 'placements in the process, what a tick costs while orders wait, and their cancellation',
  async run(run) {
    const rig = await openRig(run)
    const placements = await placementsPerSecond(rig, run)
    const ticks: Row[] = []
    let placed = 0
    for (const count of WAITING) {
      await placeFar(rig, placed, count)
      placed = count
      const { waiting, nobody } = await tickCost(rig, run)
      const name = `tick, ${count.toLocaleString('en-US')} orders wait on it`
      ticks.push({ name, value: waiting, floor: nobody, unit: 'µs', goal: TICK_GOAL })
    }
    const longest = await longestHold(() => rig.sandbox.cancelAll(USER))
    await rig.close()
    return [
      { name: `sandbox placements, ${CALLERS} callers`, value: placements, unit: 'orders/s' },
      ...ticks,
      {
        name: `cancelling ${placed.toLocaleString('en-US')} orders, longest hold of the main thread`,
        value: longest,
        unit: 'ms',
      },
    ]
  },
}

interface Rig {
  sandbox: Sandbox
  hub: TickHub
  close(): Promise<void>
}

/** Creates a sandbox on a hub whose last tick answers every price query. */
async function openRig(run: Run): Promise<Rig> {
  const [{ Database }, { Sandbox }, { TickHub }, { SystemClock }] = await Promise.all([
    loadStorage(),
    loadSandbox(),
    loadMarket(),
    loadTime(),
  ])
  const clock = new SystemClock()
  const hub = new TickHub({ clock, onListenerError: (error) => console.error(error) })
  const db = await Database.open({ file: join(run.folder(), 'sandbox.db'), schema: 'sandbox' })
  const sandbox = await Sandbox.open({
    db,
    clock,
    calendar: {
      sessionOf: (_exchange, date) => ({
        open: Date.parse(`${date}T00:00:00+05:30`),
        close: Date.parse(`${date}T23:59:59+05:30`),
      }),
      isSettlementDay: () => true,
    },
    instruments: { find: instrument, freezeQuantity: () => undefined },
    market: {
      quote: async (ref) => tickAt(ref, 800),
      watch: (ref, listener) => hub.subscribe([ref], 2, listener),
      alwaysOpen: () => true,
    },
    publish: () => undefined,
    log: silentLogger,
  })
  await sandbox.start()
  return {
    sandbox,
    hub,
    close: async () => {
      await sandbox.stop()
      await db.close()
    },
  }
}

async function placementsPerSecond({ sandbox }: Rig, run: Run): Promise<number> {
  const each = run.pick(150, 40, 10)
  const caller = async () => {
    for (let i = 0; i < each; i++) {
      const outcome = await sandbox.place(USER, order({ action: i % 2 === 0 ? 'BUY' : 'SELL' }))
      if (!outcome.ok) throw new Error(outcome.message)
    }
  }
  const rounds: number[] = []
  for (let round = 0; round < 6; round++) {
    const ms = await timed(() => Promise.all(Array.from({ length: CALLERS }, caller)))
    rounds.push((CALLERS * each * 1000) / ms)
  }
  // The first round warms up.
  return median(rounds.slice(1))
}

/** Places limit orders that no tick of this benchmark fills. */
async function placeFar({ sandbox }: Rig, from: number, to: number): Promise<void> {
  const far = Array.from({ length: to - from }, (_, i) =>
    sandbox.place(
      USER,
      order({ priceType: 'LIMIT', price: 100 + ((from + i) % 10_000) * 0.05, quantity: 1 }),
    ),
  )
  for (const outcome of await Promise.all(far)) if (!outcome.ok) throw new Error(outcome.message)
}

/** Returns the longest time in milliseconds without a turn of the event loop while `work` runs. */
async function longestHold(work: () => Promise<unknown>): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  // The first sample is one of the idle loop.
  await new Promise((resolve) => setTimeout(resolve, 50))
  delay.reset()
  await work()
  await new Promise((resolve) => setTimeout(resolve, 50))
  delay.disable()
  return delay.max / 1e6
}

/**
 * Returns the microseconds per tick for a symbol with waiting limit orders that the tick does not fill, and
 * for a symbol without followers.
 */
async function tickCost({ hub }: Rig, run: Run): Promise<{ waiting: number; nobody: number }> {
  const ticks = run.pick(5000, 1000, 200)
  const perTick = async (ref: SymbolRef) => {
    const ms = await timed(() => {
      for (let i = 0; i < ticks; i++) hub.publish(tickAt(ref, 800 + (i % 20) * 0.05))
    })
    return (ms * 1000) / ticks
  }
  const rounds: { waiting: number; nobody: number }[] = []
  for (let round = 0; round < 6; round++) {
    rounds.push({ nobody: await perTick({ ...SBIN, symbol: 'INFY' }), waiting: await perTick(SBIN) })
  }
  const over = (kind: 'waiting' | 'nobody') => median(rounds.slice(1).map((round) => round[kind]))
  return { waiting: over('waiting'), nobody: over('nobody') }
}

function order(fields: Partial<OrderRequest>): OrderRequest {
  return {
    strategy: 'benchmark',
    symbol: 'SBIN',
    exchange: 'NSE',
    action: 'BUY',
    quantity: 10,
    product: 'MIS',
    priceType: 'MARKET',
    price: 0,
    triggerPrice: 0,
    disclosedQuantity: 0,
    ...fields,
  }
}

export function instrument(symbol: string): Instrument {
  return {
    symbol,
    brokerSymbol: symbol,
    name: symbol,
    exchange: 'NSE',
    brokerExchange: 'NSE',
    token: '1',
    expiry: '',
    strike: 0,
    lotSize: 1,
    instrumentType: 'EQ',
    tickSize: 0.05,
  }
}
