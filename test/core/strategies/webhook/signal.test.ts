import { describe, expect, test } from 'vitest'
import type { Instrument } from '../../../../src/core/instruments/index.js'
import { checkSignal, type SignalRequest } from '../../../../src/core/strategies/webhook/signal.js'
import type { WebhookStrategy } from '../../../../src/core/strategies/webhook/strategies.js'
import { leg, strategyWith } from './strategy.js'

/** Monday, 10:00 in India. */
const TEN = Date.parse('2026-11-23T10:00:00+05:30')

const row = (symbol: string, exchange: Instrument['exchange'], lotSize: number): Instrument => ({
  symbol,
  brokerSymbol: symbol,
  name: symbol,
  exchange,
  brokerExchange: exchange,
  token: symbol,
  expiry: '',
  strike: 0,
  lotSize,
  instrumentType: exchange === 'NFO' ? 'FUT' : 'EQ',
  tickSize: 0.05,
})
const ROWS = [
  row('SBIN', 'NSE', 1),
  row('SBIN', 'BSE', 1),
  row('INFY', 'NSE', 1),
  row('NIFTY24NOV26FUT', 'NFO', 75),
  row('ODD24NOV26FUT', 'NFO', 0),
]
const instruments = {
  find: (symbol: string, exchange: string) =>
    ROWS.find((one) => one.symbol === symbol && one.exchange === exchange),
  hasExchange: (exchange: string) => ROWS.some((one) => one.exchange === exchange),
}

/** Returns the message of the refusal, or what is accepted, in short. */
function outcome(request: SignalRequest, over: Partial<WebhookStrategy> = {}, now = TEN): string {
  const checked = checkSignal(request, strategyWith(over), { instruments, now })
  if ('result' in checked) {
    expect(checked.result).toBe('rejected_invalid_action')
    return checked.message
  }
  return [`${checked.signal} on leg ${checked.leg.id}`, checked.note].filter(Boolean).join(', ')
}

const long = { action: 'long_entry', legId: 1 }
const short = { action: 'short_entry', legId: 1 }
const NO_LEG = 'No leg matches this signal'
const OTHER_SYMBOL = "'leg_id' and 'symbol' name different contracts"
const VOCABULARY = "'action' must be one of long_entry, long_exit, short_entry, short_exit"
const CASH_SHORT =
  'Leg 1: cash cannot be held short overnight, and product CNC carries the position. Use MIS for an intraday short.'

test.each([undefined, null, 3, ['long_entry'], '', 'start', 'stop', 'buy', 'long', '__proto__'])(
  'the action %j is not a signal',
  (action) => {
    expect(outcome({ action, legId: 1 })).toBe(VOCABULARY)
  },
)

test('the action may have any case and spaces around it', () => {
  expect(outcome({ action: ' Long_ENTRY\n', legId: 1 })).toBe('long_entry on leg 1')
})

describe('the leg of a signal', () => {
  const legs = [
    leg({ id: 1, symbol: 'SBIN', exchange: 'NSE' }),
    leg({ id: 2, symbol: 'SBIN', exchange: 'BSE' }),
    leg({ id: 4, symbol: 'INFY', exchange: 'NSE', side: 'long' }),
    leg({ id: 5, symbol: 'INFY', exchange: 'NSE', side: 'short' }),
  ]
  test.each([
    [{ legId: 2 }, 'long_entry on leg 2'],
    [{ legId: '2' }, 'long_entry on leg 2'],
    [{ legId: 2, symbol: ' sbin ' }, 'long_entry on leg 2'],
    [{ legId: 2, symbol: null }, 'long_entry on leg 2'],
    [{ legId: 2, symbol: 'INFY' }, OTHER_SYMBOL],
    [{ legId: 2, symbol: 5 }, OTHER_SYMBOL],
    [{ legId: 3, symbol: 'INFY' }, NO_LEG],
    [{ legId: 1.5 }, NO_LEG],
    [{ legId: true }, NO_LEG],
    [{ legId: [1] }, NO_LEG],
    [{ legId: null, symbol: ' sbin ', exchange: 'bse' }, 'long_entry on leg 2'],
    [{ legId: '', symbol: 'SBIN', exchange: 'NSE' }, 'long_entry on leg 1'],
    [{ symbol: 'SBIN', exchange: 'MCX' }, NO_LEG],
    [{ symbol: 'SBIN' }, "Several legs match this signal. Add 'leg_id' or 'exchange'"],
    [{ symbol: 'INFY' }, 'long_entry on leg 4'],
    [{ symbol: 'TCS' }, NO_LEG],
    [{ symbol: 5 }, NO_LEG],
    [{}, NO_LEG],
  ])('%j: %s', (given, expected) => {
    expect(outcome({ action: 'long_entry', ...given }, { legs })).toBe(expected)
  })

  test('of two legs with one symbol, the one that accepts the side', () => {
    expect(outcome({ action: 'short_exit', symbol: 'INFY' }, { legs })).toBe('short_exit on leg 5')
  })
})

describe('the configuration of a leg', () => {
  test.each([
    ['long_only', short, 'This strategy is long_only; a short signal is not accepted'],
    [
      'long_only',
      { action: 'short_exit', legId: 1 },
      'This strategy is long_only; a short signal is not accepted',
    ],
    ['short_only', long, 'This strategy is short_only; a long signal is not accepted'],
  ] as const)('a %s strategy refuses the other side', (direction, request, message) => {
    expect(outcome(request, { direction })).toBe(message)
  })

  test.each([
    ['long', short, 'Leg 1 only accepts long signals'],
    ['short', { action: 'long_exit', legId: 1 }, 'Leg 1 only accepts short signals'],
  ] as const)('a %s leg refuses the other side', (side, request, message) => {
    expect(outcome(request, { legs: [leg({ side })] })).toBe(message)
  })

  test('cash is sold short only with product MIS, and its short is closed with any', () => {
    expect(outcome(short, { product: 'MIS' })).toBe('short_entry on leg 1')
    for (const product of ['CNC', 'NRML'] as const) {
      expect(outcome(short, { product })).toBe(CASH_SHORT)
      expect(outcome(long, { product })).toBe('long_entry on leg 1')
      expect(outcome({ action: 'short_exit', legId: 1 }, { product })).toBe('short_exit on leg 1')
    }
  })

  const nifty = leg({ symbol: 'NIFTY', exchange: 'NFO', segment: 'futures', qtyMode: 'lots', qty: 1 })

  test('the symbol must be a contract of its exchange, unless no contract of the exchange is known', () => {
    expect(outcome(long, { legs: [nifty] })).toBe('Leg 1: NIFTY is not a contract on NFO')
    expect(outcome(long, { legs: [leg({ symbol: 'SBINN' })] })).toBe('Leg 1: SBINN is not a contract on NSE')
    const unknown = { ...nifty, exchange: 'MCX', qtyMode: 'units' } as const
    expect(outcome(long, { legs: [unknown] })).toBe('long_entry on leg 1')
  })

  test('an entry trades whole lots, and an exit closes what is held', () => {
    const future = leg({ symbol: 'NIFTY24NOV26FUT', exchange: 'NFO', segment: 'futures' })
    expect(outcome(long, { legs: [{ ...future, qty: 150 }] })).toBe('long_entry on leg 1')
    expect(outcome(long, { legs: [{ ...future, qty: 2, qtyMode: 'lots' }] })).toBe('long_entry on leg 1')
    const message = 'Leg 1: 100 is not a whole number of lots; NIFTY24NOV26FUT trades in lots of 75'
    expect(outcome(long, { legs: [{ ...future, qty: 100 }] })).toBe(message)
    expect(outcome({ action: 'long_exit', legId: 1 }, { legs: [{ ...future, qty: 100 }] })).toBe(
      'long_exit on leg 1',
    )
    expect(outcome(long, { legs: [{ ...future, symbol: 'ODD24NOV26FUT' }] })).toBe(
      'No lot size is known for ODD24NOV26FUT',
    )
  })

  test('lots need a known lot size, also on an exchange without contracts', () => {
    const contract = { symbol: 'X26NOV26FUT', exchange: 'NCO', segment: 'futures' } as const
    expect(outcome(long, { legs: [leg({ ...contract, qtyMode: 'lots' })] })).toBe(
      'No lot size is known for X26NOV26FUT',
    )
    expect(outcome(long, { legs: [leg({ ...contract, qtyMode: 'units' })] })).toBe('long_entry on leg 1')
  })

  test('the checks have their order: direction, side, cash short, contract', () => {
    const legs = [leg({ side: 'long', symbol: 'SBINN' })]
    expect(outcome(short, { direction: 'long_only', product: 'CNC', legs })).toMatch(
      /^This strategy is long_only/,
    )
    expect(outcome(short, { product: 'CNC', legs })).toMatch(/only accepts long/)
    expect(outcome(short, { product: 'CNC', legs: [leg({ symbol: 'SBINN' })] })).toBe(CASH_SHORT)
    expect(outcome(short, { legs: [leg({ symbol: 'SBINN' })] })).toMatch(/is not a contract/)
  })
})

describe('the times of an intraday strategy', () => {
  const day = { strategyType: 'intraday', entryTime: '09:30', exitTime: '15:15' } as const
  const at = (time: string) => Date.parse(`2026-11-23T${time}+05:30`)
  test.each([
    ['09:29:59.999', 'long_entry', 'outside_entry_window'],
    ['09:30:00', 'long_entry', undefined],
    ['09:00:00', 'long_exit', undefined],
    ['15:14:59.999', 'short_entry', undefined],
    ['15:15:00', 'short_entry', 'outside_trading_window'],
    ['15:15:00', 'short_exit', 'outside_trading_window'],
    ['23:59:59', 'long_exit', 'outside_trading_window'],
    ['00:00:00', 'long_exit', undefined],
  ])('at %s %s has the note %s', (time, action, note) => {
    const expected = [`${action} on leg 1`, note].filter(Boolean).join(', ')
    expect(outcome({ action, legId: 1 }, day, at(time))).toBe(expected)
  })

  test('a positional strategy has no such times', () => {
    expect(outcome(long, { ...day, strategyType: 'positional' }, at('23:00:00'))).toBe('long_entry on leg 1')
  })
})
