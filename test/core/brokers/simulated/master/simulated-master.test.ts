import { beforeAll, describe, expect, it } from 'vitest'
import { CASH_STOCKS } from '../../../../../src/core/brokers/simulated/master/listed/cash-stocks.js'
import { FNO_STOCKS } from '../../../../../src/core/brokers/simulated/master/listed/fno-stocks.js'
import { FREEZE_QUANTITIES } from '../../../../../src/core/brokers/simulated/master/price-rules.js'
import { simulatedMaster } from '../../../../../src/core/brokers/simulated/master/simulated-master.js'
import {
  simulatedUnderlyingOf,
  UNDERLYINGS,
} from '../../../../../src/core/brokers/simulated/master/underlyings.js'
import {
  EXCHANGES,
  InMemoryDirectory,
  type Instrument,
  splitSymbol,
  underlyingOf,
} from '../../../../../src/core/instruments/index.js'
import { rowFault } from '../../../../../src/core/instruments/table/row-check.js'
import { istInstant } from '../../../../../src/core/time/index.js'

/** A Saturday. */
const NOW = istInstant('2026-11-21', '10:00')
let rows: Instrument[]
let directory: InMemoryDirectory

beforeAll(() => {
  rows = [...simulatedMaster({ now: NOW })].flat()
  directory = InMemoryDirectory.of(rows, {
    of: (exchange, symbol) =>
      FREEZE_QUANTITIES.find((row) => row.exchange === exchange && row.symbol === symbol)?.freezeQuantity,
  })
})

describe('the simulated master', () => {
  it('has about a hundred thousand valid rows without duplicates', () => {
    expect(rows.length).toBeGreaterThan(90_000)
    expect(rows.length).toBeLessThan(120_000)
    expect(rows.filter((row) => rowFault(row) !== undefined)).toEqual([])
    expect(new Set(rows.map((row) => `${row.exchange}:${row.symbol}`)).size).toBe(rows.length)
    expect(new Set(rows.map((row) => `${row.brokerExchange}:${row.token}`)).size).toBe(rows.length)
  })

  it('is the same for the same date and different for another date', () => {
    const take = (now: number) =>
      [...simulatedMaster({ now })].flat().map((row) => `${row.token} ${row.symbol}`)
    expect(take(istInstant('2026-11-21', '23:59'))).toEqual(rows.map((row) => `${row.token} ${row.symbol}`))
    expect(take(istInstant('2026-11-25', '09:00'))).not.toEqual(
      rows.map((row) => `${row.token} ${row.symbol}`),
    )
  })

  it('covers its exchanges, the cash market and the underlyings', () => {
    const counts = directory.countByExchange()
    expect(counts.NSE).toBeGreaterThanOrEqual(400)
    expect(counts.BSE).toBeGreaterThanOrEqual(200)
    expect(counts).toMatchObject({ NSE_INDEX: 57, BSE_INDEX: 40, MCX_INDEX: 11, GLOBAL_INDEX: 13 })
    for (const exchange of Object.keys(counts)) expect(EXCHANGES).toContain(exchange)
    expect(directory.underlyings('NFO').length).toBeGreaterThanOrEqual(155)
    expect(directory.underlyings('BFO')).toEqual(['BANKEX', 'SENSEX', 'SENSEX50'])
    expect(directory.underlyings('CDS')).toEqual(['EURINR', 'GBPINR', 'JPYINR', 'USDINR'])
    expect(new Set([...FNO_STOCKS, ...CASH_STOCKS].map(([symbol]) => symbol)).size).toBe(counts.NSE)
  })

  it('spells every contract by the symbol grammar', () => {
    const misspelt = rows.filter((row) => {
      if (row.expiry === '') return false
      const parts = splitSymbol(row.symbol)
      const isSame =
        parts?.base === row.name && parts.expiry === row.expiry && (parts.strike ?? 0) === row.strike
      return !(isSame && parts.type === row.instrumentType)
    })
    expect(misspelt).toEqual([])
    expect(underlyingOf('BTCUSDFUT', 'CRYPTO')).toBe(directory.find('BTCUSDFUT', 'CRYPTO')?.name)
  })

  it('gives every row a price process', () => {
    expect(rows.filter((row) => !simulatedUnderlyingOf(row))).toEqual([])
    expect(new Set(UNDERLYINGS.map((underlying) => underlying.key)).size).toBe(UNDERLYINGS.length)
    for (const { basePrice, volatility } of UNDERLYINGS) {
      expect(basePrice).toBeGreaterThan(0)
      expect(volatility).toBeGreaterThan(0)
      expect(volatility).toBeLessThan(1)
    }
  })

  it.each([
    ['NIFTY24NOV26FUT', 'NFO', 'NSE_INDEX:NIFTY'],
    ['SENSEX26NOV26FUT', 'BFO', 'BSE_INDEX:SENSEX'],
    ['RELIANCE24NOV26FUT', 'NFO', 'NSE:RELIANCE'],
    ['RELIANCE', 'BSE', 'NSE:RELIANCE'],
    ['NIFTY', 'NSE_INDEX', 'NSE_INDEX:NIFTY'],
    ['BTCUSDFUT', 'CRYPTO', 'CRYPTO:BTC'],
    ['BTCINR', 'CRYPTO', 'CRYPTO:BTCINR'],
  ])('%s on %s follows %s', (symbol, exchange, key) => {
    const instrument = directory.find(symbol, exchange)
    expect(instrument && simulatedUnderlyingOf(instrument)?.key).toBe(key)
  })

  it.each([
    ['NFO', 'NIFTY', 65, 1800],
    ['NFO', 'BANKNIFTY', 30, 600],
    ['NFO', 'FINNIFTY', 60, 1200],
    ['NFO', 'MIDCPNIFTY', 120, 2800],
    ['NFO', 'NIFTYNXT50', 25, 600],
    ['BFO', 'SENSEX', 20, 1000],
    ['BFO', 'BANKEX', 30, 900],
    ['BFO', 'SENSEX50', 25, 1800],
    ['NFO', 'RELIANCE', 500, 15000],
    ['NFO', '360ONE', 500, 20000],
    ['MCX', 'CRUDEOIL', 100, 10000],
    ['CDS', 'USDINR', 1000, 10_000_000],
  ])('%s %s has the lot size %d and the freeze quantity %d', (exchange, underlying, lotSize, freeze) => {
    const contracts = directory.contracts(underlying, exchange)
    expect(contracts.length).toBeGreaterThan(0)
    for (const contract of contracts) expect(contract.lotSize).toBe(lotSize)
    expect(contracts[0] && directory.freezeQuantity(contracts[0])).toBe(freeze)
  })

  it('rolls weekly and monthly expiries with the calendar', () => {
    const weekly = directory.expiries('NFO', 'NIFTY', 'options')
    expect(weekly.slice(0, 3)).toEqual(['24-NOV-26', '01-DEC-26', '08-DEC-26'])
    expect(directory.expiries('NFO', 'RELIANCE', 'options')).toEqual(['24-NOV-26', '29-DEC-26', '26-JAN-27'])
    expect(directory.expiries('BFO', 'SENSEX', 'options').slice(0, 2)).toEqual(['26-NOV-26', '03-DEC-26'])
    const later = InMemoryDirectory.of([...simulatedMaster({ now: istInstant('2026-11-25') })].flat())
    expect(later.expiries('NFO', 'NIFTY', 'options')[0]).toBe('01-DEC-26')
    expect(later.expiries('NFO', 'NIFTY', 'futures')[0]).toBe('29-DEC-26')
  })

  it('moves an expiry on a holiday of its own exchange', () => {
    const isHoliday = (exchange: string, date: string) => exchange === 'NFO' && date === '2026-11-24'
    const moved = InMemoryDirectory.of([...simulatedMaster({ now: NOW, isHoliday })].flat())
    expect(moved.expiries('NFO', 'NIFTY', 'options')[0]).toBe('23-NOV-26')
    expect(moved.expiries('BFO', 'SENSEX', 'options')[0]).toBe('26-NOV-26')
  })

  it('lists at least fifty strikes on both sides of an index', () => {
    for (const [underlying, exchange, level] of [
      ['NIFTY', 'NFO', 26050],
      ['SENSEX', 'BFO', 85200],
    ] as const) {
      const [expiry] = directory.expiries(exchange, underlying, 'options')
      const calls = directory
        .contracts(underlying, exchange, expiry)
        .filter((row) => row.instrumentType === 'CE')
      expect(calls.filter((row) => row.strike < level).length).toBeGreaterThanOrEqual(51)
      expect(calls.filter((row) => row.strike > level).length).toBeGreaterThanOrEqual(51)
    }
  })

  it('has a tick of a quarter paisa for currencies and contract values for crypto', () => {
    for (const row of directory.contracts('USDINR', 'CDS')) expect(row.tickSize).toBe(0.0025)
    expect(directory.find('BTCUSDFUT', 'CRYPTO')).toMatchObject({
      contractValue: 0.001,
      instrumentType: 'PERPFUT',
    })
    expect(directory.find('BTCINR', 'CRYPTO')).not.toHaveProperty('contractValue')
  })
})
