import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  expiryToDate,
  InMemoryDirectory,
  type Instrument,
  Instruments,
  liveExpiries,
  optionRoots,
  type SearchQuery,
} from '../../../../src/core/instruments/index.js'
import { SearchIndex } from '../../../../src/core/instruments/search/search-index.js'
import { SearchStore } from '../../../../src/core/instruments/search/store.js'
import { isOneLetterAway } from '../../../../src/core/instruments/search/typos.js'
import { encodeInstruments } from '../../../../src/core/instruments/table/encoder.js'
import { InstrumentTable } from '../../../../src/core/instruments/table/instrument-table.js'
import { silentLogger } from '../../../../src/core/logging/index.js'
import { Database } from '../../../../src/core/storage/index.js'
import * as tables from '../../../../src/core/storage/tables/svc/instruments.js'
import { VirtualClock } from '../../../../src/core/time/index.js'
import { eventually } from '../../../support/eventually.js'
import { tempFile } from '../../../support/files/temp.js'
import { createTables } from '../../../support/schema.js'
import { future, option, share } from '../samples.js'

const on = (exchange: Instrument['exchange'], row: Instrument): Instrument => ({
  ...row,
  exchange,
  brokerExchange: exchange,
})

const ROWS: Instrument[] = [
  { ...share('SBINLIFE', '21808'), name: 'SBI LIFE INSURANCE' },
  { ...share('SBIN', '3045'), brokerSymbol: 'SBIN-EQ', name: 'STATE BANK OF INDIA' },
  on('BSE', { ...share('SBIN', '500112'), name: 'STATE BANK OF INDIA' }),
  { ...share('IOB', '9348'), name: 'Indian Overseas Bank' },
  { ...share('RELIANCE', '2885'), name: 'RELIANCE INDUSTRIES' },
  { ...share('M&M', '2031'), name: 'MAHINDRA' },
  { ...share('A%B_C', '77'), name: 'ODD ONE' },
  on('NSE_INDEX', { ...share('NIFTY', '26000'), name: 'NIFTY 50', instrumentType: 'INDEX' }),
  future('NIFTY', '24-NOV-26', '9001'),
  option('NIFTY', '24-NOV-26', 26000, 'CE', '9002'),
  option('NIFTY', '24-NOV-26', 26000, 'PE', '9003'),
  option('NIFTY', '24-NOV-26', 292.5, 'PE', '9004'),
  option('NIFTY', '29-DEC-26', 26000, 'CE', '9005'),
  option('BANKNIFTY', '24-NOV-26', 58000, 'CE', '9006'),
  future('SBIN', '24-NOV-26', '9007'),
  future('SBIN', '27-OCT-26', '9008'),
  option('011NSETEST', '24-NOV-26', 100, 'CE', '9009'),
  on('CRYPTO', { ...share('BTCUSDFUT', '27'), name: 'BTC', instrumentType: 'PERPFUT', contractValue: 0.001 }),
  future('GOLD', '27-NOV-26', '9010'),
]

function indexOf(rows: readonly Instrument[]): SearchIndex {
  const table = InstrumentTable.decode(encodeInstruments(rows))
  if (!table) throw new Error('cannot be packed')
  return SearchIndex.of(table)
}

const keyOf = (row: Instrument) => `${row.exchange}:${row.symbol}`
const keys = (rows: Iterable<Instrument>) => Array.from(rows, keyOf)

async function storeOf(rows: readonly Instrument[]) {
  const db = await Database.open({ file: tempFile('svc.db'), schema: undefined })
  onTestFinished(() => db.close())
  await createTables(db, tables)
  const instruments = new Instruments({
    db,
    clock: new VirtualClock(0),
    log: silentLogger,
    freezeQuantities: [],
  })
  await instruments.replace('simulated', 'generated', [[...rows]])
  return { db, instruments, store: new SearchStore(db) }
}

/** Queries and the rows they find, in order; the index and the database must agree. */
const CASES: [what: string, query: Partial<SearchQuery>, found: string[]][] = [
  [
    'the symbol itself before those that begin with it',
    { text: 'sbin' },
    ['NSE:SBIN', 'BSE:SBIN', 'NSE:SBINLIFE', 'NFO:SBIN24NOV26FUT', 'NFO:SBIN27OCT26FUT'],
  ],
  [
    'words inside symbols before words elsewhere',
    { text: 'bank' },
    ['NFO:BANKNIFTY24NOV2658000CE', 'NSE:IOB', 'NSE:SBIN', 'BSE:SBIN'],
  ],
  [
    'all words, in any order',
    { text: ' ce  26000 nifty ' },
    ['NFO:NIFTY24NOV2626000CE', 'NFO:NIFTY29DEC2626000CE'],
  ],
  ['words of the company name in any case', { text: 'state india' }, ['NSE:SBIN', 'BSE:SBIN']],
  ['a name in lower case', { text: 'OVERSEAS' }, ['NSE:IOB']],
  ['the broker symbol', { text: 'sbin-eq' }, ['NSE:SBIN']],
  ['a token', { text: '500112' }, ['BSE:SBIN']],
  ['a strike in any spelling', { text: 'nifty 0292.50' }, ['NFO:NIFTY24NOV26292.5PE']],
  ['one character', { text: '&' }, ['NSE:M&M']],
  ['two characters', { text: 'LD' }, ['NFO:GOLD27NOV26FUT']],
  ['percent and underscore as plain characters', { text: '%' }, ['NSE:A%B_C']],
  ['an underscore is no wildcard', { text: 'S__N' }, []],
  ['a quote is harmless', { text: `' or 1=1 --` }, []],
  ['nothing for an unknown word', { text: 'QQQQ' }, []],
  ['a text that no symbol contains', { text: 'ŖŖLIANCE' }, []],
  ['an exchange', { text: 'SBIN', exchanges: ['BSE'] }, ['BSE:SBIN']],
  [
    'several exchanges',
    { text: 'SBIN', exchanges: ['BSE', 'NSE'] },
    ['NSE:SBIN', 'BSE:SBIN', 'NSE:SBINLIFE'],
  ],
  ['an exchange that lists nothing', { text: 'SBIN', exchanges: ['MCX'] }, []],
  [
    'no words: the whole exchange',
    { text: ' ', exchanges: ['BSE', 'CRYPTO'] },
    ['BSE:SBIN', 'CRYPTO:BTCUSDFUT'],
  ],
  ['calls', { text: '26000', types: ['CE'] }, ['NFO:NIFTY24NOV2626000CE', 'NFO:NIFTY29DEC2626000CE']],
  [
    'options of both types',
    { text: 'nifty 24nov26', types: ['OPTIONS'] },
    [
      'NFO:NIFTY24NOV2626000CE',
      'NFO:NIFTY24NOV2626000PE',
      'NFO:NIFTY24NOV26292.5PE',
      'NFO:BANKNIFTY24NOV2658000CE',
    ],
  ],
  [
    'futures, including the perpetual',
    { text: '', types: ['FUTURES'] },
    [
      'CRYPTO:BTCUSDFUT',
      'NFO:GOLD27NOV26FUT',
      'NFO:SBIN24NOV26FUT',
      'NFO:SBIN27OCT26FUT',
      'NFO:NIFTY24NOV26FUT',
    ],
  ],
  ['no share whose symbol ends like an option', { text: 'RELIANCE', types: ['CE'] }, []],
  ['any other type by its name', { text: 'nifty', types: ['INDEX'] }, ['NSE_INDEX:NIFTY']],
  ['types together', { text: '', types: ['PERPFUT', 'INDEX'] }, ['NSE_INDEX:NIFTY', 'CRYPTO:BTCUSDFUT']],
  [
    'the underlying of contracts',
    { text: 'CE', underlying: 'NIFTY' },
    ['NFO:NIFTY24NOV2626000CE', 'NFO:NIFTY29DEC2626000CE'],
  ],
  [
    'the underlying of a share is its symbol',
    { text: '', underlying: 'SBIN' },
    ['NSE:SBIN', 'BSE:SBIN', 'NFO:SBIN24NOV26FUT', 'NFO:SBIN27OCT26FUT'],
  ],
  ['an expiry', { text: '', expiry: '29-DEC-26' }, ['NFO:NIFTY29DEC2626000CE']],
  ['an expiry that is not listed', { text: '', expiry: '30-DEC-26' }, []],
  [
    'strikes within a range',
    { text: '', strikeMin: 292.5, strikeMax: 26000, underlying: 'NIFTY' },
    [
      'NFO:NIFTY24NOV2626000CE',
      'NFO:NIFTY24NOV2626000PE',
      'NFO:NIFTY24NOV26292.5PE',
      'NFO:NIFTY29DEC2626000CE',
    ],
  ],
  ['a minimum strike only', { text: '', strikeMin: 26001 }, ['NFO:BANKNIFTY24NOV2658000CE']],
  [
    'a maximum strike, without instruments that have no strike',
    { text: 'NSE', strikeMax: 200 },
    ['NFO:011NSETEST24NOV26100CE'],
  ],
  ['at most the limit', { text: 'sbin', limit: 2 }, ['NSE:SBIN', 'BSE:SBIN']],
]

describe('search finds', () => {
  const index = indexOf(ROWS)

  it.each(CASES)('%s', (_what, query, expected) => {
    expect(keys(index.find({ text: '', limit: 500, ...query }).rows)).toEqual(expected)
  })

  it('the same rows in the database until the index is built', async () => {
    const { store } = await storeOf(ROWS)
    for (const [what, query, expected] of CASES) {
      expect(keys(await store.find({ text: '', limit: 500, ...query })), what).toEqual(expected)
    }
  })
})

describe('typos', () => {
  const index = indexOf(ROWS)
  const found = (text: string, query: Partial<SearchQuery> = {}) =>
    keys(index.find({ text, limit: 500, ...query }).rows)

  it.each([
    ['a wrong letter', 'RELIANSE', 'NSE:RELIANCE'],
    ['a missing letter', 'RELINCE', 'NSE:RELIANCE'],
    ['an extra letter', 'RELIAANCE', 'NSE:RELIANCE'],
    ['two swapped letters', 'RELAINCE', 'NSE:RELIANCE'],
    ['in the name', 'MAHINDAR', 'NSE:M&M'],
    ['beside correct words', 'NIFYT 26000 PE', 'NFO:NIFTY24NOV2626000PE'],
    ['in a short symbol', 'IOV', 'NSE:IOB'],
  ])('one typo is corrected if nothing else matches: %s', (_what, text, expected) => {
    expect(found(text)).toContain(expected)
  })

  it('are not corrected while something matches', () => {
    expect(found('SBINL')).toEqual(['NSE:SBINLIFE'])
    expect(found('GOLD', { exchanges: ['NSE'] })).toEqual([])
  })

  it('two typos or a wrong strike are not corrected', () => {
    expect(found('RELIONSE')).toEqual([])
    expect(found('NIFYT BANKNIFYT')).toEqual([])
    expect(found('NIFTY 26001 CE')).toEqual([])
  })

  it('filters also apply to the corrected word', () => {
    expect(found('SBIM', { exchanges: ['BSE'] })).toEqual(['BSE:SBIN'])
  })

  it('a word is one letter away from exactly the words that one change makes', () => {
    const letter = fc.constantFrom(...'ABC')
    const word = fc.string({ unit: letter, minLength: 1, maxLength: 6 })
    const variants = (text: string): Set<string> => {
      const made = new Set<string>()
      for (let at = 0; at <= text.length; at++) {
        const [head, tail] = [text.slice(0, at), text.slice(at)]
        for (const other of 'ABC') made.add(head + other + tail).add(head + other + tail.slice(1))
        made.add(head + tail.slice(1))
        if (tail.length > 1) made.add(`${head}${tail[1]}${tail[0]}${tail.slice(2)}`)
      }
      made.delete(text)
      return made
    }
    fc.assert(
      fc.property(word, word, (a, b) => {
        if (a !== b) expect(isOneLetterAway(a, b)).toBe(variants(a).has(b))
      }),
      { numRuns: 2000 },
    )
  })
})

describe('the index', () => {
  const letter = fc.constantFrom(...'ABC12&')
  const text = fc.string({ unit: letter, minLength: 1, maxLength: 7 })
  const exchange = fc.constantFrom<Instrument['exchange']>('NSE', 'BSE', 'NFO')
  const row = fc.record({ symbol: text, brokerSymbol: text, name: text, token: text, exchange })
  const rows = fc.uniqueArray(row, { selector: (one) => `${one.exchange}:${one.symbol}`, maxLength: 40 })
  const query = fc.record({
    text: fc
      .array(fc.string({ unit: letter, minLength: 1, maxLength: 4 }), { maxLength: 3 })
      .map((t) => t.join(' ')),
    exchanges: fc.option(fc.array(exchange, { minLength: 1, maxLength: 2 }), { nil: undefined }),
    limit: fc.integer({ min: 1, max: 30 }),
  })

  /** The search rules in their simplest form. */
  function plain(instruments: readonly Instrument[], { text, exchanges, limit }: SearchQuery): string[] {
    const whole = text.trim()
    const words = whole === '' ? [] : whole.split(' ')
    const has = (one: Instrument, word: string) =>
      [one.symbol, one.brokerSymbol, one.name, one.token].some((field) => field.includes(word))
    const rank = ({ symbol }: Instrument) => {
      if (words.length === 0) return 0
      if (symbol === whole) return 0
      if (symbol.startsWith(whole)) return 1
      return words.every((word) => symbol.includes(word)) ? 2 : 3
    }
    const order = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
    return instruments
      .filter((one) => (exchanges?.includes(one.exchange) ?? true) && words.every((word) => has(one, word)))
      .map((one, place) => ({ one, place }))
      .sort(
        (a, b) =>
          rank(a.one) - rank(b.one) ||
          a.one.symbol.length - b.one.symbol.length ||
          order(a.one.symbol, b.one.symbol) ||
          a.place - b.place,
      )
      .slice(0, limit)
      .map(({ one }) => keyOf(one))
  }

  it('finds what the rules define, in their order', () => {
    fc.assert(
      fc.property(rows, query, (generated, asked) => {
        const instruments = generated.map((one) => ({
          ...share('X', '1'),
          ...one,
          brokerExchange: one.exchange,
        }))
        const expected = plain(instruments, asked)
        const found = keys(indexOf(instruments).find(asked).rows)
        // If the rules find nothing, a typo correction may.
        if (expected.length > 0) expect(found).toEqual(expected)
      }),
      { numRuns: 150 },
    )
  })

  it('finds the same as the database', async () => {
    const sample = fc.sample(rows, { numRuns: 5, seed: 7 })
    for (const generated of sample) {
      const instruments = generated.map((one) => ({
        ...share('X', '1'),
        ...one,
        brokerExchange: one.exchange,
      }))
      if (instruments.length === 0) continue
      const { store } = await storeOf(instruments)
      for (const asked of fc.sample(query, { numRuns: 40, seed: 11 })) {
        expect(keys(await store.find(asked))).toEqual(plain(instruments, asked))
      }
    }
  })

  it('finds nothing in an empty master', () => {
    expect(indexOf([]).find({ text: 'SBIN', limit: 5 }).count).toBe(0)
    expect(indexOf([]).find({ text: '', limit: 5 }).count).toBe(0)
  })
})

describe('search over the current master', () => {
  it('searches the database until the index is built, with the same results', async () => {
    const { instruments } = await storeOf(ROWS)
    const asked = { text: 'SBIN', limit: 10 }
    expect(instruments.search.indexed).toBe(false)
    const before = keys((await instruments.search.find(asked)).rows)
    await instruments.search.warm()
    expect(instruments.search.indexed).toBe(true)
    expect(keys((await instruments.search.find(asked)).rows)).toEqual(before)
    expect(before[0]).toBe('NSE:SBIN')
  })

  it('builds the index only for the first search', async () => {
    const { instruments } = await storeOf(ROWS)
    expect(instruments.search.indexed).toBe(false)
    await instruments.search.find({ text: 'SBIN', limit: 10 })
    await eventually(() => instruments.search.indexed)
  })

  it('corrects a word in the very first search as in every later one', async () => {
    const { instruments } = await storeOf(ROWS)
    const asked = { text: 'SBIM', limit: 10 }
    const first = keys((await instruments.search.find(asked)).rows)
    expect(first).toContain('NSE:SBIN')
    expect(keys((await instruments.search.find(asked)).rows)).toEqual(first)
  })

  it('finds nothing in the first search of a master without a match', async () => {
    const { instruments } = await storeOf(ROWS)
    expect((await instruments.search.find({ text: 'ZZZZZZ', limit: 10 })).count).toBe(0)
  })

  it('never returns rows of a replaced master', async () => {
    const { instruments } = await storeOf(ROWS)
    await instruments.search.warm()
    await instruments.replace('simulated', 'generated', [[share('TCS', '1')]])
    expect((await instruments.search.find({ text: 'SBIN', limit: 10 })).count).toBe(0)
    await instruments.search.warm()
    expect(keys((await instruments.search.find({ text: 'TCS', limit: 10 })).rows)).toEqual(['NSE:TCS'])
  })

  it('abandons a build if the master was replaced during it', async () => {
    const { instruments } = await storeOf(ROWS)
    const first = instruments.search.warm()
    await instruments.replace('simulated', 'generated', [[share('TCS', '1')]])
    await first
    await instruments.search.warm()
    expect(keys((await instruments.search.find({ text: 'T', limit: 10 })).rows)).toEqual(['NSE:TCS'])
  })
})

describe('lists of contracts', () => {
  const directory = InMemoryDirectory.of(ROWS)
  const isLive =
    (today = '2026-11-20') =>
    (expiry: string) =>
      (expiryToDate(expiry) ?? '') >= today

  it.each([
    [{}, ['24-NOV-26', '27-NOV-26', '29-DEC-26']],
    [{ exchange: 'NFO', underlying: 'NIFTY' }, ['24-NOV-26', '29-DEC-26']],
    [{ underlying: 'SBIN' }, ['24-NOV-26']],
    [{ underlying: 'NIFTY', kind: 'futures' }, ['24-NOV-26']],
    [{ exchange: 'MCX' }, []],
    [{ exchange: 'NSE' }, []],
    [{ underlying: 'NIF' }, []],
  ] as const)('expiries of %j are those not past, in chronological order', (filter, expected) => {
    expect(liveExpiries(directory, filter, isLive())).toEqual(expected)
  })

  it('includes an expiry on its own day and drops it the day after', () => {
    const filter = { underlying: 'SBIN' }
    expect(liveExpiries(directory, filter, isLive('2026-11-24'))).toEqual(['24-NOV-26'])
    expect(liveExpiries(directory, filter, isLive('2026-11-25'))).toEqual([])
  })

  it('lists underlyings with options, optionally those with futures, and no test symbols', () => {
    expect(optionRoots(directory, { includeFutures: false, isLive: isLive() })).toEqual([
      'BANKNIFTY',
      'NIFTY',
    ])
    expect(optionRoots(directory, { includeFutures: true, isLive: isLive() })).toEqual([
      'BANKNIFTY',
      'GOLD',
      'NIFTY',
      'SBIN',
    ])
    expect(optionRoots(directory, { exchange: 'MCX', includeFutures: true, isLive: isLive() })).toEqual([])
  })
})
