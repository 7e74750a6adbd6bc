import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { InMemoryDirectory } from '../../../../../src/core/instruments/directory.js'
import type { DumpProblem } from '../../../../../src/core/instruments/index.js'
import { splitSymbol } from '../../../../../src/core/instruments/symbols/symbol-grammar.js'
import { kiteRows } from './kite-rows.js'

const HEADER =
  'instrument_token,exchange_token,tradingsymbol,name,last_price,expiry,strike,tick_size,lot_size,instrument_type,segment,exchange'

function read(...lines: string[]) {
  const problems: DumpProblem[] = []
  const text = `${[HEADER, ...lines].join('\n')}\n`
  const rows = kiteRows(text, (problem) => problems.push(problem))
  return { rows, problems }
}

/** A row that is always valid, so that one bad row does not make the dump unusable. */
const GOOD = '408065,1594,INFY,INFOSYS,0,,0,0.05,1,EQ,NSE,NSE'

describe('rows of a Kite dump', () => {
  it.each([
    ['408065,1594,INFY,INFOSYS,0,,0,0.05,1,EQ,NSE,NSE', 'NSE', 'INFY', 'INFOSYS'],
    ['9001,35,XYZ-BE,"X, Y AND Z",0,,0,0.05,1,EQ,NSE,NSE', 'NSE', 'XYZ-BE', 'X, Y AND Z'],
    ['9002,35,SBIN26NOVFUT,SBIN,0,2026-11-24,0,0.05,750,FUT,NFO-FUT,NFO', 'NFO', 'SBIN24NOV26FUT', 'SBIN'],
    [
      '9003,35,VEDL26NOV292.5CE,VEDL,0,24-11-2026,292.5,0.05,1150,CE,NFO-OPT,NFO',
      'NFO',
      'VEDL24NOV26292.5CE',
      'VEDL',
    ],
    [
      '9004,35,NIFTY26D0126000PE,NIFTY,0,2026-12-01,26000.0,0.05,65,PE,NFO-OPT,NFO',
      'NFO',
      'NIFTY01DEC2626000PE',
      'NIFTY',
    ],
    [
      '9005,35,SENSEX26NOVFUT,SENSEX,0,2026-11-26,0,0.05,20,FUT,BFO-FUT,BFO',
      'BFO',
      'SENSEX26NOV26FUT',
      'SENSEX',
    ],
    [
      '9006,35,USDINR26NOV82.25CE,USDINR,0,2026-11-26,82.25,0.0025,1,CE,CDS-OPT,CDS',
      'CDS',
      'USDINR26NOV2682.25CE',
      'USDINR',
    ],
    ['9007,35,GOLD26DECFUT,GOLD,0,2026-12-04,0,1,1,FUT,MCX-FUT,MCX', 'MCX', 'GOLD04DEC26FUT', 'GOLD'],
    ['256265,1001,NIFTY 50,NIFTY 50,0,,0,0,0,EQ,INDICES,NSE', 'NSE_INDEX', 'NIFTY', 'NIFTY 50'],
    [
      '256266,1001,NIFTY GS 4 8YR,NIFTY GS 4 8YR,0,,0,0,0,EQ,INDICES,NSE',
      'NSE_INDEX',
      'NIFTYGS48YR',
      'NIFTY GS 4 8YR',
    ],
    ['265,1,SENSEX,BSE SENSEX,0,,0,0,0,EQ,INDICES,BSE', 'BSE_INDEX', 'SENSEX', 'BSE SENSEX'],
    ['266,1,OILGAS,OIL AND GAS,0,,0,0,0,EQ,INDICES,BSE', 'BSE_INDEX', 'BSEOIL&GAS', 'OIL AND GAS'],
    ['267,1,MCXMETLDEX,MCXMETLDEX,0,,0,0,0,EQ,INDICES,MCX', 'MCX_INDEX', 'MCXMETLDEX', 'MCXMETLDEX'],
    ['268,1,GIFT NIFTY,GIFT NIFTY,0,,0,0,0,EQ,INDICES,NSEIX', 'GLOBAL_INDEX', 'GIFTNIFTY', 'GIFT NIFTY'],
    ['269,1,US500,US 500,0,,0,0,0,EQ,INDICES,GLOBAL', 'GLOBAL_INDEX', 'US500', 'US 500'],
  ])('%s is normalised', (line, exchange, symbol, name) => {
    const { rows, problems } = read(line)
    expect(problems).toEqual([])
    expect(rows).toMatchObject([{ exchange, symbol, name }])
  })

  it('keeps series of one share apart: both may be listed on the same day', () => {
    const { rows, problems } = read(
      '1,1,CDSL,CENTRAL DEPO SER (I),0,,0,0.05,1,EQ,NSE,NSE',
      '2,2,CDSL-BE,CENTRAL DEPO SER (I),0,,0,0.05,1,EQ,NSE,NSE',
      '3,3,716KA33-SG,SDL KA 7.16% 2033,0,,0,0.01,100,EQ,NSE,NSE',
    )
    expect(problems).toEqual([])
    expect(rows.map(({ symbol, token }) => [symbol, token])).toEqual([
      ['CDSL', '1'],
      ['CDSL-BE', '2'],
      ['716KA33-SG', '3'],
    ])
  })

  it("keeps the broker's symbol beside ours", () => {
    const { rows } = read('9003,35,VEDL26NOV292.5CE,VEDL,0,2026-11-24,292.5,0.05,1150,CE,NFO-OPT,NFO')
    expect(rows).toEqual([
      {
        symbol: 'VEDL24NOV26292.5CE',
        brokerSymbol: 'VEDL26NOV292.5CE',
        name: 'VEDL',
        exchange: 'NFO',
        brokerExchange: 'NFO',
        token: '9003',
        expiry: '24-NOV-26',
        strike: 292.5,
        lotSize: 1150,
        instrumentType: 'CE',
        tickSize: 0.05,
      },
    ])
  })

  it('sets type, lot size and tick size of indices', () => {
    const { rows } = read('256265,1001,NIFTY BANK,NIFTY BANK,0,,0,0,0,EQ,INDICES,NSE')
    expect(rows[0]).toMatchObject({
      symbol: 'BANKNIFTY',
      brokerExchange: 'NSE',
      instrumentType: 'INDEX',
      lotSize: 1,
      tickSize: 0.05,
    })
  })

  it('skips currency indices silently', () => {
    expect(read('1,1,USDINR,USDINR,0,,0,0,0,EQ,INDICES,CDS', GOOD)).toMatchObject({
      rows: [{ symbol: 'INFY' }],
      problems: [],
    })
  })

  it('takes the underlying from the trading symbol if the name column is empty', () => {
    const { rows } = read(
      '1,1,INDIACEM26NOV220PE,,43.45,2026-11-24,220.0,0.05,3500,PE,NFO-OPT,NFO',
      '2,1,BANKNIFTY26N2423400CE,,1.0,2026-11-24,23400.0,0.05,30,CE,NFO-OPT,NFO',
      '3,1,M&M26NOVFUT,,1.0,2026-11-24,0,0.05,200,FUT,NFO-FUT,NFO',
    )
    expect(rows.map((row) => row.name)).toEqual(['INDIACEM', 'BANKNIFTY', 'M&M'])
  })
})

describe('bad rows', () => {
  it.each([
    [
      '1,1,SBIN26NOVFUT,SBIN,0,2026-02-30,0,0.05,750,FUT,NFO-FUT,NFO',
      'the expiry "2026-02-30" is not a date',
    ],
    ['1,1,SBIN26NOVFUT,SBIN,0,,0,0.05,750,FUT,NFO-FUT,NFO', 'the expiry "" is not a date'],
    ['1,1,SBIN26NOV0CE,SBIN,0,2026-11-24,0,0.05,750,CE,NFO-OPT,NFO', 'the strike "0" is not above zero'],
    ['1,1,SBIN26NOVXCE,SBIN,0,2026-11-24,x,0.05,750,CE,NFO-OPT,NFO', 'the strike "x" is not above zero'],
    ['1,1,SBIN,SBIN,0,,0,0.05,0,EQ,NSE,NSE', 'the lot size of SBIN is not above zero'],
    ['1,1,SBIN,SBIN,0,,0,,1,EQ,NSE,NSE', 'the tick size of SBIN is not above zero'],
    ['1,1,SBIN,SBIN,0,,0,0.05,1,EQ,XSE,XSE', 'the exchange "XSE" is unknown'],
    ['1,1,SBIN26NOV,SBIN,0,2026-11-24,0,0.05,750,SWAP,NFO-FUT,NFO', 'the instrument type "SWAP" is unknown'],
    ['1,1,SBIN,SBIN,0,,0,0.05,1,INDEX,NSE,NSE', 'the instrument type "INDEX" is unknown'],
    ['1,1,SBIN,SBIN,0,,0,0.05,1,constructor,NSE,NSE', 'the instrument type "constructor" is unknown'],
    ['1,1,SBIN,SBIN,0,,0,0.05,1,EQ,INDICES,__proto__', 'the exchange "__proto__" is unknown'],
    ['1,1,??,,0,2026-11-24,0,0.05,750,FUT,NFO-FUT,NFO', 'the underlying of "??" is unknown'],
    ['1,1,SBIN,SBIN,0,,0,0.05,1e300,EQ,NSE,NSE', 'the lot size of SBIN is not above zero'],
    ['1,1,SBIN,SBIN,0,,0,0.05,0x10,EQ,NSE,NSE', 'the lot size of SBIN is not above zero'],
    ['1,1,SBIN,SBIN,0,,0,0.05,10000001,EQ,NSE,NSE', 'the lot size of SBIN is above 10000000'],
    ['1,1,SBIN,SBIN,0,,0,5e-2,1,EQ,NSE,NSE', 'the tick size of SBIN is not above zero'],
    ['1,1,SBIN,SBIN,0,,0,0x1,1,EQ,NSE,NSE', 'the tick size of SBIN is not above zero'],
    ['1,1,SBIN,SBIN,0,,0,100000.5,1,EQ,NSE,NSE', 'the tick size of SBIN is above 100000'],
    [
      '1,1,SBIN26NOV1E3CE,SBIN,0,2026-11-24,1e3,0.05,750,CE,NFO-OPT,NFO',
      'the strike "1e3" is not above zero',
    ],
    [
      '1,1,SBIN26NOV1CE,SBIN,0,2026-11-24,1000000001,0.05,750,CE,NFO-OPT,NFO',
      'the strike of SBIN24NOV261000000001CE is not a price',
    ],
    ['1,1,Sbin,SBIN,0,,0,0.05,1,EQ,NSE,NSE', 'the symbol "Sbin" is not in upper case'],
    ['1,1,SBIN,STATE\u001b[31m BANK,0,,0,0.05,1,EQ,NSE,NSE', 'the name of SBIN has control characters'],
    ['1,1,SBIN,STATE\u202e BANK,0,,0,0.05,1,EQ,NSE,NSE', 'the name of SBIN has control characters'],
    ['2,2,INFY,INFOSYS,0,,0,0.05,1,EQ,NSE,NSE', 'INFY on NSE is already listed on line 2'],
    ['1,1,SBIN,SBIN,0,,0,0.05', 'it has 8 columns, not 12'],
    [',1,SBIN,SBIN,0,,0,0.05,1,EQ,NSE,NSE', 'the token of SBIN is not plain text'],
    ['1,1,,SBIN,0,,0,0.05,1,EQ,NSE,NSE', 'the symbol "" is not plain text'],
    ['1,1,S\u0000N,SBIN,0,,0,0.05,1,EQ,NSE,NSE', 'the symbol "S\u0000N" is not plain text'],
  ])('%j is reported with its line, and the rest is parsed', (line, reason) => {
    const { rows, problems } = read(GOOD, line)
    expect(problems).toEqual([{ line: 3, reason }])
    expect(rows.map((row) => row.symbol)).toEqual(['INFY'])
  })

  it('a dump that ends within a record is refused as a whole, however many rows it has', () => {
    const lines = Array.from({ length: 1000 }, (_, at) => GOOD.replaceAll('INFY', `INFY${at}`))
    const text = [HEADER, ...lines].join('\n')
    const cut = `${text}\n408065,1594,TCS,"TATA CONS`
    expect(() => kiteRows(cut)).toThrow(
      'The dump is truncated: its last record, on line 1002, has 4 columns, not 12, and no end of line.',
    )
    expect(kiteRows(text)).toHaveLength(1000)
    expect(kiteRows(`${text}\n408065,1594,TCS\n`)).toHaveLength(1000)
  })

  it('a dump without a usable row is refused with the first reason', () => {
    expect(() => read('1,1,SBIN,SBIN,0,,0,0.05,1,EQ,XSE,XSE')).toThrow(
      'The dump has no usable instrument. Line 2: the exchange "XSE" is unknown.',
    )
    expect(() => read()).toThrow('The dump has no usable instrument.')
  })

  it.each(['', 'symbol,exchange\nSBIN,NSE', '<html></html>'])('%j is not a dump', (text) => {
    expect(() => kiteRows(text)).toThrow(/not an instrument dump in Kite's format/)
  })
})

/** Real dumps are outside the project; their tests run only if the files exist. */
const SHARED = resolve(process.env.SVC_SHARED_DATA ?? '../shared/data')
const HAS_SHARED = existsSync(SHARED)
if (!HAS_SHARED) process.stdout.write(`skipped: no real instrument dumps at ${SHARED}\n`)

describe.skipIf(!HAS_SHARED)('real dumps', () => {
  it("parses all 31,373 rows of a broker's dump of April 2024", () => {
    const problems: DumpProblem[] = []
    const text = readFileSync(join(SHARED, 'zerodha-instruments-nfo-2024-04.csv'), 'utf8')
    const rows = kiteRows(text, (problem) => problems.push(problem))
    expect(problems).toEqual([])
    expect(rows).toHaveLength(31_373)
    const misspelt = rows.filter((row) => {
      if (row.exchange !== 'NFO') return false
      const parts = splitSymbol(row.symbol)
      return parts?.base !== row.name || parts.expiry !== row.expiry || (parts.strike ?? 0) !== row.strike
    })
    expect(misspelt).toEqual([])
    const directory = InMemoryDirectory.of(rows)
    expect(directory.find('VEDL25APR24292.5CE', 'NFO')).toMatchObject({ lotSize: 2300, strike: 292.5 })
    expect(directory.expiries('NFO', 'NIFTY', 'futures')).toEqual(['25-APR-24', '30-MAY-24', '27-JUN-24'])
  })

  it('every symbol of the dump leads to its row, and the row to its symbol', () => {
    const text = readFileSync(join(SHARED, 'zerodha-instruments-nfo-2024-04.csv'), 'utf8')
    const rows = kiteRows(text)
    const directory = InMemoryDirectory.of(rows)
    const lost = rows.filter((row) => {
      const { brokerExchange, brokerSymbol, exchange, symbol, token } = row
      const found = [
        directory.find(symbol, exchange),
        directory.byBrokerSymbol(brokerExchange, brokerSymbol),
        directory.byToken(brokerExchange, token),
      ]
      return found.some(
        (each) => each?.symbol !== symbol || each.exchange !== exchange || each.token !== token,
      )
    })
    expect(lost).toEqual([])
    expect(directory.count).toBe(rows.length)
  })

  it.each(['instruments_all.csv', 'instruments_nse.csv'])('parses the sample %s', (file) => {
    const problems: DumpProblem[] = []
    const text = readFileSync(join(SHARED, 'kite-mocks', file), 'utf8')
    const rows = kiteRows(text, (problem) => problems.push(problem))
    expect(problems).toEqual([])
    expect(rows.length).toBeGreaterThan(50)
  })
})
