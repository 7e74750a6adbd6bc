import { describe, expect, it } from 'vitest'
import { InMemoryDirectory } from '../../../../src/core/instruments/index.js'
import {
  ListedMarket,
  type Quote,
  type QuoteOrError,
  type SymbolRef,
} from '../../../../src/core/market/index.js'
import { QuoteAnswers } from '../../../../src/daemon/operations/market/quote-answers.js'
import { INSTRUMENTS } from '../../../core/brokers/simulated/support.js'

const SBIN = { symbol: 'SBIN', exchange: 'NSE' } as const
const INFY = { symbol: 'INFY', exchange: 'NSE' } as const

function quoteOf(ref: SymbolRef, ltp: number): Quote {
  return {
    ...ref,
    ltp,
    bid: ltp - 0.05,
    ask: ltp + 0.05,
    bidSize: 100,
    askSize: 200,
    open: ltp,
    high: ltp,
    low: ltp,
    prevClose: ltp,
    volume: 1000,
    oi: 0,
    timestamp: 0,
  }
}

/** Answers from a broker that gives out the same quote until its price changes, in a new list each time. */
function openDesk() {
  const quotes = new Map<string, Quote>([SBIN, INFY].map((ref) => [ref.symbol, quoteOf(ref, 970)]))
  const source = {
    quote: () => Promise.reject(new Error('not asked for')),
    depth: () => Promise.reject(new Error('not asked for')),
    quotes: async (refs: readonly SymbolRef[]): Promise<QuoteOrError[]> =>
      refs.map(({ symbol }) => quotes.get(symbol) ?? { error: 'The exchange is closed' }),
  }
  const listed = new ListedMarket(source, InMemoryDirectory.of(INSTRUMENTS))
  const answers = new QuoteAnswers(listed)
  return {
    ask: (symbols: Parameters<QuoteAnswers['of']>[0]) => answers.of(symbols),
    asIfNew: (symbols: Parameters<QuoteAnswers['of']>[0]) => new QuoteAnswers(listed).of(symbols),
    trade: (ref: SymbolRef, ltp: number) => quotes.set(ref.symbol, quoteOf(ref, ltp)),
    halt: (ref: SymbolRef) => quotes.delete(ref.symbol),
  }
}

describe('the answer to a list of symbols that is asked for again', () => {
  const list = Object.freeze([SBIN, INFY])

  it('is the same while no quote is another', async () => {
    const desk = openDesk()
    const first = await desk.ask(list)
    expect(await desk.ask(list)).toBe(first)
    expect(first).toEqual(await desk.asIfNew([...list]))
  })

  it('follows the price of one symbol', async () => {
    const desk = openDesk()
    const first = await desk.ask(list)
    desk.trade(INFY, 971)
    const next = await desk.ask(list)
    expect(next).not.toEqual(first)
    expect(next).toEqual(await desk.asIfNew([...list]))
  })

  it('follows a symbol that has no quote any more', async () => {
    const desk = openDesk()
    await desk.ask(list)
    desk.halt(SBIN)
    expect((await desk.ask(list)).results[0]).toEqual({ ...SBIN, error: 'The exchange is closed' })
  })

  it('is made each time for a list that its owner may change', async () => {
    const desk = openDesk()
    const symbols = [SBIN, INFY]
    expect((await desk.ask(symbols)).results).toHaveLength(2)
    symbols.pop()
    expect((await desk.ask(symbols)).results).toHaveLength(1)
  })
})
