import { expect, onTestFinished, test, vi } from 'vitest'
import { zerodha } from '../../../src/core/brokers/zerodha/index.js'
import { placeGttPayload } from '../../../src/core/orders/index.js'
import { parseWith } from '../../../src/core/validation/index.js'
import { changeOfBroker } from '../../../src/daemon/broker/change-of-broker.js'
import { useBroker } from '../../../src/daemon/broker/instrument-loading.js'
import { USER } from '../../support/desk/desk.js'
import { bearer } from '../../support/desk/http-desk.js'
import { KiteDesk } from '../../support/desk/kite-desk.js'
import { FlowRig, HELLO, scheduled } from '../operations/flows/flow-rig.js'
import { tickOf } from '../stream/rig.js'

const RESTING = { symbol: 'SBIN', exchange: 'NSE', pricetype: 'LIMIT', price: 750, product: 'MIS' } as const
const SBIN = { symbol: 'SBIN', exchange: 'NSE' } as const
const MARKET = { symbol: 'INFY', exchange: 'NSE', pricetype: 'MARKET', product: 'MIS', quantity: 2 } as const

test('names the orders and positions that stay, and the approvals that go on', async () => {
  const desk = await (await KiteDesk.start()).desk()
  const { service } = desk
  const resting = await desk.settled(desk.place({ ...RESTING, action: 'BUY' }))
  expect(resting).toMatchObject({ code: 'ok' })
  await desk.settled(desk.place({ ...MARKET, action: 'BUY' }))
  await service.approvals.enqueue(USER, 'placeorder', { ...MARKET, action: 'SELL' })
  expect(await desk.settled(changeOfBroker(service, USER, 'simulated'))).toEqual({
    from: 'zerodha',
    to: 'simulated',
    stays: [
      '1 open order at Zerodha can fill there unseen',
      '1 open position at Zerodha cannot be closed from here',
    ],
    moves: ['1 waiting approval will go to Simulated exchange'],
  })
  expect(await changeOfBroker(service, USER, 'zerodha')).toMatchObject({ stays: [], moves: [] })
})

test('counts GTTs in doubt, and says that positions are not known where nobody is signed in', async () => {
  const kite = await KiteDesk.start()
  const desk = await kite.desk()
  const { service } = desk
  kite.fake.script.set({ route: 'placeGtt', actions: ['drop_before'] })
  const payload = parseWith(placeGttPayload, {
    strategy: 't',
    trigger_type: 'SINGLE',
    exchange: 'NSE',
    symbol: 'INFY',
    action: 'SELL',
    product: 'CNC',
    quantity: 5,
    price: 1445,
    triggerprice_sl: 1450,
  })
  const placed = desk.orders.gtts.place(payload, { userId: USER, source: 'api' })
  expect(await desk.settled(placed)).toMatchObject({ code: 'outcome_unknown' })
  await desk.settled(service.brokers.logout())
  expect(await desk.settled(changeOfBroker(service, USER, 'simulated'))).toMatchObject({
    stays: [
      '1 GTT in doubt at Zerodha can fire there unseen, and cannot be settled meanwhile',
      'The positions at Zerodha are not known: nobody is signed in there',
    ],
  })
})

test('a broker that does not answer holds up the question for three seconds', async () => {
  const kite = await KiteDesk.start()
  const desk = await kite.desk()
  const { service } = desk
  service.brokers.client().portfolio.positions = () => new Promise(() => undefined)
  const asked = changeOfBroker(service, USER, 'simulated')
  await desk.clock.advance(3_000)
  expect(await asked).toMatchObject({ stays: ['The positions at Zerodha could not be read'], moves: [] })
})

test('names the active workflows, whose orders go to the other broker', async () => {
  const rig = await FlowRig.open()
  await rig.arm(scheduled(HELLO, { scheduleType: 'daily', time: '15:00' }))
  const headers = bearer(await rig.http.tokenOf('admin'))
  const { status, body } = await rig.http.request('GET', '/broker/use?broker=zerodha', { headers })
  expect([status, body.data]).toEqual([
    200,
    {
      from: 'simulated',
      to: 'zerodha',
      stays: [],
      moves: ['1 active workflow will send live orders to Zerodha'],
    },
  ])
  expect(await rig.http.request('GET', '/broker/use?broker=nobody', { headers })).toMatchObject({
    status: 404,
    code: 'not_found',
  })
})

test('a broker that is chosen while the master of another loads gets its own afterwards', async () => {
  const kite = await KiteDesk.start()
  const desk = await kite.desk()
  const { brokers, instruments } = desk.service
  let arrive = (): void => undefined
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve
  })
  const sbin = instruments.directory.find('SBIN', 'NSE')
  async function* slowMaster() {
    await arrived
    yield sbin ? [sbin] : []
  }
  const loading = instruments.replace('zerodha', 'broker', slowMaster())
  await desk.settled(useBroker(desk.service, 'simulated'))
  expect([brokers.brokerId, instruments.status().record?.brokerId]).toEqual(['simulated', 'zerodha'])
  arrive()
  await desk.settled(loading)
  await expect.poll(() => instruments.status().record?.brokerId).toBe('simulated')
})

test('the plugin of a broker never sees the instruments of another, and the price of the other is forgotten', async () => {
  const kite = await KiteDesk.start()
  const desk = await kite.desk()
  const { brokers, hub, instruments } = desk.service
  const found = (broker: string) => brokers.context(broker).instruments.find('SBIN', 'NSE') !== undefined
  expect([found('zerodha'), found('upstox')]).toEqual([true, false])
  const leave = hub.subscribe([{ symbol: 'SBIN', exchange: 'NSE' }], 1, () => undefined)
  await desk.settled(desk.clock.advance(5_000))
  const loading = useBroker(desk.service, 'simulated')
  await expect.poll(() => brokers.brokerId).toBe('simulated')
  await desk.settled(loading)
  expect(instruments.status().record?.brokerId).toBe('simulated')
  expect([found('zerodha'), found('upstox'), found('simulated')]).toEqual([false, false, true])
  leave()
})

test('the sandbox values nothing at the prices of the broker before', async () => {
  const kite = await KiteDesk.start()
  const desk = await kite.desk()
  const { hub, sandbox } = desk.service
  await desk.settled(useBroker(desk.service, 'simulated'))
  await desk.settled(desk.service.modeSwitch.set(true, USER))
  expect(await desk.settled(desk.place({ ...MARKET, ...SBIN, action: 'BUY' }))).toMatchObject({ code: 'ok' })
  hub.publish(tickOf(SBIN, { ltp: 1 }))
  const priceOf = async () => {
    const { positions } = await desk.settled(sandbox.books.positions(USER))
    return positions[0]?.ltp
  }
  expect(await priceOf()).toBe(1)
  kite.fake.ticker.delivery.mute = true
  await desk.settled(useBroker(desk.service, 'zerodha'))
  expect(await priceOf()).not.toBe(1)
})

test('the prices of the broker before are gone when the new one connects, and its own first price stays', async () => {
  const kite = await KiteDesk.start()
  const desk = await kite.desk()
  const { brokers, hub } = desk.service
  await desk.settled(useBroker(desk.service, 'simulated'))
  const leave = hub.subscribe([SBIN], 1, () => undefined)
  hub.publish(tickOf(SBIN, { ltp: 1 }))
  const connect = vi.spyOn(zerodha, 'connect')
  onTestFinished(() => connect.mockRestore())
  connect.mockImplementationOnce((session, context) => {
    connect.mockRestore()
    seen.push(hub.last(SBIN)?.ltp)
    hub.publish(tickOf(SBIN, { ltp: 2 }))
    return zerodha.connect(session, context)
  })
  const seen: (number | undefined)[] = []
  // No other price follows the first one.
  kite.fake.ticker.delivery.mute = true
  await desk.settled(useBroker(desk.service, 'zerodha'))
  expect([brokers.brokerId, brokers.connected(), seen, hub.last(SBIN)?.ltp]).toEqual([
    'zerodha',
    true,
    [undefined],
    2,
  ])
  leave()
})
