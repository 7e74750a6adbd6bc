import { describe, expect, it } from 'vitest'
import { simulatedMaster } from '../../../../src/core/brokers/simulated/master/simulated-master.js'
import { CONTRACT_UNITS } from '../../../../src/core/instruments/contracts/contract-units.js'
import { lotInUnits, unsettledContract } from '../../../../src/core/instruments/index.js'

describe('the lot of a contract in units of its price', () => {
  it.each([
    ['MCX', 'GOLD', 100],
    ['MCX', 'GOLDM', 10],
    ['MCX', 'GOLDTEN', 1],
    ['MCX', 'GOLDGUINEA', 1],
    ['MCX', 'GOLDPETAL', 1],
    ['MCX', 'SILVER', 30],
    ['MCX', 'CRUDEOIL', 100],
    ['MCX', 'NATURALGAS', 1250],
    ['MCX', 'NICKEL', 250],
    ['MCX', 'ZINC', 5000],
    ['MCX', 'KAPAS', 200],
    ['MCX', 'COTTONOIL', 500],
    ['CDS', 'USDINR', 1000],
    ['CDS', 'JPYINR', 1000],
    ['BCD', 'EURINR', 1000],
    ['NCO', 'GOLDM', 10],
  ])('%s %s: %d', (exchange, name, lot) => {
    expect(lotInUnits({ exchange, name })).toBe(lot)
  })

  it('is a whole number for every contract of the table', () => {
    for (const [exchange, contracts] of CONTRACT_UNITS) {
      for (const name of contracts.keys()) {
        expect([exchange, name, Number.isInteger(lotInUnits({ exchange, name }))]).toEqual([
          exchange,
          name,
          true,
        ])
      }
    }
  })

  it('is unknown where the size is not settled, and such a contract may not be traded', () => {
    for (const name of ['MCXBULLDEX', 'COTTON', 'EURUSD']) {
      const exchange = name === 'EURUSD' ? 'CDS' : 'MCX'
      expect(lotInUnits({ exchange, name })).toBeUndefined()
      expect(unsettledContract({ exchange, name })).toContain(`${name} on ${exchange} is not settled`)
    }
    expect(unsettledContract({ exchange: 'MCX', name: 'GOLD' })).toBeUndefined()
    expect(unsettledContract({ exchange: 'NFO', name: 'NIFTY' })).toBeUndefined()
    expect(unsettledContract({ exchange: 'NSE', name: 'GOLD' })).toBeUndefined()
  })

  it('is the lot of the simulated master too, so that a quantity means the same at both brokers', () => {
    const seen = new Map<string, Set<number>>()
    for (const chunk of simulatedMaster({ now: Date.UTC(2026, 10, 27) })) {
      for (const { exchange, lotSize, name } of chunk) {
        if (!CONTRACT_UNITS.has(exchange)) continue
        const key = `${exchange}:${name}`
        seen.set(key, (seen.get(key) ?? new Set()).add(lotSize))
      }
    }
    expect(seen.get('MCX:GOLDM')).toEqual(new Set([10]))
    expect(seen.get('CDS:USDINR')).toEqual(new Set([1000]))
    for (const [key, lots] of seen) {
      const [exchange = '', name = ''] = key.split(':')
      expect([key, [...lots]]).toEqual([key, [lotInUnits({ exchange, name })]])
    }
  })
})
