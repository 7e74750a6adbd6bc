import { describe, expect, test } from 'vitest'
import { ORDER_OPERATION_NAMES } from '../../../../src/core/orders/index.js'
import { API_ROUTES } from '../../../support/desk/api-routes.js'
import { ApiRig, type Mode, ORDER, RESTING } from '../api-rig.js'

/* X-Only-Mode: a request goes where its caller wants it, or nowhere. */

const only = (mode: string, key?: string) => ({
  'x-only-mode': mode,
  ...(key !== undefined && { 'idempotency-key': key }),
})
const ROUTES = API_ROUTES.filter(({ path }) => ORDER_OPERATION_NAMES.some((name) => name === path))

test.each([
  ['live', 'analyze'],
  ['analyze', 'live'],
] as const)(
  'every order route refuses in the mode %s what asks for %s, and sends nothing',
  async (mode, other) => {
    const rig = await ApiRig.open(mode)
    expect(ROUTES.map(({ path }) => path).toSorted()).toEqual([...ORDER_OPERATION_NAMES].toSorted())
    for (const { body, path } of ROUTES) {
      const option = path.startsWith('options') ? { expiry_date: '24NOV26' } : {}
      const reply = await rig.post(path, { ...body, ...option }, only(other, path))
      expect({ path, ...reply }).toMatchObject({ path, status: 409, code: 'conflict' })
      expect(reply.body.message).toMatch(
        /^Orders are (live|simulated), and this request asks for .* alone; nothing was sent\.$/,
      )
    }
    expect([await rig.ledger(), await rig.journal()]).toEqual([[], []])
    expect((await rig.post('orderbook')).body).toMatchObject({ data: { orders: [] } })
  },
)

test.each<Mode>(['live', 'analyze'])('in the mode %s it executes what asks for it', async (mode) => {
  const rig = await ApiRig.open(mode)
  const placed = await rig.post('placeorder', RESTING, only(mode))
  expect(placed.status).toBe(200)
  const { orderid } = placed.body
  const cancelled = await rig.post('cancelorder', { strategy: 't', orderid }, only(mode))
  expect(cancelled.status).toBe(200)
  expect(await rig.ledger()).toHaveLength(mode === 'live' ? 1 : 0)
})

test('a request that was refused keeps nothing under its key: the same request passes in the right mode', async () => {
  const rig = await ApiRig.open('live')
  expect((await rig.post('placeorder', ORDER, only('analyze', 'k'))).status).toBe(409)
  await rig.switchTo('analyze')
  expect((await rig.post('placeorder', ORDER, only('analyze', 'k'))).body).toMatchObject({ mode: 'analyze' })
})

test('a repeat gets the answer of the first request, whatever the mode is now', async () => {
  const rig = await ApiRig.open('analyze')
  const first = await rig.post('placeorder', ORDER, only('analyze', 'k'))
  await rig.switchTo('live')
  const again = await rig.post('placeorder', ORDER, only('analyze', 'k'))
  expect([again.status, again.body]).toEqual([200, first.body])
  expect(await rig.ledger()).toEqual([])
})

test('a dry run is refused as its order would be', async () => {
  const rig = await ApiRig.open('live')
  const reply = await rig.post('placeorder', ORDER, { ...only('analyze'), 'x-dry-run': '1' })
  expect(reply).toMatchObject({ status: 409, code: 'conflict' })
})

test('another value is refused', async () => {
  const rig = await ApiRig.open('live')
  for (const value of ['', 'LIVE', 'sandbox', 'semi_auto']) {
    const { body, status } = await rig.post('placeorder', ORDER, only(value))
    expect([status, body.message]).toEqual([400, 'X-Only-Mode: Must be one of: live, analyze.'])
  }
  expect(await rig.ledger()).toEqual([])
})

describe('a request that waits for approval', () => {
  test('is queued only in its mode', async () => {
    const rig = await ApiRig.open('semi_auto')
    expect((await rig.post('placeorder', ORDER, only('analyze'))).status).toBe(409)
    expect((await rig.post('placeorder', ORDER, only('live'))).body).toMatchObject({ mode: 'semi_auto' })
  })
})
