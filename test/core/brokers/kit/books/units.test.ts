import { describe, expect, it } from 'vitest'
import { Units } from '../../../../../src/core/brokers/kit/books/units.js'
import type { Instrument } from '../../../../../src/core/instruments/schema.js'

const GOLDM: Instrument = {
  symbol: 'GOLDM31JAN30FUT',
  brokerSymbol: 'GOLDM-F',
  name: 'GOLDM',
  exchange: 'MCX',
  brokerExchange: 'MCXCO',
  token: '41',
  expiry: '31-JAN-30',
  strike: 0,
  lotSize: 10,
  instrumentType: 'FUT',
  tickSize: 1,
}
const IN_LOTS = new Units(new Set(['MCX']))
const IN_UNITS = new Units(new Set())

describe('quantities across the wire', () => {
  it('are lots outside and units inside where the broker counts lots', () => {
    expect(IN_LOTS.brokerCount(GOLDM, 30)).toBe(3)
    expect(IN_LOTS.unitsOf(GOLDM, 3)).toBe(30)
    const level = { price: 1, quantity: 3, orders: 1 }
    expect(IN_LOTS.depthInUnits(GOLDM, { buy: [level], sell: [] }).buy[0]?.quantity).toBe(30)
  })

  it('are the same on both sides where the broker counts units', () => {
    expect(IN_UNITS.brokerCount(GOLDM, 30)).toBe(30)
    expect(IN_UNITS.unitsOf(GOLDM, 30)).toBe(30)
  })

  it('are refused, never sent, for a part of a lot, an unsettled contract, and a list of an earlier version', () => {
    expect(() => IN_LOTS.brokerCount(GOLDM, 5)).toThrow('Quantity must be in multiples of lot size 10')
    expect(() => IN_LOTS.brokerCount({ ...GOLDM, name: 'NEWMETAL' }, 10)).toThrow('is not settled')
    expect(() => IN_LOTS.brokerCount({ ...GOLDM, lotSize: 1 }, 10)).toThrow('svc broker sync')
  })

  it("keep the broker's count for a contract whose units are not settled", () => {
    expect(IN_LOTS.unitsOf({ exchange: 'MCX', name: 'NEWMETAL' }, 3)).toBe(3)
  })
})
