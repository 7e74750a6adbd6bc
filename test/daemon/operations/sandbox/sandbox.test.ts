import type { Hono } from 'hono'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { SETTINGS } from '../../../../src/core/sandbox/index.js'
import type { AppEnv } from '../../../../src/daemon/process/env.js'
import { world } from '../../../core/identity/support.js'
import { Rig, USER } from '../../../core/sandbox/harness.js'
import { mounted } from '../../../support/desk/mounted.js'

let rig: Rig
let app: Hono<AppEnv>
/** Accounts whose daily order count was recomputed. */
let recounted: string[][]
beforeEach(async () => {
  rig = await Rig.open()
  rig.price(250)
  recounted = []
  const risk = Object({ recount: (...account: string[]) => recounted.push(account) })
  const parts = { sandbox: rig.sandbox, clock: rig.clock, risk }
  app = mounted((await world()).identity, { username: USER, scopes: ['settings'] }, parts)
})
afterEach(() => rig.close())

const call = async (method: string, path: string, body?: object) => {
  const init = {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  }
  // This request has no socket.
  const response = await app.request(`/sandbox${path}`, init, {})
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}
const csv = async (kind: string) => {
  const response = await app.request(`/sandbox/mypnl/export/${kind}`)
  return { status: response.status, headers: response.headers, lines: (await response.text()).split('\r\n') }
}

describe('the configuration', () => {
  it('is shown in groups, every setting in one', async () => {
    const { body } = await call('GET', '/api/configs')
    const groups = body.configs as Record<string, { title: string; configs: Record<string, unknown> }>
    expect(Object.keys(groups)).toEqual(['capital', 'leverage', 'square_off', 'intervals', 'expiry', 'gtt'])
    const keys = Object.values(groups).flatMap(({ configs }) => Object.keys(configs))
    expect(keys.sort()).toEqual(Object.keys(SETTINGS).sort())
    expect(groups.capital).toMatchObject({
      title: 'Capital',
      configs: { reset_day: { value: 'Never', description: expect.any(String) } },
    })
  })

  it('is changed, refused and put back', async () => {
    expect(
      await call('POST', '/update', { config_key: 'mcx_square_off_time', config_value: '23:00' }),
    ).toEqual({
      status: 200,
      body: { status: 'success', message: 'Configuration mcx_square_off_time updated successfully' },
    })
    const status = await call('GET', '/squareoff-status')
    const { jobs } = status.body.data as { jobs: { id: string }[] }
    expect(status.body.data).toMatchObject({ running: true, timezone: 'Asia/Kolkata' })
    expect(jobs.find(({ id }) => id === 'square_off.MCX')).toMatchObject({
      next_run: '2026-03-12 23:00:00 IST',
      last_due: '2026-03-11 23:15:00 IST',
    })
    expect(jobs.find(({ id }) => id === 'reset')).toMatchObject({ next_run: null, last_run: null })
    expect(await call('POST', '/update', { config_key: 'reset_day', config_value: 'Someday' })).toMatchObject(
      {
        status: 400,
      },
    )
    expect(await call('POST', '/reload-squareoff')).toMatchObject({ status: 200 })
    expect(await call('POST', '/reset')).toMatchObject({
      status: 200,
      body: { message: expect.stringContaining('P&L history have been cleared.') },
    })
    expect(recounted).toEqual([[USER, 'analyze']])
    const { body } = await call('GET', '/api/configs')
    expect(body.configs).toMatchObject({
      square_off: { configs: { mcx_square_off_time: { value: '23:30' } } },
    })
  })
})

describe('profit and history', () => {
  it('of an account that has done nothing are zeros, and no file', async () => {
    const { body } = await call('GET', '/mypnl/api/data')
    expect(body.data).toMatchObject({
      summary: { total_capital: 10_000_000, portfolio_value: 10_000_000, today_total_mtm: 0 },
      daily_pnl: [],
      positions: [],
      holdings: [],
      trades: [],
    })
    for (const [kind, what] of [
      ['daily', 'daily P&L'],
      ['positions', 'positions'],
      ['holdings', 'holdings'],
      ['trades', 'trades'],
    ]) {
      expect(await call('GET', `/mypnl/export/${kind}`)).toEqual({
        status: 404,
        body: { status: 'error', message: `No ${what} data to export` },
      })
    }
    expect(await call('GET', '/mypnl/export/orders')).toMatchObject({ status: 404 })
  })

  it('are shown and exported', async () => {
    await rig.trade('BUY', 10, 250, { strategy: '=HYPERLINK("x", 1)' })
    await rig.trade('SELL', 4, 260)
    await rig.trade('BUY', 5, 100, { product: 'CNC', symbol: 'INFY' })
    await rig.pass('2026-03-13T10:00:00+05:30')
    const { body } = await call('GET', '/mypnl/api/data')
    expect(body.data).toMatchObject({
      summary: {
        available_balance: 9_999_600,
        used_margin: 0,
        today_realized_pnl: 0,
        all_time_realized_pnl: 100,
        holdings_unrealized_pnl: 0,
      },
      daily_pnl: [{ date: '2026-03-12', realized_pnl: 100, total_mtm: 100, portfolio_value: 10_000_100 }],
      positions: [{ symbol: 'SBIN', all_time_realized_pnl: 100, margin_blocked: 0, status: 'Closed' }],
      holdings: [{ symbol: 'INFY', quantity: 5 }],
    })
    expect((body.data as { trades: object[] }).trades).toHaveLength(4)

    const daily = await csv('daily')
    expect(daily.headers.get('content-disposition')).toBe(
      'attachment; filename=sandbox_daily_pnl_20260313_100000.csv',
    )
    expect(daily.lines).toEqual([
      'Date,Realized P&L,Positions Unrealized,Holdings Unrealized,Total Unrealized,Total MTM,Portfolio Value',
      '2026-03-12,100,0,0,0,100,10000100',
      '',
    ])
    const positions = await csv('positions')
    expect(positions.lines[0]).toBe(
      'Symbol,Exchange,Product,Quantity,Average Price,LTP,Unrealized P&L,Today Realized P&L,All-Time Realized P&L,Margin Blocked,Status,Last Updated',
    )
    expect(positions.lines[1]).toMatch(/^SBIN,NSE,MIS,0,0,260,0,0,100,0,Closed,2026-03-12 15:15:00$/)
    expect((await csv('holdings')).lines.slice(0, 2)).toEqual([
      'Symbol,Exchange,Quantity,Average Price,LTP,Unrealized P&L,P&L %,Settlement Date',
      'INFY,NSE,5,100,100,0,0,2026-03-13',
    ])
    const trades = await csv('trades')
    expect(trades.lines[0]).toBe(
      'Trade ID,Order ID,Symbol,Exchange,Action,Quantity,Price,Product,Strategy,Timestamp',
    )
    expect(trades.lines.find((line) => line.includes('HYPERLINK'))).toContain('"\'=HYPERLINK(""x"", 1)"')
  })
})
