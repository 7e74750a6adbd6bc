import { describe, expect, it } from 'vitest'
import { Almanac, SEED_HOLIDAYS, SEED_TIMINGS } from '../../../../src/core/calendar/index.js'
import { InMemoryDirectory, type Instrument } from '../../../../src/core/instruments/index.js'
import { EXPIRY_RANKS, expiryOfRank, liveAt } from '../../../../src/core/options/index.js'
import { pickExpiry, tradedExpiries } from '../../../../src/core/strategies/resolve/expiry.js'

const almanac = new Almanac(
  SEED_HOLIDAYS.map((one, id) => ({ ...one, id })),
  SEED_TIMINGS,
)

interface Listing {
  exchange: 'NFO' | 'BFO' | 'MCX' | 'CDS'
  options: string
  futures: string
}

const LISTINGS = {
  /** 1 May, a Thursday, was a holiday: its weekly moved to 30 April. The monthly of April is the 24th. */
  'NIFTY 2025': {
    exchange: 'NFO',
    options: '17-APR-25 24-APR-25 30-APR-25 08-MAY-25 15-MAY-25 22-MAY-25 29-MAY-25 26-JUN-25',
    futures: '24-APR-25 29-MAY-25 26-JUN-25',
  },
  /** Tuesday 1 December is a holiday: its weekly moved to 30 November. */
  'NIFTY 2026': {
    exchange: 'NFO',
    options: '24-NOV-26 30-NOV-26 08-DEC-26 15-DEC-26 22-DEC-26 29-DEC-26 25-JAN-27 30-MAR-27',
    futures: '24-NOV-26 29-DEC-26 25-JAN-27',
  },
  'SENSEX 2026': {
    exchange: 'BFO',
    options: '19-NOV-26 26-NOV-26 03-DEC-26 10-DEC-26 17-DEC-26 24-DEC-26 31-DEC-26 28-JAN-27',
    futures: '26-NOV-26 31-DEC-26 28-JAN-27',
  },
  'BANKNIFTY 2026': {
    exchange: 'NFO',
    options: '24-NOV-26 29-DEC-26 25-JAN-27 30-MAR-27',
    futures: '24-NOV-26 29-DEC-26 25-JAN-27',
  },
  'SBIN 2026': {
    exchange: 'NFO',
    options: '24-NOV-26 29-DEC-26 25-JAN-27',
    futures: '24-NOV-26 29-DEC-26 25-JAN-27',
  },
  /** Only options, with weeklies: the monthly is that of the last week, before any holiday moved a weekly. */
  'OPTIONS 2025': {
    exchange: 'NFO',
    options: '17-APR-25 24-APR-25 30-APR-25 08-MAY-25 15-MAY-25 22-MAY-25 29-MAY-25',
    futures: '',
  },
  /** Two weeklies in different months are no monthlies. */
  'WEEKLIES 2026': { exchange: 'NFO', options: '29-DEC-26 05-JAN-27', futures: '' },
  /** A holiday moves the last one of these monthlies into the month of the one before. */
  'MONTHLIES 2026': { exchange: 'MCX', options: '01-DEC-26 31-DEC-26 29-JAN-27', futures: '' },
  /** Options of commodities expire some days before the future that they are on. */
  'CRUDEOIL 2026': {
    exchange: 'MCX',
    options: '17-NOV-26 16-DEC-26 14-JAN-27',
    futures: '19-NOV-26 18-DEC-26 19-JAN-27',
  },
  /** Currencies have weekly futures, too. */
  'USDINR 2026': {
    exchange: 'CDS',
    options: '20-NOV-26 26-NOV-26 04-DEC-26 11-DEC-26 29-DEC-26',
    futures: '20-NOV-26 26-NOV-26 04-DEC-26 29-DEC-26',
  },
} as const satisfies Record<string, Listing>

const wordsOf = (text: string) => text.split(' ').filter((word) => word !== '')

function ranksAt(name: keyof typeof LISTINGS, at: string): (string | undefined)[] {
  const { exchange, futures, options } = LISTINGS[name]
  const isLive = liveAt(almanac, Date.parse(`${at}:00+05:30`))
  const listed = { contracts: wordsOf(options), futures: wordsOf(futures) }
  return EXPIRY_RANKS.map((rank) => expiryOfRank(rank, listed, (expiry) => isLive(expiry, exchange)))
}

describe('current_week, next_week, current_month and next_month', () => {
  it.each<[keyof typeof LISTINGS, string, string, string]>([
    ['NIFTY 2025', 'before the monthly', '2025-04-16T11:00', '17-APR-25 24-APR-25 24-APR-25 29-MAY-25'],
    ['NIFTY 2025', 'in its last minute', '2025-04-24T15:29', '24-APR-25 30-APR-25 24-APR-25 29-MAY-25'],
    ['NIFTY 2025', 'at its instant', '2025-04-24T15:30', '30-APR-25 08-MAY-25 29-MAY-25 26-JUN-25'],
    ['NIFTY 2025', 'on the moved weekly', '2025-04-30T11:00', '30-APR-25 08-MAY-25 29-MAY-25 26-JUN-25'],
    ['NIFTY 2025', 'on the holiday', '2025-05-01T11:00', '08-MAY-25 15-MAY-25 29-MAY-25 26-JUN-25'],
    ['NIFTY 2026', 'before the moved weekly', '2026-11-28T11:00', '30-NOV-26 08-DEC-26 29-DEC-26 25-JAN-27'],
    ['NIFTY 2026', 'after the moved weekly', '2026-11-30T15:40', '08-DEC-26 15-DEC-26 29-DEC-26 25-JAN-27'],
    ['NIFTY 2026', 'after the last future', '2027-01-25T15:40', '30-MAR-27 - - -'],
    [
      'SENSEX 2026',
      'on the day of the monthly',
      '2026-11-26T15:00',
      '26-NOV-26 03-DEC-26 26-NOV-26 31-DEC-26',
    ],
    ['SENSEX 2026', 'after the monthly', '2026-11-26T15:40', '03-DEC-26 10-DEC-26 31-DEC-26 28-JAN-27'],
    ['BANKNIFTY 2026', 'without weeklies', '2026-11-28T11:00', '29-DEC-26 25-JAN-27 29-DEC-26 25-JAN-27'],
    ['SBIN 2026', 'of a share', '2026-11-20T11:00', '24-NOV-26 29-DEC-26 24-NOV-26 29-DEC-26'],
    ['OPTIONS 2025', 'without futures', '2025-04-16T11:00', '17-APR-25 24-APR-25 24-APR-25 29-MAY-25'],
    ['WEEKLIES 2026', 'over the end of a month', '2026-12-28T11:00', '29-DEC-26 05-JAN-27 29-DEC-26 -'],
    [
      'MONTHLIES 2026',
      'two of them in a month',
      '2026-11-28T11:00',
      '01-DEC-26 31-DEC-26 01-DEC-26 31-DEC-26',
    ],
    ['OPTIONS 2025', 'after the monthly', '2025-04-25T11:00', '30-APR-25 08-MAY-25 29-MAY-25 -'],
    [
      'CRUDEOIL 2026',
      'in the evening of its last day',
      '2026-11-17T23:25',
      '17-NOV-26 16-DEC-26 17-NOV-26 16-DEC-26',
    ],
    ['CRUDEOIL 2026', 'after its close', '2026-11-17T23:55', '16-DEC-26 14-JAN-27 16-DEC-26 14-JAN-27'],
    ['USDINR 2026', 'before 12:30', '2026-11-26T12:29', '26-NOV-26 04-DEC-26 26-NOV-26 29-DEC-26'],
    ['USDINR 2026', 'after 12:30', '2026-11-26T12:30', '04-DEC-26 11-DEC-26 29-DEC-26 -'],
  ])('%s, %s (%s)', (name, _when, at, expected) => {
    expect(ranksAt(name, at).map((expiry) => expiry ?? '-')).toEqual(expected.split(' '))
  })
})

describe('the ranks of a strategy', () => {
  const rows = ({ exchange, futures, options }: Listing, name: string): Instrument[] =>
    [
      ...wordsOf(options).map((expiry) => ({ expiry, type: 'CE', strike: 24000 })),
      ...wordsOf(futures).map((expiry) => ({ expiry, type: 'FUT', strike: 0 })),
    ].map(({ expiry, strike, type }, index) => ({
      symbol: `${name}${expiry.replaceAll('-', '')}${strike || ''}${type}`,
      exchange,
      brokerSymbol: `${index}`,
      brokerExchange: exchange,
      name,
      token: `${index}`,
      expiry,
      strike,
      lotSize: 65,
      instrumentType: type,
      tickSize: 0.05,
    }))
  const at = (instant: string, kind: 'options' | 'futures') => {
    const catalog = InMemoryDirectory.of(rows(LISTINGS['NIFTY 2026'], 'NIFTY'))
    return tradedExpiries({ catalog, almanac }, 'NFO', 'NIFTY', kind, Date.parse(`${instant}:00+05:30`))
  }

  it.each<['options' | 'futures', string, string]>([
    ['options', 'weekly', '30-NOV-26'],
    ['options', 'next_week', '08-DEC-26'],
    ['options', 'monthly', '29-DEC-26'],
    ['options', 'next_month', '25-JAN-27'],
    ['futures', 'current', '29-DEC-26'],
    ['futures', 'next', '25-JAN-27'],
    ['futures', 'monthly', '29-DEC-26'],
  ])('%s %s is %s, as in a workflow', (kind, rank, expiry) => {
    expect(pickExpiry(at('2026-11-28T11:00', kind), rank)).toEqual({ expiry, isFallback: false })
  })

  it('take a nearer monthly for one that is not listed, and never a weekly', () => {
    expect(pickExpiry(at('2026-12-29T15:40', 'options'), 'next_month')).toEqual({
      expiry: '25-JAN-27',
      isFallback: true,
    })
    expect(() => pickExpiry(at('2027-01-25T15:40', 'options'), 'monthly')).toThrow(
      'No unexpired monthly contract is listed',
    )
  })
})
