import { expect, test } from 'vitest'
import { syncFromBroker } from '../../../../src/daemon/broker/instrument-loading.js'
import { asleep } from '../../../support/asleep.js'
import { FlowRig, graphOf, HELLO, scheduled } from '../flows/flow-rig.js'
import { type AdminRig, adminRig, adminRigOf } from './admin-rig.js'

/* A change by a route of the administration is effective at once in everything that reads it. Today is a Friday, 11:00. */
const TODAY = '2026-11-20'
const EVERYWHERE = ['NSE', 'BSE', 'NFO', 'BFO', 'MCX', 'CDS', 'BCD']
const FUTURE = { symbol: 'NIFTY24NOV26FUT', exchange: 'NFO' }
const MARKET_HOURS = { env: { SIM_SESSIONS: 'market' } }

const idOf = (body: Record<string, unknown>): number => Number(Object(body.data).id)

async function closeToday({ call }: AdminRig): Promise<number> {
  const { body } = await call('POST', 'holidays', {
    holiday_date: TODAY,
    description: 'Elections',
    exchanges: EVERYWHERE,
  })
  return idOf(body)
}

const reopen = ({ call }: AdminRig, id: number) => call('DELETE', `holidays/${id}`)

/** Places an order; returns the message of its refusal. */
async function refusalOf(rig: AdminRig, order: object = {}): Promise<unknown> {
  const body = await rig.http.desk.settled(
    rig.api('placeorder', {
      strategy: 't',
      symbol: 'SBIN',
      exchange: 'NSE',
      action: 'BUY',
      product: 'MIS',
      quantity: 1,
      pricetype: 'MARKET',
      ...order,
    }),
  )
  return body.status === 'success' ? undefined : body.message
}

async function analyzing(rig: AdminRig): Promise<void> {
  await rig.service.sandbox.start()
  await rig.service.settings.setAnalyzeMode(true)
}

test('a freeze quantity limits orders at the exchange, and is in every answer about the contract', async () => {
  const rig = await adminRig()
  const order = { ...FUTURE, product: 'NRML', quantity: 1820 }
  const shown = async () => [
    Object((await rig.api('symbol', FUTURE)).data).freeze_qty,
    (Object((await rig.api('search', { query: FUTURE.symbol, exchange: 'NFO' })).data) as object[]).map(
      (row) => Object(row).freeze_qty,
    )[0],
    (
      await rig.api('optionsymbol', {
        underlying: 'NIFTY',
        exchange: 'NSE_INDEX',
        expiry_date: '24NOV26',
        offset: 'ATM',
        option_type: 'CE',
      })
    ).freeze_qty,
  ]
  expect(await refusalOf(rig, order)).toMatch(/exceeds the freeze quantity 1800/)
  expect(await shown()).toEqual([1800, 1800, 1800])
  const { data } = (await rig.call('GET', 'freeze')).body
  const nifty = (data as { id: number; exchange: string; symbol: string }[]).find(
    ({ exchange, symbol }) => exchange === 'NFO' && symbol === 'NIFTY',
  )
  await rig.call('PUT', `freeze/${nifty?.id}`, { freeze_qty: 1820 })
  expect(await shown()).toEqual([1820, 1820, 1820])
  expect(await refusalOf(rig, order)).toBeUndefined()
  await rig.upload('SYMBOL,VOL_FRZ_QTY\nNIFTY,65\n')
  expect(await refusalOf(rig, order)).toMatch(/exceeds the freeze quantity 65/)
  await rig.call('DELETE', `freeze/${nifty?.id}`)
  // Without an entry, no limit is known.
  expect(await shown()).toEqual([1, 1, 1])
  expect(await refusalOf(rig, order)).toBeUndefined()
})

test('a holiday closes the embedded exchange, and its end opens it again', async () => {
  const rig = await adminRig(MARKET_HOURS)
  expect(await refusalOf(rig)).toBeUndefined()
  const id = await closeToday(rig)
  expect(await refusalOf(rig)).toMatch(/NSE is closed/)
  await reopen(rig, id)
  expect(await refusalOf(rig)).toBeUndefined()
})

test('changed hours, and those of a special session, are the hours of the embedded exchange', async () => {
  const rig = await adminRig(MARKET_HOURS)
  const bars = async (date: string) => {
    const query = { symbol: 'SBIN', exchange: 'NSE', interval: '1m', start_date: date, end_date: date }
    return Object((await rig.api('history', query)).data) as { timestamp: number }[]
  }
  const first = async (date: string) => (await bars(date))[0]?.timestamp
  expect(await first('2026-11-19')).toBe(Date.parse('2026-11-19T09:15:00+05:30') / 1000)
  expect(await bars('2026-11-15')).toEqual([])
  await rig.call('PUT', 'timings/NSE', { start_time: '11:30', end_time: '15:30' })
  expect(await refusalOf(rig)).toMatch(/NSE is closed/)
  expect(await first('2026-11-19')).toBe(Date.parse('2026-11-19T11:30:00+05:30') / 1000)
  await rig.call('POST', 'holidays', {
    holiday_date: '2026-11-15',
    description: 'A Sunday',
    holiday_type: 'SPECIAL_SESSION',
    open_exchanges: [{ exchange: 'NSE', start_time: '18:00', end_time: '19:00' }],
  })
  expect(await bars('2026-11-15')).toHaveLength(60)
  expect(await first('2026-11-15')).toBe(Date.parse('2026-11-15T18:00:00+05:30') / 1000)
  await rig.call('PUT', 'timings/NSE', { start_time: '09:15', end_time: '15:30' })
  expect(await refusalOf(rig)).toBeUndefined()
})

test('the session of a holiday’s evening is open at the embedded exchange after midnight, too', async () => {
  const rig = await adminRig(MARKET_HOURS)
  await rig.call('POST', 'holidays', {
    holiday_date: TODAY,
    description: 'Muhurat',
    holiday_type: 'SPECIAL_SESSION',
    open_exchanges: [{ exchange: 'CDS', start_time: '18:00', end_time: '00:15' }],
  })
  const order = { symbol: 'USDINR27NOV26FUT', exchange: 'CDS', product: 'NRML', quantity: 1000 }
  expect(await refusalOf(rig, order)).toMatch(/CDS is closed/)
  await asleep(rig.clock, Date.parse('2026-11-21T00:10:00+05:30') - rig.clock.now())
  expect(await refusalOf(rig, order)).toBeUndefined()
  await rig.clock.advanceTo(Date.parse('2026-11-21T00:16:00+05:30'))
  expect(await refusalOf(rig, order)).toMatch(/CDS is closed/)
})

test('a holiday closes the simulated account for intraday orders, and moves its square-off and settlement', async () => {
  const rig = await adminRig(MARKET_HOURS)
  await analyzing(rig)
  const jobs = async () => {
    const { jobs } = await rig.service.sandbox.schedule()
    const at = (name: string) => new Date(jobs.find((job) => job.name === name)?.nextAt ?? 0).toISOString()
    return [at('square_off.NSE'), at('close.NFO'), at('t1')]
  }
  const usual = ['2026-11-20T09:45:00.000Z', '2026-11-20T10:10:00.000Z', '2026-11-22T18:30:00.000Z']
  expect(await refusalOf(rig)).toBeUndefined()
  expect(await jobs()).toEqual(usual)
  const id = await closeToday(rig)
  expect(await refusalOf(rig)).toMatch(/NSE is closed for the day/)
  expect(await jobs()).toEqual(['2026-11-23T09:45:00.000Z', '2026-11-23T10:10:00.000Z', usual[2]])
  await reopen(rig, id)
  expect(await jobs()).toEqual(usual)
  await rig.call('PUT', 'timings/NSE', { start_time: '09:15', end_time: '14:00' })
  await rig.call('PUT', 'timings/NFO', { start_time: '09:15', end_time: '16:00' })
  // Outside of the session, the square-off comes a quarter of an hour before its end.
  expect((await jobs()).slice(0, 2)).toEqual(['2026-11-20T08:15:00.000Z', '2026-11-20T10:30:00.000Z'])
  await rig.call('POST', 'holidays', {
    holiday_date: '2026-11-23',
    description: 'Banks',
    holiday_type: 'SETTLEMENT_HOLIDAY',
  })
  // Tuesday is a holiday of the exchanges.
  expect((await jobs())[2]).toBe('2026-11-24T18:30:00.000Z')
})

test('a position is squared off at the close of a session that ends earlier than when it was opened', async () => {
  const rig = await adminRig(MARKET_HOURS)
  await analyzing(rig)
  expect(await refusalOf(rig)).toBeUndefined()
  await rig.call('PUT', 'timings/NSE', { start_time: '09:15', end_time: '12:00' })
  await rig.clock.advanceTo(Date.parse(`${TODAY}T11:46:00+05:30`))
  const { data } = await rig.http.desk.settled(rig.api('positionbook', {}))
  expect(data).toEqual([expect.objectContaining({ symbol: 'SBIN', quantity: 0 })])
})

test('a contract expires at the close that its last day has', async () => {
  const { call, service } = await adminRig(MARKET_HOURS)
  const due = async () => {
    const { jobs } = await service.sandbox.schedule()
    return new Date(jobs.find(({ name }) => name === 'expiry.NFO')?.nextAt ?? 0).toISOString()
  }
  expect(await due()).toBe('2026-11-20T10:10:00.000Z')
  await call('PUT', 'timings/NFO', { start_time: '09:15', end_time: '16:00' })
  expect(await due()).toBe('2026-11-20T10:30:00.000Z')
})

test('a schedule in market hours sees a holiday of today, and its end', async () => {
  const flows = await FlowRig.open()
  const rig = await adminRigOf(flows.http)
  const start = { scheduleType: 'interval', intervalValue: 1, intervalUnit: 'minutes', marketHoursOnly: true }
  const id = await flows.arm(scheduled(HELLO, start))
  const runs = async () => (await flows.list(`/workflows/${id}/executions`)).length
  await flows.pass(130_000)
  const before = await runs()
  expect(before).toBeGreaterThan(0)
  const holiday = await closeToday(rig)
  await flows.pass(180_000)
  expect(await runs()).toBe(before)
  await reopen(rig, holiday)
  await flows.pass(130_000)
  expect(await runs()).toBeGreaterThan(before)
})

test('the calendar nodes of a workflow see a holiday of today', async () => {
  const flows = await FlowRig.open()
  const rig = await adminRigOf(flows.http)
  const graph = graphOf(
    {
      day: ['calendar', { outputVariable: 'day' }],
      hours: ['timings', { outputVariable: 'hours' }],
      told: ['log', { message: 'trades {{day.is_trading_day}} {{hours.data[0].exchange}}' }],
    },
    't -> day',
    'day -> hours',
    'hours -> told',
  )
  const id = await flows.create(graph)
  const told = async () => flows.lines((await flows.execute(id)).body).at(-1)
  expect(await told()).toBe('[LOG] trades true NSE')
  await closeToday(rig)
  expect(await told()).toBe('[LOG] trades false CRYPTO')
})

test('the watch of the price feed expects no price on a holiday', async () => {
  const rig = await adminRig(MARKET_HOURS)
  const { feedWatch, hub } = rig.service
  const stop = hub.subscribe([{ symbol: 'SBIN', exchange: 'NSE' }], 1, () => undefined)
  await rig.clock.advance(2000)
  expect(feedWatch.state().state).toBe('live')
  const id = await closeToday(rig)
  expect(feedWatch.state().state).toBe('closed')
  await reopen(rig, id)
  expect(feedWatch.state().state).toBe('live')
  stop()
})

test('the expiries of the embedded market move with its next list of instruments', async () => {
  const rig = await adminRig({ embeddedMarket: true })
  const expiries = async () => {
    const query = { symbol: 'NIFTY', exchange: 'NFO', instrumenttype: 'options' }
    return (await rig.api('expiry', query)).data as string[]
  }
  // Tuesday the 24th is a holiday already.
  expect((await expiries()).slice(0, 2)).toEqual(['23-NOV-26', '01-DEC-26'])
  await rig.call('POST', 'holidays', {
    holiday_date: '2026-12-01',
    description: 'Elections',
    exchanges: EVERYWHERE,
  })
  expect((await expiries())[1]).toBe('01-DEC-26')
  await syncFromBroker(rig.service)
  expect((await expiries())[1]).toBe('30-NOV-26')
})
