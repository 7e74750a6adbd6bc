import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Rig } from './harness.js'

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
  ['no_such_key', '1', 'Unknown configuration key: no_such_key'],
  ['toString', '1', 'Unknown configuration key: toString'],
]

describe('settings', () => {
  it.each(REFUSED)('%s = %s is refused', async (key, value, message) => {
    await expect(rig.sandbox.changeSetting(key, value)).rejects.toMatchObject({ code: 'validation', message })
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

  it('gives every account the new capital and leaves what it gained and holds', async () => {
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
