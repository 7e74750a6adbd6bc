import { expect, test } from 'vitest'
import { RunStore } from '../../../../../src/core/strategies/runs/index.js'
import { USER } from '../../../../support/desk/desk.js'
import { PAIR, RunRig, SIGNALS } from '../run-rig.js'

/* A start reads the strategy, looks up contracts and prices, and then claims the strategy. Its owner may change it meanwhile. */

const WEEKLY = {
  name: 'weekly',
  strategy_kind: 'batch',
  strategy_type: 'positional',
  product: 'NRML',
  underlying: 'NIFTY',
  underlying_exchange: 'NSE_INDEX',
  legs: [
    {
      segment: 'options',
      position: 'B',
      lots: 1,
      expiry: 'next_week',
      strike_mode: 'atm',
      atm_offset: 'ATM',
      option_type: 'CE',
    },
  ],
}

/** Lets the owner act while a start waits for the price of the underlying. */
function meanwhile(rig: RunRig, act: () => Promise<unknown>): void {
  const { market } = rig.rig.desk.service
  const quote = market.quote.bind(market)
  market.quote = async (...args) => {
    await act()
    return quote(...args)
  }
}

const start = (rig: RunRig, id: number, mode: 'live' | 'sandbox' = 'live') =>
  rig.settled(rig.runs.start(id, { mode, trigger: 'manual' }))

test('a strategy that is changed while it starts sends nothing, and starts with its new legs next time', async () => {
  const rig = await RunRig.open('live')
  const id = await rig.create(WEEKLY, true)
  let changes = 0
  meanwhile(rig, async () => {
    if (changes++ === 0) await rig.catalog.change(USER, id, { legs: [{ ...WEEKLY.legs[0], lots: 2 }] })
  })
  await expect(start(rig, id)).rejects.toMatchObject({
    code: 'conflict',
    message: 'The strategy was changed while it started, so nothing was sent. Start it again.',
  })
  expect(await rig.orders()).toEqual([])
  expect(await rig.status(id)).toBe('stopped')
  await start(rig, id)
  const [order] = await rig.query('select quantity from strategy_orders')
  expect(Number(order?.quantity) / 2).toBeGreaterThan(1)
  expect(rig.runs.active(id)?.definition.legs[0]?.quantity).toBe(order?.quantity)
})

test('a strategy that is deleted or barred from live runs while it starts is refused with that reason', async () => {
  const rig = await RunRig.open('live')
  const acts: Record<number, () => Promise<unknown>> = {}
  let current = 0
  meanwhile(rig, async () => acts[current]?.())
  const gone = await rig.create(WEEKLY, true)
  const barred = await rig.create({ ...WEEKLY, name: 'barred' }, true)
  acts[gone] = () => rig.catalog.remove(USER, gone)
  acts[barred] = () => rig.catalog.setLive(USER, barred, false)
  current = gone
  await expect(start(rig, gone)).rejects.toMatchObject({ code: 'not_found' })
  current = barred
  await expect(start(rig, barred)).rejects.toThrow(/^This strategy is not enabled for live trading/)
  expect(await rig.query('select * from strategy_runs')).toEqual([])
})

test('a claim refuses a lock that came during the start of a webhook, and no other start', async () => {
  const rig = await RunRig.open('live')
  const id = await rig.create(PAIR)
  const stored = await rig.store.strategy(id)
  await rig.catalog.lockWebhook(USER, id)
  const claim = (trigger: 'webhook' | 'manual') =>
    new RunStore(rig.rig.desk.service.databases.svc).claim(
      {
        strategyId: id,
        config: stored?.config ?? '',
        mode: 'sandbox',
        broker: 'sandbox',
        trigger,
        webhookEventId: undefined,
        expiries: {},
        at: rig.clock.now(),
      },
      (runId) => ({
        runId,
        strategyId: id,
        strategyName: 'pair',
        kind: 'batch',
        mode: 'sandbox',
        trigger,
        legs: [],
        earlierRealized: 0,
        exitAt: null,
        date: '2026-11-20',
        risk: {
          overallStop: null,
          overallTarget: null,
          dailyLossLimit: null,
          lockProfit: null,
          trailToEntry: false,
        },
      }),
    )
  expect(await claim('webhook')).toEqual({ refused: 'locked' })
  expect(await claim('manual')).toMatchObject({ definition: { runId: 1 } })
  expect(await claim('manual')).toEqual({ refused: 'running' })
})

test('a leg above the freeze quantity is refused at the start, live and in the sandbox', async () => {
  const rig = await RunRig.open('live')
  const id = await rig.create({ ...WEEKLY, legs: [{ ...WEEKLY.legs[0], lots: 50 }] }, true)
  for (const mode of ['live', 'sandbox'] as const) {
    await expect(start(rig, id, mode)).rejects.toMatchObject({
      code: 'refused',
      message: expect.stringMatching(
        /^Leg 1: an entry of \d+ NIFTY\S+ is above the freeze quantity: NFO takes/,
      ),
      extra: { failure: 'invalid_lots', leg_id: 1 },
    })
  }
  expect(await rig.query('select * from strategy_runs')).toEqual([])
})

test('a freeze quantity that falls while a run is open splits its exit', async () => {
  const rig = await RunRig.open('live')
  const id = await rig.create({ ...WEEKLY, legs: [{ ...WEEKLY.legs[0], lots: 3 }] }, true)
  await start(rig, id)
  await rig.settled(rig.runs.settled())
  const { freeze } = rig.rig.desk.service.instruments
  const entry = freeze.list().find(({ exchange, symbol }) => exchange === 'NFO' && symbol === 'NIFTY')
  const [order] = await rig.query('select quantity from strategy_orders')
  const lot = Number(order?.quantity) / 3
  await freeze.set(entry?.id ?? 0, 2 * lot)
  await rig.clock.advance(5_000)
  await rig.settled(rig.runs.settled())
  await rig.settled(rig.runs.stop(id, 'manual'))
  await rig.ended()
  const exits = (
    await rig.query("select quantity, filled_qty from strategy_orders where kind <> 'entry'")
  ).map(({ quantity, filled_qty: filled }) => [quantity, filled])
  expect(exits).toEqual([
    [2 * lot, 2 * lot],
    [lot, lot],
  ])
  expect(await rig.brokerNet()).toBe(0)
})

test('a loss in the sandbox stops no live start, and a loss at the broker none in the sandbox', async () => {
  const rig = await RunRig.open('live')
  const id = await rig.create({ ...PAIR, daily_loss_limit_inr: 0.01 }, true)
  const roundTrip = async (mode: 'live' | 'sandbox') => {
    await start(rig, id, mode)
    await rig.settled(rig.runs.settled())
    await rig.settled(rig.runs.stop(id, 'manual')).catch(() => undefined)
    await rig.ended()
    expect(Number((await rig.run())?.pnl_realized)).toBeLessThan(0)
  }
  await roundTrip('sandbox')
  await expect(start(rig, id, 'sandbox')).rejects.toThrow('The daily loss limit of 0.01 is reached')
  await roundTrip('live')
  await expect(start(rig, id, 'live')).rejects.toThrow('The daily loss limit of 0.01 is reached')
})

test('a sandbox run sends nothing to the broker while the service is in Live mode', async () => {
  const rig = await RunRig.open('live')
  const id = await rig.create(PAIR, true)
  await start(rig, id, 'sandbox')
  await rig.settled(rig.runs.settled())
  expect(await rig.brokerNet()).toBe(0)
  expect(await rig.rig.desk.service.sandbox.openPositions(USER)).toHaveLength(1)
  await rig.settled(rig.runs.stop(id, 'manual'))
  await rig.ended()
  expect(await rig.rig.ledger()).toEqual([])
})

test('a signal that was checked by another configuration opens no run', async () => {
  const rig = await RunRig.open('live')
  const id = await rig.create(SIGNALS, true)
  const [row] = await rig.query('select config from strategies')
  const checked = { legId: 1, signal: 'long_entry', configText: String(row?.config) } as const
  await rig.rig.desk.service.strategyCatalog.change(USER, id, { legs: [{ ...SIGNALS.legs[0], qty: 100 }] })
  await expect(rig.settled(rig.runs.signal(id, checked))).rejects.toThrow('was changed while its signal')
  expect(await rig.rig.ledger()).toEqual([])
  const [now] = await rig.query('select config from strategies')
  const again = { ...checked, configText: String(now?.config) }
  expect(await rig.settled(rig.runs.signal(id, again))).toMatchObject({ runId: 1, refused: null })
})

test('a signal strategy trades without a leg that has no contract, and says so', async () => {
  const rig = await RunRig.open('live')
  const legs = [...SIGNALS.legs, { symbol: 'NOSUCH', exchange: 'NSE', segment: 'cash', qty: 1 }]
  const id = await rig.create({ ...SIGNALS, legs }, true)
  const send = (legId: number) => rig.settled(rig.runs.signal(id, { legId, signal: 'long_entry' }))
  await expect(send(2)).rejects.toThrow('Leg 2: NOSUCH is not a contract on NSE')
  expect(await rig.query('select * from strategy_runs')).toEqual([])
  expect(await send(1)).toMatchObject({ runId: 1, refused: null })
  expect(await send(2)).toMatchObject({ runId: 1, refused: 'Leg 2: NOSUCH is not a contract on NSE' })
  expect(await rig.orders()).toEqual(['1 entry BUY complete 10'])
  expect(
    await rig.query("select leg_id, severity from strategy_events where kind = 'leg_entry_rejected'"),
  ).toEqual([{ leg_id: 2, severity: 'warn' }])
})
