import { expect, test } from 'vitest'
import type { FlowGraph } from '../../../../src/core/flows/graph/graph.js'
import { USER } from '../../../support/desk/desk.js'
import { holdSlots } from '../../../support/desk/held-slots.js'
import { bearer, HttpDesk, PASSWORD } from '../../../support/desk/http-desk.js'
import { BUY, FlowRig, graphOf, HELLO, linesOf } from './flow-rig.js'

const NEW = 'New-Horse-2!'
const ENDED = { status: 'failed', error: expect.stringMatching(/session or token .* has ended/) }
/** Waits a minute, and buys then. */
const LATE_BUY = graphOf(
  {
    wait: ['delay', { delayValue: 60, delayUnit: 'seconds' }],
    buy: ['placeOrder', { symbol: 'SBIN', exchange: 'NSE', action: 'BUY', quantity: 1 }],
  },
  't -> wait',
  'wait -> buy',
)

/** The ways in which the credential of a stream ends: each returns the credential, and what ends it. */
const WAYS: Readonly<Record<string, (http: HttpDesk) => Promise<[token: string, end: () => unknown]>>> = {
  'a sign-out': async (http) => {
    const token = await http.signIn()
    return [token, () => http.request('POST', '/auth/logout', { headers: bearer(token) })]
  },
  'the revocation of its session': async (http) => {
    const { sessions } = http.desk.service.identity
    const token = await http.signIn()
    const [session] = sessions.list(USER)
    return [token, () => sessions.revoke(USER, session?.session_id ?? '')]
  },
  'a new password': async (http) => {
    const body = { old_password: PASSWORD, new_password: NEW, confirm_password: NEW }
    const token = await http.signIn()
    const headers = bearer(token)
    return [token, () => http.request('POST', '/auth/change-password', { body, headers })]
  },
  'the revocation of its token': async (http) => {
    const { tokens } = http.desk.service.identity
    const { id, token } = await tokens.create(USER, { name: 'bot', scopes: ['read', 'flows'] })
    return [token, () => tokens.revoke(USER, id)]
  },
}

/** Opens a stream of lines. */
const open = async (http: HttpDesk, method: 'GET' | 'POST', path: string, token: string, body?: object) =>
  http.app.request(
    path,
    {
      method,
      headers: { ...bearer(token), 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    },
    {},
  )

test.each(Object.entries(WAYS))('%s ends a run of a graph before it sends its order', async (_, way) => {
  const rig = await FlowRig.open()
  const [token, end] = await way(rig.http)
  const response = await open(rig.http, 'POST', '/flow/api/run', token, LATE_BUY)
  const waiting = rig.clock.pending
  await end()
  expect(linesOf({ text: await response.text() }).at(-1)).toMatchObject({ type: 'result', ...ENDED })
  await rig.pass(100)
  expect(rig.clock.pending).toBeLessThan(waiting)
  await rig.pass(120_000, 20_000)
  expect(await rig.desk.ledger()).toEqual([])
})

test.each(Object.entries(WAYS))('%s ends what follows the runs of a workflow', async (_, way) => {
  const rig = await FlowRig.open()
  const id = await rig.create(HELLO)
  const [token, end] = await way(rig.http)
  const response = await open(rig.http, 'GET', `/flow/api/workflows/${id}/follow`, token)
  await end()
  await rig.execute(id)
  expect(await response.text()).toBe('')
})

test('an expired token sends nothing more, also before anybody has noticed its end', async () => {
  const rig = await FlowRig.open()
  const { tokens } = rig.desk.service.identity
  const { token } = await tokens.create(USER, { name: 'bot', scopes: ['flows'], expires: '1h' })
  await rig.pass(3_600_000 - 60_000, 600_000)
  tokens.sweep = () => undefined
  const reply = await open(rig.http, 'POST', '/flow/api/run', token, LATE_BUY)
  await rig.pass(70_000, 10_000)
  expect(linesOf({ text: await reply.text() }).at(-1)).toMatchObject({ status: 'failed' })
  expect(await rig.desk.ledger()).toEqual([])
})

test('an order that waits for its turn at the broker is not sent for a token that was revoked meanwhile', async () => {
  const rig = await FlowRig.open()
  const { tokens } = rig.desk.service.identity
  const { id, token } = await tokens.create(USER, { name: 'bot', scopes: ['flows'] })
  const slots = holdSlots(rig.desk)
  const response = await open(rig.http, 'POST', '/flow/api/run', token, BUY)
  await slots.reached()
  await tokens.revoke(USER, id)
  slots.release()
  await response.text()
  await rig.desk.settled(rig.flows.stop())
  expect(await rig.desk.ledger()).toEqual([])
  const [row] = await rig.desk.service.journal.list(USER, 10)
  expect(row).toMatchObject({ state: 'rejected', reason: expect.stringMatching(/token was revoked/) })
})

test('a session that ends while the graph is read starts no run', async () => {
  const http = await HttpDesk.open()
  const [token, end] = (await WAYS['the revocation of its token']?.(http)) ?? ['']
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      await end?.()
      controller.enqueue(Buffer.from(JSON.stringify(BUY satisfies FlowGraph)))
      controller.close()
    },
  })
  const headers = { ...bearer(token), 'content-type': 'application/json' }
  const init = { method: 'POST', headers, body, duplex: 'half' } as RequestInit
  expect((await http.app.request('/flow/api/run', init, {})).status).toBe(401)
  expect(await http.desk.ledger()).toEqual([])
})
