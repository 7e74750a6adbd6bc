import { describe, expect, it } from 'vitest'
import type { Quote, QuoteOrError, SymbolRef } from '../../../../src/core/market/index.js'
import {
  ChainMemory,
  type OptionChain,
  type OptionSources,
  optionChain,
} from '../../../../src/core/options/index.js'
import { openRig } from '../support.js'

const REQUEST = {
  underlying: 'NIFTY',
  exchange: 'NSE_INDEX',
  expiryDate: '25AUG26',
  strikeCount: 2,
  withGreeks: true,
  interestRate: 0,
}

/** Sources whose broker gives out the same quote until its price changes. */
function openDesk() {
  const rig = openRig()
  const kept = new Map<string, QuoteOrError>()
  const { market } = rig.sources
  const quotes = async (refs: readonly SymbolRef[]) => {
    const fresh = await market.quotes(refs)
    return refs.map(({ symbol }, place) => {
      const answer = kept.get(symbol) ?? fresh[place] ?? { error: 'none' }
      kept.set(symbol, answer)
      return answer
    })
  }
  const quote = async (ref: SymbolRef): Promise<Quote> => {
    const [answer] = await quotes([ref])
    if (!answer || 'error' in answer) throw new Error('no quote')
    return answer
  }
  const sources: OptionSources = { ...rig.sources, market: { quote, quotes } }
  const memory = new ChainMemory<OptionChain>()
  return {
    clock: rig.clock,
    ask: (request: Partial<typeof REQUEST> = {}) => optionChain(sources, { ...REQUEST, ...request }, memory),
    asIfNew: () => optionChain(sources, REQUEST),
    trade: (symbol: string, ltp: number) => {
      const known = kept.get(symbol)
      if (!known || 'error' in known) throw new Error(`${symbol} has no quote`)
      kept.set(symbol, { ...known, ltp })
    },
  }
}

describe('a chain that was asked for before', () => {
  it('is the same object while nothing is different', async () => {
    const desk = openDesk()
    expect(await desk.ask()).toBe(await desk.ask())
  })

  it.each([
    ['an option', 'NIFTY25AUG2624500CE', 350],
    ['the underlying', 'NIFTY', 24561],
  ])('is computed again once %s has traded', async (_what, symbol, ltp) => {
    const desk = openDesk()
    const before = await desk.ask()
    desk.trade(symbol, ltp)
    const after = await desk.ask()
    expect(after).not.toEqual(before)
    expect(after).toEqual(await desk.asIfNew())
  })

  it('is computed again in the next second', async () => {
    const desk = openDesk()
    const before = await desk.ask()
    await desk.clock.advance(1000)
    const after = await desk.ask()
    expect(after.server_ts).toBe(before.server_ts + 1)
    expect(after).toEqual(await desk.asIfNew())
  })

  it('is another one for another request', async () => {
    const desk = openDesk()
    const before = await desk.ask()
    expect(await desk.ask({ interestRate: 7 })).not.toEqual(before)
    expect((await desk.ask({ withGreeks: false })).greeks_included).toBe(false)
    expect((await desk.ask({ strikeCount: 1 })).chain).toHaveLength(3)
    expect(await desk.ask()).toBe(before)
  })

  it('is forgotten after many others', async () => {
    const desk = openDesk()
    const before = await desk.ask()
    for (let rate = 1; rate <= 40; rate++) await desk.ask({ interestRate: rate })
    expect(await desk.ask()).not.toBe(before)
    expect(await desk.ask()).toEqual(before)
  })
})
