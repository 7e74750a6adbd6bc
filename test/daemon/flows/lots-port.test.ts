import { expect, it } from 'vitest'
import { Almanac, SEED_TIMINGS } from '../../../src/core/calendar/index.js'
import { InMemoryDirectory, type Instrument } from '../../../src/core/instruments/index.js'
import { VirtualClock } from '../../../src/core/time/index.js'
import { flowLots } from '../../../src/daemon/flows/lots-port.js'

const contract = (
  name: string,
  expiry: string,
  lotSize: number,
  exchange: Instrument['exchange'] = 'NFO',
) => ({
  symbol: `${name}${expiry.replaceAll('-', '')}FUT`,
  brokerSymbol: `${name}${expiry}`,
  name,
  exchange,
  brokerExchange: exchange,
  token: `${exchange}${name}${expiry}`,
  expiry,
  strike: 0,
  lotSize,
  instrumentType: 'FUT',
  tickSize: 0.05,
})

const catalog = InMemoryDirectory.of([
  contract('NIFTYNXT50', '24-NOV-26', 25),
  contract('NIFTY', '27-OCT-26', 50),
  contract('NIFTY', '29-DEC-26', 75),
  contract('NIFTY', '24-NOV-26', 65),
  contract('OLD', '27-OCT-26', 10),
  { ...contract('BTC', '', 1, 'CRYPTO'), instrumentType: 'PERPFUT' },
])
const almanac = new Almanac([], SEED_TIMINGS)
const lots = flowLots({ catalog, calendar: almanac }, new VirtualClock('2026-11-20T11:00:00+05:30'))

it.each([
  ['NIFTY', 'NFO', 65],
  ['NIFTYNXT50', 'NFO', 25],
  ['BTC', 'CRYPTO', 1],
  ['NIFT', 'NFO', undefined],
  ['NIFTY', 'BFO', undefined],
  ['OLD', 'NFO', undefined],
])(
  'a lot of %s on %s is %s: of the underlying itself, of its next expiry without another',
  (underlying, exchange, size) => {
    expect(lots.lotSize(underlying, exchange)).toBe(size)
  },
)

it.each([
  ['NIFTY', '24NOV26', 65],
  ['NIFTY', '29-DEC-26', 75],
  ['NIFTY', '27OCT26', 50],
  ['NIFTY', '26JAN27', undefined],
  ['NIFTYNXT50', '29DEC26', undefined],
])('a lot of %s with expiry %s is %s', (underlying, expiry, size) => {
  expect(lots.lotSize(underlying, 'NFO', expiry)).toBe(size)
})

it.each([
  ['NFO', true],
  ['CRYPTO', true],
  ['BFO', false],
  ['NSE', false],
])('contracts of %s are loaded: %s', (exchange, loaded) => {
  expect(lots.isLoaded(exchange)).toBe(loaded)
})
