import { expect, test } from 'vitest'
import { chance } from '../support/chance/chance.js'
import { USER } from '../support/desk/desk.js'
import { bearer, HttpDesk } from '../support/desk/http-desk.js'

test('orders among mode switches, resets, new keys and stops leave every book whole', async () => {
  const http = await HttpDesk.open()
  const { service } = http.desk
  const headers = bearer(await http.signIn())
  const dice = chance('races')
  let { apikey } = http
  const post = (path: string, body?: unknown) => http.request('POST', path, { headers, body: body ?? {} })
  const acknowledged: string[] = []
  const place = async () => {
    const action = dice.next() < 0.5 ? 'BUY' : 'SELL'
    const terms = dice.next() < 0.3 ? { pricetype: 'LIMIT', price: 1 } : {}
    const order = { symbol: 'SBIN', exchange: 'NSE', action, quantity: dice.between(1, 9), ...terms }
    const { status, body } = await http.request('POST', '/api/v1/placeorder', {
      body: { apikey, strategy: 'race', ...order },
    })
    if (status === 200 && body.mode === undefined) acknowledged.push(String(body.orderid))
    return status
  }
  const disturb = [
    () => post('/settings/analyze-mode/1'),
    () => post('/settings/analyze-mode/0'),
    () => post('/sandbox/reset'),
    () => post('/risk/kill-switch', { on: true }),
    () => post('/risk/kill-switch', { on: false, confirm: 'RESUME' }),
    async () => {
      const reply = await post('/apikey', { user_id: USER })
      apikey = String(reply.body.api_key)
      return reply
    },
  ]
  for (let round = 0; round < 25; round++) {
    const disturbance = disturb[dice.between(0, disturb.length - 1)]
    const statuses = await Promise.all([
      place(),
      place(),
      place(),
      disturbance?.().then(({ status }) => status),
      place(),
      place(),
    ])
    for (const status of statuses) expect([200, 400, 403, 409]).toContain(status)
  }

  await post('/settings/analyze-mode/1')
  await service.updates.drained()
  const [funds] = await service.databases.sandbox.queryRaw(
    'select total_capital + realized_pnl - available_balance - used_margin as off from sandbox_funds',
  )
  expect(funds).toEqual({ off: 0 })
  // In any order, the answers and the exchange's record agree: the exchange has exactly the acknowledged
  // orders, each once.
  const seen = await http.desk.ledger()
  const taken = seen.filter(({ status }) => status !== 'rejected').map(({ orderId }) => orderId)
  expect(taken.sort()).toEqual(acknowledged.sort())
  expect(new Set(seen.map(({ tag }) => tag)).size).toBe(seen.length)
  for (const state of ['sending', 'unknown'] as const)
    expect(await service.journal.inState(state)).toEqual([])
})
