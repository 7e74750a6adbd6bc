import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { orderOf, Rig, USER } from './harness.js'

let rig: Rig
beforeEach(async () => {
  rig = await Rig.open()
})
afterEach(() => rig.close())

const REFUSED: [key: string | undefined, value: string | undefined, message: string][] = [
  [undefined, '5', 'Missing config_key or config_value'],
  ['equity_mis_leverage', undefined, 'Missing config_key or config_value'],
  ['starting_capital', '123', 'Starting capital must be one of: ₹1L, ₹5L, ₹10L, ₹25L, ₹50L, or ₹1Cr'],
  ['equity_mis_leverage', '0.5', 'Leverage must be at least 1x'],
  ['futures_leverage', '51', 'Leverage cannot exceed 50x'],
  ['futures_leverage', 'ten', 'futures_leverage must be a valid number'],
  ['order_check_interval', '31', 'Order check interval must be between 1-30 seconds'],
  ['mtm_update_interval', '61', 'MTM update interval must be between 0-60 seconds (0 = manual only)'],
  ['nse_bse_square_off_time', '3:15', 'Time must be in HH:MM format'],
  ['nse_bse_square_off_time', '25:00', 'Invalid time format'],
  [
    'reset_day',
    'Someday',
    'Reset day must be one of: Monday, Tuesday, Wednesday, Thursday, Friday, Saturday, Sunday, Never',
  ],
  ['smart_order_delay', '0', 'smart_order_delay must be a positive number'],
  ['order_rate_limit', 'x', 'order_rate_limit must be a valid number'],
  ['expiry_settlement_timing', 'later', "Expiry settlement timing must be 'expiry_day_close' or 'next_day'"],
  ['option_expiry_settlement', 'mid', "Option expiry settlement must be 'ltp' or 'zero'"],
  ['gtt_claim_timeout_sec', '1.5', 'gtt_claim_timeout_sec must be a valid number'],
  ['gtt_claim_timeout_sec', '0', 'gtt_claim_timeout_sec must be a positive number'],
  ['gtt_oco_margin_mode', 'both', "GTT OCO margin mode must be 'max' or 'sum'"],
  ['reset_time', '24:00', 'Invalid time format'],
  ...['1e5', '0x186A0', '1_00_000', '१०००००', '1,00,000'].map((value): [string, string, string] => [
    'starting_capital',
    value,
    'Starting capital must be one of: ₹1L, ₹5L, ₹10L, ₹25L, ₹50L, or ₹1Cr',
  ]),
  ...[
    'equity_mis_leverage',
    'order_check_interval',
    'mtm_update_interval',
    'order_rate_limit',
    'smart_order_delay',
    'gtt_claim_timeout_sec',
  ].flatMap((key) =>
    ['0b101', '0x5', '5e0', '1_0', '٣', '+5', '5.', 'Infinity'].map((value): [string, string, string] => [
      key,
      value,
      `${key} must be a valid number`,
    ]),
  ),
  ['gtt_claim_timeout_sec', '-0', 'gtt_claim_timeout_sec must be a positive number'],
  ['no_such_key', '1', 'Unknown configuration key: no_such_key'],
  ['toString', '1', 'Unknown configuration key: toString'],
]

describe('settings', () => {
  it.each(REFUSED)('%s = %s is refused', async (key, value, message) => {
    await expect(rig.sandbox.changeSetting(key, value)).rejects.toMatchObject({ code: 'validation', message })
  })

  it.each([
    ['starting_capital', '100000', '10000000'],
    ['order_check_interval', '1', '30'],
    ['mtm_update_interval', '0', '60'],
    ...['equity_mis', 'equity_cnc', 'futures', 'option_buy', 'option_sell'].map((kind) => [
      `${kind}_leverage`,
      '1',
      '50',
    ]),
    ...['nse_bse', 'cds_bcd', 'mcx', 'ncdex'].map((group) => [`${group}_square_off_time`, '00:00', '23:59']),
    ['reset_day', 'Monday', 'Never'],
    ['reset_time', '00:00', '23:59'],
    ['gtt_claim_timeout_sec', '1', '3600'],
    ['gtt_oco_margin_mode', 'max', 'sum'],
    ['expiry_settlement_timing', 'expiry_day_close', 'next_day'],
    ['option_expiry_settlement', 'ltp', 'zero'],
  ])('%s takes both ends of its range, %s and %s', async (key = '', ...ends) => {
    for (const value of ends) {
      await rig.sandbox.changeSetting(key, value)
      const settings = await rig.sandbox.settings()
      expect(settings.find((one) => one.key === key)?.value).toBe(value)
    }
  })

  it('has the documented defaults', async () => {
    const settings = await rig.sandbox.settings()
    expect(Object.fromEntries(settings.map(({ key, value }) => [key, value]))).toEqual({
      starting_capital: '10000000.00',
      reset_day: 'Never',
      reset_time: '00:00',
      order_check_interval: '5',
      mtm_update_interval: '5',
      nse_bse_square_off_time: '15:15',
      cds_bcd_square_off_time: '16:45',
      mcx_square_off_time: '23:30',
      ncdex_square_off_time: '17:00',
      equity_mis_leverage: '5',
      equity_cnc_leverage: '1',
      futures_leverage: '10',
      option_buy_leverage: '1',
      option_sell_leverage: '1',
      order_rate_limit: '10',
      api_rate_limit: '50',
      smart_order_rate_limit: '2',
      smart_order_delay: '0.5',
      expiry_settlement_timing: 'expiry_day_close',
      option_expiry_settlement: 'ltp',
      gtt_oco_margin_mode: 'max',
      gtt_claim_timeout_sec: '60',
    })
  })

  it('keeps a change over a restart and uses it at once', async () => {
    await rig.sandbox.changeSetting('nse_bse_square_off_time', '09:30')
    rig.price(250)
    expect(await rig.place({})).toMatchObject({ message: expect.stringContaining('(09:30 IST)') })
    await rig.reboot()
    expect(await rig.place({})).toMatchObject({ ok: false })
    const settings = await rig.sandbox.settings()
    expect(settings).toHaveLength(22)
    expect(settings.find(({ key }) => key === 'nse_bse_square_off_time')).toMatchObject({ value: '09:30' })
  })

  it('gives every account the new capital and keeps its profit and positions', async () => {
    await rig.trade('BUY', 100, 50)
    await rig.trade('SELL', 50, 60)
    await rig.sandbox.changeSetting('starting_capital', '500000')
    expect(await rig.funds()).toMatchObject({
      availablecash: 500_000 - 500 + 500,
      utiliseddebits: 500,
      total_realized_pnl: 500,
    })
    expect(await rig.sandbox.books.funds('ravi')).toMatchObject({ availablecash: 500_000 })
  })
})

describe('a capital for one account', () => {
  it('changes the funds of that account alone; its positions and profit stay', async () => {
    await rig.trade('BUY', 100, 50)
    await rig.trade('SELL', 50, 60)
    const others = await rig.sandbox.books.funds('ravi')
    await rig.sandbox.endow(USER, 500_000)
    expect(await rig.funds()).toMatchObject({
      availablecash: 500_000 - 500 + 500,
      utiliseddebits: 500,
      total_realized_pnl: 500,
    })
    expect(await rig.position()).toMatchObject({ quantity: 50 })
    expect(await rig.sandbox.books.funds('ravi')).toEqual(others)
  })

  it('opens a missing account, may be zero, and survives a restart', async () => {
    await rig.sandbox.endow('ravi', 0)
    await rig.sandbox.endow(USER, 123_456.78)
    await rig.reboot()
    expect(await rig.sandbox.books.funds('ravi')).toMatchObject({ availablecash: 0 })
    expect(await rig.funds()).toMatchObject({ availablecash: 123_456.78 })
    rig.price(250)
    expect(await rig.sandbox.place('ravi', orderOf({ quantity: 1 }))).toMatchObject({
      ok: false,
      message: expect.stringContaining('Insufficient funds'),
    })
  })
})
