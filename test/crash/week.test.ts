import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Tick } from '../../src/core/market/schema.js'
import { rounds } from '../support/chance/chance.js'
import { collect } from '../support/collector.js'
import { TestDesk } from '../support/desk/desk.js'

const HOUR_MS = 3_600_000
const SAMPLES = 8
/** A simulated day in the ordinary run, weeks in `npm run torture`. */
const HOURS = rounds(24)
const TICKS_AN_HOUR = 2_000
const ORDERS_AN_HOUR = 5

/** Returns the number of open files and sockets of this process, on systems that report it. */
function openHandles(): number {
  try {
    return readdirSync('/proc/self/fd').length
  } catch {
    return process.getActiveResourcesInfo().length
  }
}

/**
 * Returns the slope of a line through the values, over their whole length, as a fraction of the first value.
 */
function growth(values: readonly number[]): number {
  const middle = (values.length - 1) / 2
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  let [rise, run] = [0, 0]
  for (const [index, value] of values.entries()) {
    rise += (index - middle) * (value - mean)
    run += (index - middle) ** 2
  }
  return ((rise / run) * (values.length - 1)) / (values[0] ?? 1)
}

function tickOf(ltp: number, timestamp: number): Tick {
  return {
    symbol: 'SBIN',
    exchange: 'NSE',
    ltp,
    timestamp,
    open: 800,
    high: 810,
    low: 790,
    prevClose: 800,
    volume: 1,
    oi: 0,
    bid: ltp,
    ask: ltp,
    bidSize: 1,
    askSize: 1,
    lastQuantity: 1,
    averagePrice: 800,
    totalBuyQuantity: 1,
    totalSellQuantity: 1,
  }
}

test('memory and open handles do not grow over days of prices and orders', async () => {
  const desk = await TestDesk.open()
  const { hub, sandbox, settings, stream } = desk.service
  await sandbox.start()
  await settings.setAnalyzeMode(true)
  await desk.place({ pricetype: 'LIMIT', price: 760 })
  const samples: { heap: number; handles: number }[] = []
  for (let hour = 0; hour < HOURS; hour++) {
    for (let order = 0; order < ORDERS_AN_HOUR; order++) {
      await desk.place({ action: order % 2 === 0 ? 'BUY' : 'SELL' })
      for (let tick = 0; tick < TICKS_AN_HOUR / ORDERS_AN_HOUR; tick++) {
        hub.publish(tickOf(800 + (tick % 10), desk.clock.now()))
      }
      await desk.clock.advance(HOUR_MS / ORDERS_AN_HOUR)
    }
    await desk.service.bus.idle()
    desk.events.length = 0
    if ((hour + 1) % Math.max(1, Math.floor(HOURS / SAMPLES)) === 0) {
      collect()
      samples.push({ heap: process.memoryUsage().heapUsed, handles: openHandles() })
    }
  }
  expect(stream.lastSeq).toBeGreaterThan(0)
  // The first samples still fill caches and the ring of recent events.
  const settled = samples.slice(Math.floor(SAMPLES / 4))
  expect(growth(settled.map(({ heap }) => heap))).toBeLessThan(0.05)
  expect(new Set(settled.map(({ handles }) => handles)).size).toBe(1)
}, 600_000)
