import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CurrentDirectory, InMemoryDirectory } from '../../../src/core/instruments/directory.js'
import type { Instrument } from '../../../src/core/instruments/schema.js'
import { encodeInstruments } from '../../../src/core/instruments/table/encoder.js'
import { InstrumentTable } from '../../../src/core/instruments/table/instrument-table.js'
import { future, option, share } from './samples.js'

const ROWS = [
  share('SBIN', '3045'),
  { ...share('SBIN', '500112'), exchange: 'BSE', brokerExchange: 'BSE' },
  { ...share('INFY', '1594'), brokerSymbol: 'INFY-EQ', name: 'Infosys Limited – é' },
  future('SBIN', '24-NOV-26', '9001'),
  option('SBIN', '24-NOV-26', 970, 'CE', '9002'),
  option('SBIN', '29-DEC-26', 972.5, 'PE', '9003'),
  option('SBIN', '25-JAN-24', 600, 'PE', '9004'),
  future('SBINX', '24-NOV-26', '9005'),
] satisfies Instrument[]

describe('look-ups', () => {
  const directory = InMemoryDirectory.of(ROWS, {
    of: (exchange, name) => (exchange === 'NFO' && name === 'SBIN' ? 30000 : undefined),
  })

  it('finds every row by symbol, by token and by the broker symbol', () => {
    expect(directory.count).toBe(ROWS.length)
    ROWS.forEach((row, at) => {
      expect(directory.find(row.symbol, row.exchange)).toEqual(row)
      expect(directory.byToken(row.brokerExchange, row.token)).toEqual(row)
      expect(directory.byBrokerSymbol(row.brokerExchange, row.brokerSymbol)).toEqual(row)
      expect(directory.idOf(row.symbol, row.exchange)).toBe(at + 1)
    })
  })

  it.each([
    ['SBIN', 'NFO'],
    ['SBIN', 'XXX'],
    ['sbin', 'NSE'],
    ['', 'NSE'],
    ['SBI', 'NSE'],
    ['SBIN ', 'NSE'],
    ['ŖBIN', 'NSE'],
    ['__proto__', 'NSE'],
    ['SBIN', '__proto__'],
  ])('finds nothing for %j on %j', (symbol, exchange) => {
    expect(directory.find(symbol, exchange)).toBeUndefined()
    expect(directory.byToken(exchange, symbol)).toBeUndefined()
    expect(directory.idOf(symbol, exchange)).toBeUndefined()
  })

  it('returns the freeze quantity of contracts by their underlying, and none for shares', () => {
    const quantityOf = (symbol: string, exchange: string) => {
      const instrument = directory.find(symbol, exchange)
      return instrument && directory.freezeQuantity(instrument)
    }
    expect(quantityOf('SBIN24NOV26970CE', 'NFO')).toBe(30000)
    expect(quantityOf('SBINX24NOV26FUT', 'NFO')).toBeUndefined()
    expect(quantityOf('SBIN', 'NSE')).toBeUndefined()
  })

  it('lists exchanges, underlyings, expiries in chronological order, and contracts', () => {
    const symbols = (rows: Iterable<Instrument>) => [...rows].map((row) => row.symbol)
    expect(symbols(directory.forExchange('NSE'))).toEqual(['SBIN', 'INFY'])
    expect(symbols(directory.forExchange('MCX'))).toEqual([])
    expect(directory.underlyings('NFO')).toEqual(['SBIN', 'SBINX'])
    expect(directory.underlyings('NSE')).toEqual([])
    expect(directory.expiries('NFO', 'SBIN')).toEqual(['25-JAN-24', '24-NOV-26', '29-DEC-26'])
    expect(directory.expiries('NFO', 'SBIN', 'futures')).toEqual(['24-NOV-26'])
    expect(directory.expiries('NFO', 'SBIN', 'options')).toEqual(['25-JAN-24', '24-NOV-26', '29-DEC-26'])
    expect(symbols(directory.contracts('SBIN', 'NFO', '24-NOV-26'))).toEqual([
      'SBIN24NOV26FUT',
      'SBIN24NOV26970CE',
    ])
    expect(directory.contracts('SBIN', 'NFO', '01-JAN-30')).toEqual([])
    expect(directory.contracts('SBIN', 'NFO')).toHaveLength(4)
    expect(directory.countByExchange()).toEqual({ NSE: 2, BSE: 1, NFO: 5 })
  })

  it('uses the first of two rows with the same token', () => {
    const twice = InMemoryDirectory.of([share('A', '1'), share('B', '1')])
    expect(twice.byToken('NSE', '1')?.symbol).toBe('A')
    expect(twice.find('B', 'NSE')?.symbol).toBe('B')
  })

  it('shows a new master through the same CurrentDirectory object', () => {
    const current = new CurrentDirectory(InMemoryDirectory.of([]))
    expect(current.find('SBIN', 'NSE')).toBeUndefined()
    current.replace(directory)
    expect(current.find('SBIN', 'NSE')?.token).toBe('3045')
    expect(current.count).toBe(ROWS.length)
  })

  it('finds every stored row and nothing else, for any texts', () => {
    const text = fc.stringMatching(/^[!-~]{1,8}$/)
    const exchange = fc.constantFrom('NSE', 'BSE', 'NFO')
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.tuple(text, exchange), { selector: (pair) => pair.join(':'), maxLength: 60 }),
        text,
        exchange,
        (pairs, otherText, otherExchange) => {
          const rows = pairs.map(([symbol, on], at) => ({
            ...share(symbol, String(at)),
            exchange: on,
            brokerExchange: on,
          }))
          const directory = InMemoryDirectory.of(rows)
          for (const row of rows) expect(directory.find(row.symbol, row.exchange)).toEqual(row)
          const listed = pairs.some(([symbol, on]) => symbol === otherText && on === otherExchange)
          expect(directory.find(otherText, otherExchange) !== undefined).toBe(listed)
        },
      ),
      { numRuns: 200 },
    )
  })
})

describe('the packed form', () => {
  it('is equal for equal rows and different for different rows', () => {
    expect(encodeInstruments(ROWS)).toEqual(encodeInstruments(ROWS))
    expect(encodeInstruments(ROWS.slice(1))).not.toEqual(encodeInstruments(ROWS))
  })

  it('is refused if any byte is damaged or it is truncated', () => {
    const packed = encodeInstruments(ROWS)
    for (let at = 0; at < packed.byteLength; at += at < 64 ? 1 : 7) {
      const damaged = Buffer.from(packed)
      damaged.writeUInt8(damaged.readUInt8(at) ^ 0x40, at)
      expect(InstrumentTable.decode(damaged)).toBeUndefined()
    }
    for (const length of [0, 3, 12, 100, packed.byteLength - 1]) {
      expect(InstrumentTable.decode(packed.subarray(0, length))).toBeUndefined()
    }
  })

  it('can be read from memory that is not aligned', () => {
    const packed = encodeInstruments(ROWS)
    const shifted = Buffer.concat([Buffer.from('x'), packed]).subarray(1)
    expect(InstrumentTable.decode(shifted)?.instrument(1)).toEqual(ROWS[1])
  })
})
