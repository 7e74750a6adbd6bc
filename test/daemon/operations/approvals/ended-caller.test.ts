import { describe, expect, test } from 'vitest'
import { USER } from '../../../support/desk/desk.js'
import { bearer, HttpDesk } from '../../../support/desk/http-desk.js'

const ORDER = { symbol: 'SBIN', exchange: 'NSE', product: 'MIS', action: 'BUY', quantity: 10 }

/** Queues three orders, and signs in with a session and a token whose ends are in the hands of the test. */
async function open(credential: 'session' | 'access_token') {
  const http = await HttpDesk.open()
  const { approvals, executor, identity, settings } = http.desk.service
  await settings.setAnalyzeMode(true)
  await identity.apiKeys.setOrderMode(USER, 'semi_auto')
  for (let n = 0; n < 3; n++) {
    const body = { apikey: http.apikey, strategy: 't', ...ORDER }
    expect((await http.request('POST', '/api/v1/placeorder', { body })).status).toBe(200)
  }
  const given =
    credential === 'session'
      ? { token: await http.signIn(), id: 0 }
      : await identity.tokens.create(USER, { name: 'approver', scopes: ['approvals'] })
  const [session] = identity.sessions.list(USER)
  return {
    executor,
    ask: (path: string) => http.request('POST', path, { headers: bearer(given.token) }),
    end: () =>
      credential === 'session'
        ? identity.sessions.revoke(USER, session?.session_id ?? '')
        : identity.tokens.revoke(USER, given.id),
    pending: () => approvals.count(USER),
    orders: async () => {
      const { text } = await http.request('POST', '/api/v1/orderbook', { body: { apikey: http.apikey } })
      return text.split('"orderid"').length - 1
    },
  }
}

describe.each(['session', 'access_token'] as const)('an approval whose %s has ended', (credential) => {
  test.each(['/action-center/approve-all', '/action-center/approve-all/3'])(
    'leaves the orders pending that %s had not reached',
    async (path) => {
      const { ask, end, executor, orders, pending } = await open(credential)
      const request = executor.open.bind(executor)
      executor.open = (order) => {
        const opened = request(order)
        const send = async (ref: string) => {
          await end()
          return opened.send(ref)
        }
        return { ...opened, send }
      }
      const { body } = await ask(path)
      const why = expect.stringMatching(/nothing more is sent/)
      expect(body).toMatchObject({
        approved_count: 1,
        failed_executions: [
          { order_id: 2, error: why },
          { order_id: 3, error: why },
        ],
      })
      expect([pending(), await orders()]).toEqual([2, 1])
    },
  )

  test('is refused while it waits for a check of its prices', async () => {
    const { ask, end, executor, orders, pending } = await open(credential)
    const request = executor.open.bind(executor)
    executor.open = (order) => ({
      ...request(order),
      recheck: async () => {
        await end()
        return undefined
      },
    })
    expect(await ask('/action-center/approve/1')).toMatchObject({ status: 401, code: 'unauthenticated' })
    expect([pending(), await orders()]).toEqual([3, 0])
  })
})
