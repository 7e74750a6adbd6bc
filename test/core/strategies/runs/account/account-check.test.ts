import { describe, expect, onTestFinished, test } from 'vitest'
import { istInstant } from '../../../../../src/core/time/index.js'
import { USER } from '../../../../support/desk/desk.js'
import { deskClock } from '../../../../support/desk/desk-clock.js'
import { eventually } from '../../../../support/eventually.js'
import { RunRig } from '../run-rig.js'
import { LONG, messages, net, ORDER, post, SBIN, seconds, started } from './account-rig.js'

/* Somebody else closes positions of runs: their exits must not open the reverse. */

describe.each(['live', 'sandbox'] as const)('a %s run', (mode) => {
  test('whose position is closed with all others sends no exit, and ends', async () => {
    const { rig } = await started(mode)
    await post(rig, 'closeposition', { strategy: 'by hand' })
    await rig.ended()
    expect(await rig.orders()).toEqual(['1 entry BUY complete 10'])
    expect(await messages(rig)).toEqual([expect.stringMatching(/^10 of 10 SBIN of leg 1 .* holds 0 /)])
    expect(await net(rig, mode)).toBe(0)
    expect((await rig.run())?.stop_reason).toBe('manual')
  })

  test('exits the part that a smart order leaves', async () => {
    const { rig, id } = await started(mode)
    await post(rig, 'placesmartorder', { ...ORDER, action: 'SELL', quantity: 0, position_size: 4 })
    await seconds(rig, 12)
    expect(await messages(rig)).toEqual([expect.stringMatching(/^6 of 10 SBIN .* holds 4 /)])
    await rig.settled(rig.runs.stop(id, 'manual'))
    await rig.ended()
    expect(await net(rig, mode)).toBe(0)
  })

  test('keeps its quantity while the account holds more than runs count on', async () => {
    const { rig, id } = await started(mode)
    await post(rig, 'placeorder', { ...ORDER, action: 'BUY', quantity: 7 })
    await post(rig, 'placeorder', { ...ORDER, action: 'SELL', quantity: 7 })
    await post(rig, 'placeorder', { ...ORDER, action: 'BUY', quantity: 7 })
    await seconds(rig, 12)
    expect(await messages(rig)).toEqual([])
    await rig.settled(rig.runs.stop(id, 'manual'))
    await rig.ended()
    expect(await net(rig, mode)).toBe(7)
  })

  test('shares a loss with other runs: the oldest gives up first', async () => {
    const { rig, ids } = await started(mode, ['first', 'second'])
    await post(rig, 'placeorder', { ...ORDER, action: 'SELL', quantity: 13 })
    await seconds(rig, 12)
    expect(await messages(rig)).toHaveLength(2)
    expect(ids.map((id) => rig.runs.active(id)?.claims.map(({ quantity }) => quantity))).toEqual([
      undefined,
      [7],
    ])
    await rig.settled(rig.runs.stop(ids[1] ?? 0, 'manual'))
    await rig.ended()
    expect(await net(rig, mode)).toBe(0)
  })

  test.each([
    ['of another name', 'by hand'],
    ['with the name of the strategy', 'long'],
  ])('does not take the position back after a restart: an order %s closed it', async (_, strategy) => {
    const { rig, id } = await started(mode)
    await post(rig, 'placeorder', { ...ORDER, strategy, action: 'SELL', quantity: 4 })
    await seconds(rig, 12)
    const again = await rig.reopen(mode === 'live' ? 'live' : 'analyze')
    await seconds(again, 12)
    expect(await again.orders()).toEqual(['1 entry BUY complete 10'])
    expect(again.runs.active(id)?.claims.map(({ quantity }) => quantity)).toEqual([6])
    await again.settled(again.runs.stop(id, 'manual'))
    await again.ended()
    expect((await again.orders()).slice(1)).toEqual(['1 exit_close_all SELL complete 6'])
    expect(await net(again, mode)).toBe(0)
  })

  test('does not take a waiting order with the name of its strategy for its own after a restart', async () => {
    const { rig, id } = await started(mode)
    const limit = { pricetype: 'LIMIT', price: 900, action: 'SELL', quantity: 10 }
    await post(rig, 'placeorder', { ...ORDER, ...limit, strategy: 'long' })
    const again = await rig.reopen(mode === 'live' ? 'live' : 'analyze')
    await again.settled(again.runs.stop(id, 'manual'))
    await again.ended()
    expect(await again.orders()).toEqual(['1 entry BUY complete 10', '1 exit_close_all SELL complete 10'])
    expect(await net(again, mode)).toBe(0)
  })

  test('that is stopped at the same time as its position closes ends flat', async () => {
    const { rig, id } = await started(mode)
    await post(rig, 'closeposition', { strategy: 'by hand' })
    await seconds(rig, 1)
    if (rig.runs.active(id)) await rig.settled(rig.runs.stop(id, 'manual'))
    await rig.ended()
    expect(await net(rig, mode)).toBe(0)
  })
})

test('a position that leaves the account without an order is given up after half a minute', async () => {
  const { rig } = await started('live')
  const { positions } = rig.rig.desk.service.brokers.client().portfolio
  const { portfolio } = rig.rig.desk.service.brokers.client()
  // As after a conversion of the product.
  portfolio.positions = async () =>
    (await positions.call(portfolio)).map((row) => ({ ...row, product: 'NRML' }))
  await seconds(rig, 25)
  expect(await messages(rig)).toEqual([])
  await seconds(rig, 15)
  await rig.ended()
  expect(await rig.orders()).toEqual(['1 entry BUY complete 10'])
  expect(await messages(rig)).toHaveLength(1)
})

test('an account that cannot be read takes nothing from a run, and its exit goes out', async () => {
  const { rig, id } = await started('live')
  const { portfolio } = rig.rig.desk.service.brokers.client()
  portfolio.positions = async () => {
    throw new Error('away')
  }
  await seconds(rig, 12)
  expect(await messages(rig)).toEqual([])
  await rig.settled(rig.runs.stop(id, 'manual'))
  await rig.ended()
  expect(await rig.orders()).toEqual(['1 entry BUY complete 10', '1 exit_close_all SELL complete 10'])
})

test('a broker that does not answer about its positions holds up no retry of an exit', async () => {
  const { rig, id } = await started('live')
  const { portfolio } = rig.rig.desk.service.brokers.client()
  let answer: () => void = () => undefined
  const answered = new Promise<void>((resolve) => {
    answer = resolve
  })
  onTestFinished(() => answer())
  const positions = portfolio.positions.bind(portfolio)
  portfolio.positions = async () => answered.then(() => positions())
  await rig.clock.advance(6_000)
  rig.rig.desk.service.brokers.plugins
    .faults()
    .set([{ on: ['place'], times: 2, kind: 'fail', httpStatus: 422 }])
  await rig.settled(rig.runs.stop(id, 'manual'))
  const isOver = async () => {
    await rig.clock.advance(500)
    return (await rig.run())?.stopped_at !== null
  }
  await eventually(isOver, 'the exit went out')
  expect((await rig.orders()).at(-1)).toBe('1 exit_close_all SELL complete 10')
})

test('positions that lag behind their orders take nothing from a run', async () => {
  const { rig, id } = await started('live')
  const { portfolio } = rig.rig.desk.service.brokers.client()
  const { positions } = portfolio
  portfolio.positions = async () => []
  await seconds(rig, 25)
  portfolio.positions = positions.bind(portfolio)
  await seconds(rig, 12)
  expect(await messages(rig)).toEqual([])
  expect(rig.runs.active(id)?.claims).toMatchObject([{ quantity: 10 }])
})

/** An option that a live run carries into the next day. */
const CARRIED = {
  ...LONG,
  strategy_type: 'positional',
  entry_time: undefined,
  exit_time: undefined,
  product: 'NRML',
  underlying: 'NIFTY',
  underlying_exchange: 'NSE_INDEX',
  universe_tab: undefined,
  legs: [{ segment: 'options', option_type: 'CE', expiry: 'weekly', position: 'B', lots: 1 }],
}

/** The machine sleeps until the market is open again: with each second of the night, a test would take a minute. */
async function nextMorning(rig: RunRig): Promise<void> {
  rig.clock.suspend(istInstant('2026-11-19', '09:19') - rig.clock.now())
  await seconds(rig, 60)
}

test('a position whose exit is in doubt is not given up: the exit may be what closed it', async () => {
  const clock = deskClock('2026-11-18T15:20:00+05:30')
  const rig = await RunRig.open('live', { clock })
  const id = await rig.create(CARRIED, true)
  await rig.settled(rig.runs.start(id, { mode: 'live', trigger: 'manual' }))
  await rig.settled(rig.runs.settled())
  const { brokers, journal, reconciler } = rig.rig.desk.service
  // The broker fills the exit, and the service never hears of it.
  brokers.plugins.faults().dropConnections('orders')
  await rig.settled(rig.runs.stop(id, 'manual'))
  const [, exit] = await rig.query('select order_ref from strategy_orders order by id')
  const ref = String(exit?.order_ref)
  await journal.move(ref, 'lapsed', { reason: 'test' })
  await nextMorning(rig)
  await seconds(rig, 45)
  expect(await rig.brokerNet()).toBe(0)
  expect(await messages(rig)).toEqual([])
  brokers.plugins.faults().set([{ kind: 'fail', httpStatus: 500, message: 'away' }])
  const said = { reason: 'in the contract note', by: USER, force: true }
  await rig.settled(reconciler.settle(ref, { ...said, outcome: 'filled', price: 100 }))
  brokers.plugins.faults().set([])
  await rig.ended()
  await seconds(rig, 3)
  expect((await rig.orders()).map((one) => one.split(' ').slice(1, 4).join(' '))).toEqual([
    'entry BUY complete',
    'exit_close_all SELL complete',
  ])
  expect(await rig.brokerNet()).toBe(0)
})

test('an exit of today of a position of an earlier day is no order of somebody else', async () => {
  const stop = { sl_pts: 90, reentry: { on: 'sl', mode: 'asap', max: 1 } }
  const carried = { ...CARRIED, legs: [{ ...CARRIED.legs[0], ...stop }] }
  const clock = deskClock('2026-11-18T15:20:00+05:30')
  const rig = await RunRig.open('live', { clock })
  const id = await rig.create(carried, true)
  await rig.settled(rig.runs.start(id, { mode: 'live', trigger: 'manual' }))
  await rig.settled(rig.runs.settled())
  await nextMorning(rig)
  await seconds(rig, 6)
  const run = rig.runs.active(id)
  const [held] = run?.claims ?? []
  expect(held).toMatchObject({ product: 'NRML' })
  const { portfolio } = rig.rig.desk.service.brokers.client()
  const { positions } = portfolio
  portfolio.positions = async () => []
  if (held) run?.tick(held, (run.snapshot().legs[0]?.entryAverage ?? 0) - 91, rig.clock.now())
  await seconds(rig, 25)
  portfolio.positions = positions.bind(portfolio)
  await seconds(rig, 12)
  expect(await rig.orders()).toEqual([
    ...[`1 entry BUY complete ${held?.quantity}`, `1 exit_sl SELL complete ${held?.quantity}`],
    `1 entry BUY complete ${held?.quantity}`,
  ])
  expect(await messages(rig)).toEqual([])
  expect(rig.runs.active(id)?.claims).toMatchObject([{ quantity: held?.quantity }])
})

describe('an order of a run that somebody cancels at the broker', () => {
  /** Reports a cancel of the newest order. Its fill is never reported, as if it had none. */
  async function cancelled(rig: RunRig): Promise<void> {
    const [row] = await rig.query('select * from strategy_orders order by id desc limit 1')
    const { action, broker_order_id: orderId, order_ref: tag, quantity } = row ?? {}
    await rig.settled(
      rig.rig.desk.service.updates.record('simulated', {
        ...SBIN,
        orderId: String(orderId),
        tag: String(tag),
        action: action === 'BUY' ? 'BUY' : 'SELL',
        status: 'cancelled',
        quantity: Number(quantity),
        filledQuantity: 0,
        averagePrice: 0,
        priceType: 'MARKET',
        price: 0,
        triggerPrice: 0,
        pendingQuantity: 0,
        timestamp: rig.clock.now(),
        rejectionReason: 'Cancelled by the user',
      }),
    )
    await rig.settled(rig.runs.settled())
  }

  test('is placed again if it is an exit', async () => {
    const { rig, id } = await started('live')
    rig.rig.desk.service.brokers.plugins.faults().dropConnections('orders')
    await rig.settled(rig.runs.stop(id, 'manual'))
    expect((await rig.orders())[1]).toBe('1 exit_close_all SELL open 0')
    await cancelled(rig)
    expect(await rig.orders()).toHaveLength(2)
    expect((await rig.orders())[1]).toBe('1 exit_close_all SELL cancelled 0')
    expect(await rig.events()).toContain('leg_exit_rejected')
    expect(await rig.status(id)).toBe('running')
    await seconds(rig, 12)
    expect((await rig.orders())[2]).toMatch(/^1 exit_close_all SELL/)
  })

  test('ends the run if it is its only entry', async () => {
    const rig = await RunRig.open('live')
    const id = await rig.create(LONG, true)
    rig.rig.desk.service.updates.apply = () => undefined
    await rig.settled(rig.runs.start(id, { mode: 'live', trigger: 'manual' }))
    expect(await rig.orders()).toEqual(['1 entry BUY open 0'])
    await cancelled(rig)
    await rig.ended()
    expect(await rig.orders()).toEqual(['1 entry BUY cancelled 0'])
    expect(await rig.events()).toContain('leg_entry_rejected')
    expect((await rig.run())?.stop_reason).toBe('error')
  })
})

describe('a sandbox account that is reset', () => {
  test('ends its open runs without an order', async () => {
    const { rig, id } = await started('sandbox')
    await rig.settled(rig.rig.desk.service.sandbox.reset(USER))
    await rig.ended()
    expect((await rig.run())?.stop_reason).toBe('recovery_failed')
    expect(await rig.status(id)).toBe('stopped')
    const told = await rig.query(`select message from strategy_events where kind = 'recovery_failed'`)
    expect(told.map(({ message }) => String(message))).toEqual([expect.stringContaining('was reset')])
    await seconds(rig, 12)
    expect(await net(rig, 'sandbox')).toBe(0)
    const again = await rig.reopen('analyze')
    await seconds(again, 12)
    expect(await again.orders()).toEqual(['1 entry BUY complete 10'])
    expect(await net(again, 'sandbox')).toBe(0)
  })

  test('while the service is down ends its runs at the start', async () => {
    const { rig, id } = await started('sandbox')
    // The reset is durable, and the runs have not heard of it.
    rig.rig.desk.service.orders.strategyOrders.listenToResets(() => undefined)
    await rig.clock.advance(1000)
    await rig.settled(rig.rig.desk.service.sandbox.reset(USER))
    expect(await rig.status(id)).toBe('running')
    const again = await rig.reopen('analyze')
    await eventually(async () => (await again.run())?.stopped_at !== null, 'the run has ended')
    expect((await again.run())?.stop_reason).toBe('recovery_failed')
    await seconds(again, 12)
    expect(await net(again, 'sandbox')).toBe(0)
    expect(await again.orders()).toEqual(['1 entry BUY complete 10'])
  })
})
