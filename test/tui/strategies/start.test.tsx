import { describe, expect, it } from 'vitest'
import { opened } from './strategy-desk.js'

describe('a start after the exit time', () => {
  it('is refused before any question', async () => {
    const { server, shows, press, screen } = await opened((prepared) => {
      prepared.strategy = { ...prepared.strategy, strategy_type: 'intraday', exit_time: '00:00' }
    })
    await shows('has never run')
    await press('s')
    await shows('3 Straddle is past its exit time, 00:00: it starts again tomorrow.')
    expect(screen()).not.toContain('In which mode?')
    expect(server.changes).toEqual([])
  })
})

describe('a start', () => {
  it('in the sandbox wants a mode and a yes', async () => {
    const { server, shows, press } = await opened()
    await shows('NIFTY weekly ATM CE')
    await press('s')
    await shows('In which mode?')
    await press('s')
    await shows('Start 3 Straddle in the sandbox? The service is in LIVE mode.')
    await shows('leg 2: SELL 1 lot of NIFTY weekly ATM PE, NRML')
    expect(server.changes).toEqual([])
    await press('y')
    await shows('Start of 3: run 31 has started in sandbox mode.')
    expect(server.changes).toEqual(['3/start{"mode":"sandbox"}'])
  })

  it('with live orders wants the typed word: neither y nor another word sends it', async () => {
    const { server, shows, press } = await opened()
    await shows('NIFTY weekly ATM CE')
    for (const word of ['y', 'liv']) {
      await press('s')
      await shows('In which mode?')
      await press('l')
      await shows('Type live to confirm')
      await press(word)
      await press('\r')
      await shows('enter details')
    }
    expect(server.changes).toEqual([])
    await press('s')
    await shows('In which mode?')
    await press('l')
    await shows('with LIVE orders at zerodha?')
    await press('live')
    await press('\r')
    await expect
      .poll(() => server.changes)
      .toEqual([
        '3/start{"mode":"live","reviewed":{"broker":"zerodha","updated_at":"2026-11-20T04:45:00+00:00"}}',
      ])
  })

  it('shows the legs that it would enter, not those of the last run', async () => {
    const { server, shows, screen, press } = await opened((one) => {
      one.hasRun = true
      one.orders = one.orders.map((order) => ({ ...order, action: 'BUY', symbol: `LAST${order.symbol}` }))
    })
    await shows(/LASTNIFTY24NOV26C +BUY/)
    // The list has not read this change yet.
    const updated_at = '2026-11-21T04:45:00+00:00'
    const legs = server.strategy.legs.map((leg) => ({ ...leg, lots: 3 }))
    server.strategy = { ...server.strategy, updated_at, legs }
    await press('s')
    await shows('In which mode?')
    await press('l')
    await shows('Type live to confirm')
    expect(screen()).toContain('leg 1: SELL 3 lots of NIFTY weekly ATM CE, NRML')
    expect(screen()).not.toContain('LAST')
    await press('live')
    await press('\r')
    await expect
      .poll(() => server.changes)
      .toEqual([`3/start{"mode":"live","reviewed":{"broker":"zerodha","updated_at":"${updated_at}"}}`])
  })

  it.each([
    ['runs meanwhile', { current_run_id: 31 }, '3 runs already.'],
    ['may run live no more', { live_enabled: false }, 'live runs are not enabled: svc strategy live 3 on'],
    [
      'is past its exit time',
      { strategy_type: 'intraday', exit_time: '00:00' },
      '3 Straddle is past its exit',
    ],
  ])('of a strategy that %s is not asked for', async (_, change, reason) => {
    const { server, shows, press } = await opened()
    await shows('NIFTY weekly ATM CE')
    await press('s')
    await shows('In which mode?')
    server.strategy = { ...server.strategy, ...change }
    await press('l')
    await shows(`Not sent: ${reason}`)
    expect(server.changes).toEqual([])
  })

  it('with live orders is not offered without the live switch', async () => {
    const { server, shows, press } = await opened((one) => {
      one.strategy.live_enabled = false
    })
    await shows('NIFTY weekly ATM CE')
    await press('s')
    await shows('In which mode?')
    await press('l')
    await shows('Live runs are not enabled: svc strategy live 3 on')
    expect(server.changes).toEqual([])
  })

  it('is not sent when the broker has changed since the question', async () => {
    const { server, shows, press } = await opened()
    await shows('NIFTY weekly ATM CE')
    await press('s')
    await shows('In which mode?')
    await press('l')
    await shows('Type live to confirm')
    server.account.broker = 'other'
    await press('live')
    await press('\r')
    await shows('Not sent: the mode or the broker has changed')
    expect(server.changes).toEqual([])
  })

  it('without an answer is in doubt, and is not repeated', async () => {
    const { server, shows, press } = await opened()
    await shows('NIFTY weekly ATM CE')
    server.isSilent = true
    await press('s')
    await shows('In which mode?')
    await press('s')
    await shows('in the sandbox?')
    await press('y')
    await shows('no answer, in doubt')
    expect(server.changes).toHaveLength(1)
  })
})
