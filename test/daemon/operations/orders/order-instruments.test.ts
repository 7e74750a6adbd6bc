import { describe, expect, test } from 'vitest'
import { syncFromBroker, useBroker } from '../../../../src/daemon/broker/instrument-loading.js'
import { INSTRUMENTS } from '../../../core/brokers/simulated/support.js'
import { USER } from '../../../support/desk/desk.js'
import { ApiRig, ORDER, RESTING } from '../api-rig.js'

/*
 * An order uses the names and tokens of the instrument master. With the master of another broker they mean
 * something else. So no new live order is journalled until the instruments of the active broker are loaded.
 */

const OPTION = {
  offset: 'ATM',
  option_type: 'CE',
  action: 'BUY',
  quantity: 65,
  product: 'NRML',
}
const UNDERLYING = { strategy: 't', underlying: 'NIFTY', exchange: 'NSE_INDEX', expiry_date: '24NOV26' }
const GTT = {
  strategy: 't',
  trigger_type: 'single',
  exchange: 'NSE',
  symbol: 'SBIN',
  action: 'BUY',
  product: 'CNC',
  quantity: 5,
  price: 690,
  triggerprice_sl: 700,
}
const LINE = { exchange: 'NSE', symbol: 'SBIN', action: 'BUY', quantity: 10 }

/** Requests that create orders. */
const ENTRIES: readonly [path: string, body: Record<string, unknown>][] = [
  ['placeorder', ORDER],
  ['placesmartorder', { ...ORDER, position_size: 25 }],
  ['basketorder', { strategy: 't', orders: [LINE, LINE] }],
  ['splitorder', { ...ORDER, splitsize: 5 }],
  ['optionsorder', { ...UNDERLYING, ...OPTION }],
  ['optionsmultiorder', { ...UNDERLYING, legs: [OPTION] }],
  ['placegttorder', GTT],
]
const REFUSED = {
  status: 503,
  code: 'unavailable',
  body: {
    status: 'error',
    message:
      'The loaded instruments belong to zerodha, but the active broker is simulated. New orders are refused until its instruments are loaded (svc broker sync).',
  },
}

/** Switches from another broker. Its instruments stay, because the download of the new ones fails. */
async function switchedWithoutInstruments(rig: ApiRig): Promise<void> {
  const { service } = rig.desk
  await service.brokers.use('zerodha')
  await service.instruments.replace('zerodha', 'broker', [[...INSTRUMENTS]])
  service.brokers.plugins.faults().set([{ on: ['instruments'], kind: 'fail' }])
  await useBroker(service, 'simulated')
}

async function instrumentsArrive({ desk: { service } }: ApiRig): Promise<void> {
  service.brokers.plugins.faults().set([])
  await syncFromBroker(service)
}

describe.each(ENTRIES)('%s with the instruments of another broker', (path, body) => {
  test('is refused before it is written down, and goes through once they are there', async () => {
    const rig = await ApiRig.open()
    await switchedWithoutInstruments(rig)
    await rig.topics()
    const headers = { 'idempotency-key': 'k' }
    expect(await rig.post(path, body, headers)).toMatchObject(REFUSED)
    // The service retries the download.
    const told = (await rig.topics()).filter((topic) => topic !== 'master_contract_download')
    expect(told).toEqual([path === 'placegttorder' ? 'gtt.failed' : 'order.failed'])
    expect(await rig.journal()).toEqual([])
    expect(await rig.ledger()).toEqual([])
    expect(await rig.desk.service.databases.svc.queryRaw('select 1 from order_batches')).toEqual([])

    // The refusal did not use up a key.
    await instrumentsArrive(rig)
    expect((await rig.post(path, body, headers)).status).toBe(200)
    expect(await rig.journal()).not.toEqual([])
  })

  test('waits in the queue: an approval is refused and stays pending', async () => {
    const rig = await ApiRig.open('semi_auto')
    const { body: queued } = await rig.post(path, body)
    const id = Number(queued.pending_order_id)
    await switchedWithoutInstruments(rig)
    const { approvals } = rig.desk.service
    await expect(rig.settled(approvals.approve(USER, id, USER))).rejects.toMatchObject({
      code: 'unavailable',
    })
    expect(await rig.journal()).toEqual([])
    await instrumentsArrive(rig)
    expect(await rig.settled(approvals.approve(USER, id, USER))).toMatchObject({ outcome: 'executed' })
  })

  test('is simulated all the same', async () => {
    const rig = await ApiRig.open('analyze')
    await switchedWithoutInstruments(rig)
    expect((await rig.post(path, body)).status).toBe(200)
  })
})

test('existing orders and positions can be closed with the instruments of another broker', async () => {
  const rig = await ApiRig.open()
  await rig.post('placeorder', ORDER)
  const { body } = await rig.post('placeorder', RESTING)
  await rig.post('placeorder', { ...RESTING, price: 701 })
  const { body: gtt } = await rig.post('placegttorder', GTT)
  await switchedWithoutInstruments(rig)
  const replies = [
    await rig.post('cancelorder', { strategy: 't', orderid: body.orderid }),
    await rig.post('cancelallorder', { strategy: 't' }),
    await rig.post('cancelgttorder', { strategy: 't', trigger_id: gtt.trigger_id }),
    await rig.post('closeposition', { strategy: 't' }),
    await rig.post('orderbook'),
    await rig.post('openposition', { strategy: 't', symbol: 'SBIN', exchange: 'NSE', product: 'MIS' }),
  ]
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200])
  expect(replies.at(-1)?.body).toMatchObject({ quantity: 0 })
})

test('instruments that failed to load are loaded 5 s later, not at the next look after 15 minutes', async () => {
  const rig = await ApiRig.open()
  const { service, clock } = rig.desk
  await switchedWithoutInstruments(rig)
  service.brokers.plugins.faults().set([])
  expect(service.instruments.status().record?.brokerId).toBe('zerodha')
  await clock.advance(5_000)
  await expect.poll(() => service.instruments.status().record?.brokerId).toBe('simulated')
})
