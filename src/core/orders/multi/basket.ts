import { fieldProblem } from '../place/field-rules.js'
import { baseOf, countsOf } from '../publish/publish.js'
import { ACTIONS, sideOf } from '../schema.js'
import type { MultiOrderKind } from './kind.js'
import { atOnce, type Pacing, type PlannedLeg, WAVE, WAVE_PAUSE_MS } from './plans/plan.js'
import { type BasketOrderPayload, basketOrderPayload, orderOf } from './schema.js'

/**
 * `basketorder`: every BUY is answered before the first SELL is sent. The results have the same order, in
 * either mode.
 */
export const BASKET_ORDER: MultiOrderKind<BasketOrderPayload, 'basketorder'> = {
  operation: 'basketorder',
  payload: basketOrderPayload,
  async plan({ strategy, orders }, { mode }) {
    const items = ACTIONS.flatMap((side) => orders.filter((item) => sideOf(item.action) === side))
    const legs = items.map((item, index): PlannedLeg => {
      const { symbol, exchange, product } = item
      const marks = { batch_order: true, is_last_order: index === items.length - 1 }
      const shown = { symbol, exchange, product, ...(mode === 'analyze' && marks) }
      const order = orderOf(item, strategy)
      const problem = fieldProblem(order)
      return problem === undefined
        ? { name: symbol, shown, orders: [{ shown: {}, order }] }
        : { name: symbol, shown, problem, orders: [] }
    })
    const sent = items.filter((_, index) => legs[index]?.problem === undefined)
    const buys = sent.filter((item) => sideOf(item.action) === 'BUY').length
    return {
      plan: { shape: 'list', head: mode === 'analyze' ? { mode } : {}, legs },
      pacing: mode === 'analyze' ? atOnce([...sent.keys()]) : wavesOf(buys, sent.length, WAVE, WAVE_PAUSE_MS),
      gated: true,
      resumable: true,
    }
  },
  publish({ strategy, orders }, { outcome }, ports) {
    const { result } = outcome
    const { successful } = countsOf(result)
    const facts = { ...baseOf(outcome), strategy, successful, total: orders.length }
    ports.publish({ topic: 'basket.completed', result, facts })
  },
}

/** Returns waves for the first `buys` orders, then separate waves for the others. */
function wavesOf(buys: number, count: number, size: number, pauseMs: number): Pacing {
  const chunks = (from: number, to: number) => {
    const waves: number[][] = []
    for (let start = from; start < to; start += size) {
      waves.push(Array.from({ length: Math.min(size, to - start) }, (_, offset) => start + offset))
    }
    return waves
  }
  return { waves: [...chunks(0, buys), ...chunks(buys, count)], pauseMs, perPause: size }
}
