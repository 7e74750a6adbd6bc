import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { draftOf } from '../../../../src/core/sandbox/engine/acceptance.js'
import { Engine } from '../../../../src/core/sandbox/engine/engine.js'
import type { Decision } from '../../../../src/core/sandbox/engine/execution.js'
import { type Account, SandboxState } from '../../../../src/core/sandbox/engine/state.js'
import { SandboxSettings } from '../../../../src/core/sandbox/settings.js'
import { Changes } from '../../../../src/core/sandbox/storage/changes.js'
import { rounds } from '../../../support/chance/chance.js'
import {
  almanac,
  findInstrument,
  INSTRUMENTS,
  orderOf,
  quoteOf,
  randomFrom,
  TEN_O_CLOCK,
  USER,
} from '../harness.js'

const NOW = Date.parse(TEN_O_CLOCK)
const instruments = { find: findInstrument, freezeQuantity: () => undefined }

function newEngine(): Engine {
  let orders = 26031300000000
  return new Engine(new SandboxState(), new SandboxSettings([['equity_mis_leverage', '7']]), {
    instruments,
    calendar: almanac(),
    alwaysOpen: () => false,
    priceBand: () => undefined,
    stopped: () => undefined,
    nextOrderId: () => String(orders++),
  })
}

function decision(): Decision {
  return { changes: new Changes(), now: NOW, session: '2026-03-12' }
}

function owned(engine: Engine): Account {
  return engine.account(USER, decision())
}

/** Cash is conserved, and every unit of used margin belongs to a position or a waiting order. */
function audit(engine: Engine): void {
  const { funds, positions } = owned(engine)
  if (funds.available + funds.used !== funds.capital + funds.realized)
    throw new Error('cash is not conserved')
  let margin = 0n
  let realized = 0n
  for (const position of positions.values()) {
    margin += position.margin
    realized += position.realized
    const flat = position.quantity === 0
    if (flat && (position.cost !== 0n || position.margin !== 0n))
      throw new Error('a flat position holds money')
    if (position.cost < 0n || position.margin < 0n) throw new Error('a position owes money')
  }
  for (const order of engine.state.waiting.values()) margin += order.margin
  if (margin !== funds.used)
    throw new Error(`used margin ${funds.used} is not the sum of its parts ${margin}`)
  if (realized !== funds.realized) throw new Error('realised profit is not the sum of the positions')
}

describe('the ledger', () => {
  it('balances after each of 10,000 random orders, ticks, changes and cancels', () => {
    const random = randomFrom(7)
    const engine = newEngine()
    let trades = 0
    for (let step = 0; step < 10_000; step++) {
      const current = decision()
      const one = INSTRUMENTS[random(INSTRUMENTS.length)]
      if (!one) continue
      const ref = { symbol: one.symbol, exchange: one.exchange }
      const price = 50 + random(20_000) / 400
      const waiting = [...engine.state.waiting.values()]
      const chosen = waiting[random(Math.max(1, waiting.length))]
      const choice = random(10)
      if (choice < 4) {
        const priceType = (['MARKET', 'LIMIT', 'SL', 'SL-M'] as const)[random(4)]
        const product =
          one.exchange === 'NSE' || one.exchange === 'BSE' ? (['MIS', 'CNC'] as const)[random(2)] : 'NRML'
        const action = random(2) === 0 ? 'BUY' : 'SELL'
        const trigger = 1_000 + random(1_000)
        const request = orderOf({
          ...ref,
          action,
          priceType,
          product,
          quantity: one.lotSize * (1 + random(200)),
          // In ticks of every instrument; the limit of an SL order lies behind its trigger price.
          price: (trigger + random(40) * (action === 'BUY' ? 1 : -1)) / 20,
          triggerPrice: trigger / 20,
        })
        const draft = draftOf(request, instruments)
        if ('message' in draft) throw new Error(draft.message)
        engine.place(
          { userId: USER, orderId: String(26031200000000 + step) },
          draft,
          quoteOf(ref, price),
          current,
        )
      } else if (choice < 8 || !chosen) {
        engine.tick(quoteOf(ref, `${price}/${price - 0.05}/${price + 0.05}`), current)
      } else if (choice === 8) {
        engine.cancel(chosen, current)
      } else {
        const quantity = (findInstrument(chosen.symbol, chosen.exchange)?.lotSize ?? 1) * (1 + random(300))
        engine.modify(chosen, { quantity, price: 0, triggerPrice: 0 }, quoteOf(chosen, price), current)
      }
      trades += current.changes.trades.size
      audit(engine)
    }
    expect(trades).toBeGreaterThan(2_000)
    for (const order of [...engine.state.waiting.values()]) engine.cancel(order, decision())
    audit(engine)
  })

  it('equals the initial cash plus profit when everything is closed, after any history', () => {
    const trade = fc.record({
      action: fc.constantFrom('BUY' as const, 'SELL' as const),
      quantity: fc.integer({ min: 1, max: 1_000 }),
      paise: fc.integer({ min: 1, max: 100_000 }),
    })
    fc.assert(
      fc.property(fc.array(trade, { maxLength: 40 }), (trades) => {
        const engine = newEngine()
        for (const { action, quantity, paise } of trades) {
          const draft = draftOf(orderOf({ action, quantity }), instruments)
          if ('message' in draft) throw new Error(draft.message)
          engine.place(
            { userId: USER, orderId: '26031200000000' },
            draft,
            quoteOf(draft.request, paise / 100),
            decision(),
          )
          audit(engine)
        }
        const ref = { symbol: 'SBIN', exchange: 'NSE', product: 'MIS' } as const
        engine.close(USER, ref, 'test', quoteOf(ref, 1), decision())
        const { funds } = owned(engine)
        expect(funds.used).toBe(0n)
        expect(funds.available).toBe(funds.capital + funds.realized)
      }),
      { numRuns: rounds(300) },
    )
  })
})
