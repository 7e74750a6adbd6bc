import { describe, expect, it } from 'vitest'
import { PriceScript } from '../../../../src/core/brokers/simulated/replay/price-script.js'
import type { SymbolRef } from '../../../../src/core/market/schema.js'
import { connect, contractIn, FRIDAY_11, testMarket } from './support.js'

const SBIN = { symbol: 'SBIN', exchange: 'NSE' }
const SYMBOLS: readonly SymbolRef[] = [
  SBIN,
  { symbol: 'INFY', exchange: 'NSE' },
  { symbol: 'NOPE', exchange: 'NSE' },
]

describe('the quotes of a list that nobody changes', () => {
  it('are the same list within a second, and those of its symbols in the next one', async () => {
    const { client, clock } = connect()
    const list = Object.freeze([...SYMBOLS])
    const first = await client.market.quotes(list)
    expect(await client.market.quotes(list)).toBe(first)
    expect(await client.market.quotes([...SYMBOLS])).toEqual(first)
    await clock.advance(1000)
    const next = await client.market.quotes(list)
    expect(next[0]).not.toEqual(first[0])
    expect(next).toEqual(await client.market.quotes([...SYMBOLS]))
  })

  it('are not kept for a list that may change', async () => {
    const { client } = connect()
    const list = [...SYMBOLS]
    expect(await client.market.quotes(list)).toHaveLength(3)
    list.pop()
    expect(await client.market.quotes(list)).toHaveLength(2)
  })

  it('end with a scripted price', () => {
    const market = testMarket()
    const second = FRIDAY_11 / 1000
    const list = Object.freeze([SBIN])
    market.keepQuotes(list, second, [market.quote(contractIn(market, 'NSE', 'SBIN'), second)])
    expect(market.keptQuotes(list, second)).toHaveLength(1)
    expect(market.keptQuotes(list, second + 1)).toBeUndefined()
    market.script(SBIN, new PriceScript([{ at: FRIDAY_11, price: 500 }]))
    expect(market.keptQuotes(list, second)).toBeUndefined()
  })

  it('of another second are not kept', () => {
    const market = testMarket()
    const second = FRIDAY_11 / 1000
    const list = Object.freeze([SBIN])
    const quote = market.quote(contractIn(market, 'NSE', 'SBIN'), second)
    market.quote(contractIn(market, 'NSE', 'INFY'), second + 1)
    market.keepQuotes(list, second, [quote])
    expect(market.keptQuotes(list, second)).toBeUndefined()
  })
})
