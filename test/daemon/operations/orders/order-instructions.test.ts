import { describe, expect, test, vi } from 'vitest'
import type { OrderInstruction } from '../../../../src/core/orders/schema.js'
import { USER } from '../../../support/desk/desk.js'
import { ApiRig, type Mode, ORDER, RESTING } from '../api-rig.js'

/** Leaves the broker these instructions alone. */
function withBroker({ desk }: ApiRig, instructions: readonly OrderInstruction[]): void {
  const { brokers } = desk.service
  const manifest = brokers.manifest()
  vi.spyOn(brokers, 'manifest').mockReturnValue({ ...manifest, instructions })
}

const ROW = { exchange: 'NSE', symbol: 'SBIN', action: 'BUY', quantity: 10 }
const OPTION = { offset: 'ATM', option_type: 'CE', action: 'BUY', quantity: 65, product: 'NRML' }
const UNDERLYING = { strategy: 't', underlying: 'NIFTY', exchange: 'NSE_INDEX', expiry_date: '24NOV26' }

describe.each<Mode>(['live', 'semi_auto'])('a broker that lacks an instruction, in %s', (mode) => {
  test.each<[string, Record<string, unknown>, string]>([
    ['placeorder', { ...ORDER, amo: true }, 'amo'],
    ['placesmartorder', { ...ORDER, position_size: 5, validity: 'IOC' }, 'validity IOC'],
    ['basketorder', { strategy: 't', orders: [ROW, { ...ROW, algo_id: 'A1' }] }, 'algo_id'],
    ['splitorder', { ...ORDER, splitsize: 5, iceberg_legs: 2 }, 'iceberg_legs'],
    ['optionsorder', { ...UNDERLYING, ...OPTION, market_protection: 2 }, 'market_protection'],
    [
      'optionsmultiorder',
      { ...UNDERLYING, legs: [{ ...OPTION, validity: 'TTL', validity_ttl: 5 }] },
      'validity TTL',
    ],
  ])('%s is refused by its name, and nothing is stored or sent', async (path, body, what) => {
    const rig = await ApiRig.open(mode)
    withBroker(rig, [])
    const { body: answer, status } = await rig.post(path, body)
    expect({ status, answer }).toEqual({
      status: 501,
      answer: expect.objectContaining({ message: `Simulated exchange does not take ${what}.` }),
    })
    expect(await rig.journal()).toEqual([])
    expect(await rig.desk.ledger()).toEqual([])
  })
})

test('an order that waited for approval is refused if the broker of its time could more', async () => {
  const rig = await ApiRig.open('semi_auto')
  const { body } = await rig.post('placeorder', { ...RESTING, validity: 'TTL', validity_ttl: 5 })
  withBroker(rig, ['amo'])
  const id = Number(body.pending_order_id)
  const outcome = await rig.settled(rig.desk.service.approvals.approve(USER, id, USER))
  expect(outcome).toMatchObject({ outcome: 'failed' })
  expect(JSON.stringify(outcome)).toContain('Simulated exchange does not take validity TTL.')
  expect(await rig.desk.ledger()).toEqual([])
})

test('a dry run says that the broker lacks it, and shows what was asked', async () => {
  const rig = await ApiRig.open('live')
  const asked = { ...RESTING, validity: 'TTL', validity_ttl: 5 }
  const fine = await rig.post('placeorder', asked, { 'x-dry-run': '1' })
  expect(fine.body).toMatchObject({ order: { validity: 'TTL', validity_ttl: 5 } })
  withBroker(rig, [])
  const { body } = await rig.post('placeorder', asked, { 'x-dry-run': '1' })
  expect(body).toMatchObject({
    checks: expect.arrayContaining([
      { rule: 'instrument', ok: false, message: 'Simulated exchange does not take validity TTL.' },
    ]),
  })
})

describe.each<Mode>(['live', 'analyze'])('an order with instructions, in %s', (mode) => {
  test('shows them in its status, and ends by them', async () => {
    const rig = await ApiRig.open(mode)
    const asked = { ...RESTING, validity: 'TTL', validity_ttl: 5, algo_id: 'A1' }
    const { body } = await rig.post('placeorder', asked)
    const status = () => rig.post('orderstatus', { strategy: 't', orderid: body.orderid })
    expect((await status()).body).toMatchObject({
      data: { order_status: 'open', instructions: { validity: 'TTL', validity_ttl: 5, algo_id: 'A1' } },
    })
    await rig.desk.clock.advance(5 * 60_000 + 2_000)
    expect((await status()).body).toMatchObject({ data: { order_status: 'cancelled' } })
  })

  test('a plain one shows none', async () => {
    const rig = await ApiRig.open(mode)
    const { body } = await rig.post('placeorder', RESTING)
    const { body: status } = await rig.post('orderstatus', { strategy: 't', orderid: body.orderid })
    expect(status.data).not.toHaveProperty('instructions')
  })
})

describe('client_order_id', () => {
  test('is the key of the request, in the body or in the header', async () => {
    const rig = await ApiRig.open('live')
    const first = await rig.post('placeorder', { ...ORDER, client_order_id: 'mine-1' })
    const again = await rig.post('placeorder', { ...ORDER, client_order_id: 'mine-1' })
    const byHeader = await rig.post('placeorder', ORDER, { 'idempotency-key': 'mine-1' })
    const both = await rig.post(
      'placeorder',
      { ...ORDER, client_order_id: 'mine-1' },
      { 'idempotency-key': 'mine-1' },
    )
    expect([again.body, byHeader.body, both.body]).toEqual([first.body, first.body, first.body])
    expect(await rig.desk.ledger()).toHaveLength(1)
    const other = await rig.post('placeorder', { ...ORDER, quantity: 5, client_order_id: 'mine-1' })
    expect(other.status).toBe(409)
  })

  test.each<[string, string, Record<string, unknown>, string, Record<string, string>]>([
    [
      'that differs from the header',
      'placeorder',
      { ...ORDER, client_order_id: 'a' },
      'client_order_id',
      { 'idempotency-key': 'b' },
    ],
    ['that is empty', 'placeorder', { ...ORDER, client_order_id: '' }, 'client_order_id', {}],
    [
      'that is too long',
      'splitorder',
      { ...ORDER, splitsize: 5, client_order_id: 'x'.repeat(256) },
      'client_order_id',
      {},
    ],
    [
      'of a row',
      'basketorder',
      { strategy: 't', orders: [{ ...ROW, client_order_id: 'a' }] },
      'orders.0.client_order_id',
      {},
    ],
    [
      'of a change',
      'cancelorder',
      { strategy: 't', orderid: '1', client_order_id: 'a' },
      'client_order_id',
      {},
    ],
  ])('%s is refused', async (_name, path, body, field, headers) => {
    const rig = await ApiRig.open('live')
    const { body: answer, status } = await rig.post(path, body, headers)
    expect(status).toBe(400)
    expect(JSON.stringify(answer)).toContain(field)
    expect(await rig.desk.ledger()).toEqual([])
  })
})
