import { expect, test } from 'vitest'
import { ApiRig, type Mode } from '../api-rig.js'

/* A dry run of a basket: what would become of it, or what its key keeps. Nothing is sent, queued or stored. */

const line = (symbol: string, action: string, quantity = 1) => ({
  ...{ symbol, exchange: 'NSE', action, quantity, product: 'MIS', pricetype: 'MARKET' },
})
const BASKET = { strategy: 't', orders: [line('SBIN', 'SELL'), line('INFY', 'BUY')] }
const DRY = { 'x-dry-run': '1' }

test.each<Mode>(['live', 'analyze', 'semi_auto'])('in the mode %s it does nothing', async (mode) => {
  const rig = await ApiRig.open(mode)
  await rig.topics()
  const { body, status } = await rig.post('basketorder', BASKET, DRY)
  expect([status, body]).toMatchObject([
    200,
    {
      ...{ status: 'success', dry_run: true, mode },
      orders: [
        { symbol: 'INFY', action: 'BUY', quantity: 1, ok: true, value: expect.any(Number) },
        { symbol: 'SBIN', action: 'SELL', quantity: 1, ok: true, checks: expect.any(Array) },
      ],
    },
  ])
  expect([await rig.ledger(), await rig.journal(), await rig.topics()]).toEqual([[], [], []])
  expect((await rig.post('orderbook')).body).toMatchObject({ data: { orders: [] } })
})

test('an order that is refused does not count against those after it', async () => {
  const rig = await ApiRig.open('live')
  await rig.desk.service.risk.change({ max_orders_per_day: 1, max_order_quantity: 5 }, 'asha')
  const orders = [line('SBIN', 'BUY', 9), line('NOPE', 'BUY'), line('INFY', 'BUY'), line('SBIN', 'SELL')]
  const { body } = await rig.post('basketorder', { ...BASKET, orders }, DRY)
  expect(body.orders).toMatchObject([
    { symbol: 'SBIN', ok: false, rule: 'max_order_quantity' },
    { symbol: 'NOPE', ok: false, message: expect.stringContaining('NOPE') },
    { symbol: 'INFY', ok: true },
    {
      ...{ symbol: 'SBIN', ok: false, rule: 'max_orders_per_day' },
      message: '0 orders were placed today and 1 of the request come before this one; the limit is 1',
    },
  ])
})

test('with the key of a basket that was sent it returns its answer, and no other basket may have the key', async () => {
  const rig = await ApiRig.open('live')
  const key = { 'idempotency-key': 'k' }
  expect((await rig.post('basketorder', BASKET, { ...DRY, ...key })).body).toMatchObject({ dry_run: true })
  const sent = await rig.post('basketorder', BASKET, key)
  const kept = await rig.post('basketorder', BASKET, { ...DRY, ...key })
  expect([kept.status, kept.body]).toEqual([200, sent.body])
  const other = { ...BASKET, orders: BASKET.orders.slice(1) }
  expect(await rig.post('basketorder', other, { ...DRY, ...key })).toMatchObject({
    status: 409,
    code: 'conflict',
  })
  expect(await rig.ledger()).toHaveLength(2)
})
