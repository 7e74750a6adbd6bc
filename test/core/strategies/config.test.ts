import { expect, test } from 'vitest'
import {
  EVENT_KINDS,
  EXIT_KIND_OF_STOP,
  readStrategy,
  STOP_REASONS,
} from '../../../src/core/strategies/index.js'
import { BATCH, CASH_LEG, LEG, SIGNAL, SIGNAL_LEG } from './samples.js'

type Case = [name: string, input: unknown, message: string]
const batch = (changes: object) => ({ ...BATCH, ...changes })
const leg = (changes: object) => batch({ legs: [{ ...LEG, ...changes }] })
const cash = (changes: object, more: object = {}) => batch({ ...more, legs: [{ ...CASH_LEG, ...changes }] })
const signal = (changes: object, more: object = {}) => ({
  ...SIGNAL,
  ...more,
  legs: [{ ...SIGNAL_LEG, ...changes }],
})
const daily = { enabled: true, days: ['MON'], start_time: '09:20', auto_stop_time: '15:00' }
const lock = { mode: 'lock', if_profit_reaches: 100, lock_profit: 50 }
const without = (field: string) => Object.fromEntries(Object.entries(BATCH).filter(([key]) => key !== field))

const REFUSED: readonly Case[] = [
  [
    'an unknown field',
    batch({ foo: 1, bar: 2 }),
    'The request does not accept foo, bar. Accepted fields: name',
  ],
  ['an unknown field of a leg', leg({ foo: 1 }), 'legs[0] does not accept foo. Accepted fields: id, segment'],
  ['a field of signals in a batch', leg({ qty: 1 }), 'legs[0] does not accept qty.'],
  ['no object', [], 'The request must be an object'],
  ['no name', without('name'), 'name is required'],
  ['a long name', batch({ name: 'x'.repeat(201) }), 'name must be a text of 1 to 200 characters'],
  ['a name that moves the cursor', batch({ name: 'a\u001b[2J' }), 'name must be a text'],
  ['no underlying', without('underlying'), 'underlying is required'],
  ['a long underlying', batch({ underlying: 'X'.repeat(51) }), 'underlying must be a symbol of 1 to 50'],
  [
    'an exchange that does not exist',
    batch({ underlying_exchange: 'NYSE' }),
    'underlying_exchange must be one of NSE, BSE',
  ],
  ['a limit order', batch({ pricetype: 'LIMIT' }), 'pricetype must be one of MARKET'],
  ['an unknown product', batch({ product: 'BO' }), 'product must be one of CNC, NRML, MIS'],
  [
    'an intraday strategy without entry',
    batch({ entry_time: null }),
    'entry_time is required for an intraday strategy',
  ],
  [
    'an intraday strategy without exit',
    batch({ exit_time: null }),
    'exit_time is required for an intraday strategy',
  ],
  ['an entry after the exit', batch({ entry_time: '15:15' }), 'entry_time must be earlier than exit_time'],
  ['a time that does not exist', batch({ entry_time: '24:00' }), 'entry_time must be a time of day, HH:MM'],
  ['a negative stop', batch({ overall_sl_mtm: -1 }), 'overall_sl_mtm must be an amount of 0 or more'],
  [
    'a part of a paisa',
    batch({ overall_sl_mtm: 0.001 }),
    'overall_sl_mtm must be an amount of 0 or more with at most 2',
  ],
  [
    'a limit that is no number',
    batch({ daily_loss_limit_inr: '1e999' }),
    'daily_loss_limit_inr must be an amount',
  ],
  [
    'a lock of nothing',
    batch({ lock_profit: { ...lock, if_profit_reaches: 0, lock_profit: 0 } }),
    'lock_profit.if_profit_reaches must be above 0',
  ],
  [
    'a lock above the profit',
    batch({ lock_profit: { ...lock, lock_profit: 101 } }),
    'lock_profit.lock_profit must not be above if_profit_reaches',
  ],
  [
    'a trailing lock without step',
    batch({ lock_profit: { ...lock, mode: 'lock_and_trail' } }),
    'lock_profit.trail_step must be above 0 with mode lock_and_trail',
  ],
  [
    'a scheduler without days',
    batch({ scheduler: { ...daily, days: [] } }),
    'scheduler.days is required for an enabled scheduler',
  ],
  [
    'a day twice',
    batch({ scheduler: { ...daily, days: ['MON', 'mon'] } }),
    'scheduler.days must name each day once',
  ],
  [
    'a start after the stop',
    batch({ scheduler: { ...daily, start_time: '15:00' } }),
    'scheduler.start_time must be earlier than auto_stop_time',
  ],
  [
    'a scheduler without times',
    batch({ scheduler: { enabled: true, days: ['MON'] } }),
    'scheduler.start_time is required for an enabled scheduler',
  ],
  [
    'a network that is none',
    batch({ webhook_ip_allowlist: ['10.0.0.0/33'] }),
    'webhook_ip_allowlist[0] must be an IPv4 or IPv6',
  ],
  [
    'too many networks',
    batch({ webhook_ip_allowlist: Array(21).fill('10.0.0.1') }),
    'webhook_ip_allowlist must have at most 20 addresses',
  ],
  ['no leg', batch({ legs: [] }), 'legs must have 1 to 10 legs'],
  ['too many legs', batch({ legs: Array(11).fill(LEG) }), 'legs must have 1 to 10 legs'],
  [
    'an id twice',
    batch({ legs: [LEG, { ...LEG, id: 1 }] }),
    'legs[1].id must be unique; 1 is the id of another leg',
  ],
  ['half a lot', leg({ lots: 0.5 }), 'legs[0].lots must be a whole number'],
  ['a billion lots', leg({ lots: 1e9 }), 'legs[0].lots must be a whole number from 1 to 1000000'],
  ['too many lots', leg({ lots: 51 }), 'legs[0].lots must be a whole number from 1 to 50'],
  ['an option of no type', leg({ option_type: null }), 'legs[0].option_type is required for options'],
  ['an option without expiry', leg({ expiry: null }), 'legs[0].expiry is required for options'],
  ['a strike of the wrong mode', leg({ strike: 100 }), 'legs[0].strike is for strike_mode strike'],
  ['no strike', leg({ strike_mode: 'strike' }), 'legs[0].strike is required for strike_mode strike'],
  ['an offset far away', leg({ atm_offset: 'OTM6' }), 'legs[0].atm_offset must be one of ATM'],
  ['an option type of a future', leg({ segment: 'futures' }), 'legs[0].option_type is for options only'],
  ['an expiry of cash', cash({ expiry: 'monthly' }), 'legs[0].expiry is not for cash'],
  [
    'cash on another tab',
    cash({}, { universe_tab: 'mcx' }),
    'legs[0].segment cash is only for universe_tab stocks_fno',
  ],
  [
    'a short of cash overnight',
    cash({ position: 'S' }),
    'legs[0].position S is refused: cash cannot be held short overnight',
  ],
  ['half a trail', leg({ trail: { x: 5 } }), 'legs[0].trail.y is required'],
  [
    'a trail without a step',
    leg({ sl_pts: 5, trail: { x: 0, y: 1 } }),
    'legs[0].trail.x must be above 0 when y is',
  ],
  [
    'a trail of no stop',
    leg({ trail: { x: 5, y: 3 } }),
    'legs[0].trail with y moves the stop loss, so sl_pts is required',
  ],
  [
    'a stop of 101 percent',
    leg({ sl_pts: 101, risk_unit: 'percent' }),
    'legs[0].sl_pts must be at most 100 with risk_unit percent',
  ],
  [
    'a new entry after a stop that never comes',
    leg({ reentry: { on: 'sl', mode: 'asap', max: 1 } }),
    'legs[0].reentry.on sl needs sl_pts or a trail',
  ],
  [
    'eleven new entries',
    leg({ sl_pts: 5, reentry: { on: 'sl', mode: 'asap', max: 11 } }),
    'legs[0].reentry.max must be a whole number from 1 to 10',
  ],
  ['a signal leg without a symbol', signal({ symbol: '' }), 'legs[0].symbol must be a symbol'],
  ['futures on a cash exchange', signal({ segment: 'futures' }), 'legs[0].segment must be cash on NSE'],
  ['cash on a futures exchange', signal({ exchange: 'NFO' }), 'legs[0].segment must be futures on NFO'],
  ['lots of cash', signal({ qty_mode: 'lots' }), 'legs[0].qty_mode lots is for derivatives'],
  [
    'a side against the direction',
    signal({ side: 'short' }, { direction: 'long_only' }),
    'legs[0].side short does not fit direction long_only',
  ],
  ['too many units', signal({ qty: 1_000_001 }), 'legs[0].qty must be a whole number from 1 to 1000000'],
  [
    'too many lots of signals',
    signal({ exchange: 'NFO', segment: 'futures', qty: 10_001 }),
    'legs[0].qty must be a whole number from 1 to 10000 lots',
  ],
  ['a prototype', JSON.parse('{"__proto__": {"name": "x"}}'), 'name is required'],
]

test.each(REFUSED)('%s is refused', (_name, input, message) => {
  expect(readStrategy(input).problems?.[0]?.message).toContain(message)
})

const TABS: readonly [string, object, string][] = [
  ['stocks_fno for a cash leg', cash({}), 'stocks_fno'],
  ['mcx for commodities', batch({ underlying_exchange: 'MCX' }), 'mcx'],
  ['weekly_monthly for a weekly leg', BATCH, 'weekly_monthly'],
  ['monthly_only otherwise', leg({ expiry: 'monthly' }), 'monthly_only'],
  ['the one that was given', batch({ universe_tab: 'Monthly_Only' }), 'monthly_only'],
]
test.each(TABS)('the tab is %s', (_name, input, tab) => {
  expect(readStrategy(input).config?.universe_tab).toBe(tab)
})

test('words are stored as listed, zeros mean none, days follow the week', () => {
  const { config } = readStrategy(
    batch({
      product: 'mis',
      overall_sl_mtm: 0,
      scheduler: { ...daily, days: ['fri', 'MON'] },
      legs: [{ ...LEG, segment: 'OPTIONS', option_type: 'ce', target_pts: 0, trail: { x: 0, y: 0 } }],
    }),
  )
  expect(config).toMatchObject({
    product: 'MIS',
    overall_sl_mtm: null,
    scheduler: { days: ['MON', 'FRI'], default_mode: 'sandbox' },
    legs: [
      { id: 1, segment: 'options', option_type: 'CE', atm_offset: 'ATM', target_pts: null, trail: null },
    ],
  })
})

test.each([BATCH, SIGNAL, batch({ scheduler: daily, lock_profit: lock }), cash({})])(
  'the canonical form reads as itself',
  (input) => {
    const { config } = readStrategy(input)
    expect(config).toBeDefined()
    expect(readStrategy(config).config).toEqual(config)
  },
)

test('there are 41 kinds of event, and every stop has a kind of exit', () => {
  expect(EVENT_KINDS).toHaveLength(41)
  expect(Object.keys(EXIT_KIND_OF_STOP)).toEqual(STOP_REASONS)
})
