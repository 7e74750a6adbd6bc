import { expect, test } from 'vitest'
import { RequestTrail } from '../../../../src/core/telemetry/requests/request-trail.js'
import { API_KEY, openLogs } from '../fixtures.js'

const answered = (request: object) => ({
  requestId: 'r-1',
  method: 'POST',
  path: '/api/v1/basketorder',
  statusCode: 400,
  clientIp: '203.0.113.9',
  request,
})

/** Returns an object that counts how often its members are listed. */
function counting(members: object) {
  const counted = { times: 0 }
  const value = new Proxy(members, {
    ownKeys: (target) => {
      counted.times += 1
      return Reflect.ownKeys(target)
    },
  })
  return { counted, value }
}

async function keptOf(request: object) {
  const trail = new RequestTrail(await openLogs())
  trail.record(answered(request))
  const [row] = await trail.ofRequest('r-1')
  return row?.request
}

test('a refused request that is too long to be kept is not searched for secrets', async () => {
  const long = counting({ note: 'eyJ'.repeat(300_000) })
  expect(await keptOf({ orders: [long.value] })).toBeNull()
  // It is measured, and no more.
  expect(long.counted.times).toBe(1)
  const short = counting({ note: 'x' })
  expect(await keptOf({ orders: [short.value] })).toBe('{"orders":[{"note":"x"}]}')
})

test('a request that is short enough without its secrets is kept without them', async () => {
  const kept = await keptOf({ apikey: API_KEY, note: 'x'.repeat(3900), token: 'y'.repeat(200) })
  expect(kept).toBe(JSON.stringify({ note: 'x'.repeat(3900) }))
})
