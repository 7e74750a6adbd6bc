import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { settled } from '../../../support/settled.js'
import { BUY, FlowRig } from './flow-rig.js'

const BODY = '{"quantity":1}'
/** Times of the first service; a restart continues its clock. */
const MINUTE = 60_000

/** An active workflow that buys one share when a signed call comes. */
async function signedHook() {
  const rig = await FlowRig.open()
  const id = await rig.arm(BUY, 'Hook')
  await rig.ask('POST', `/workflows/${id}/webhook/enable`)
  const { body: hook } = await rig.ask('POST', `/workflows/${id}/webhook/auth-type`, { auth_type: 'signed' })
  const { body: shown } = await rig.ask('GET', `/workflows/${id}/webhook`)
  const path = `/flow/webhook/${shown.webhook_token}`
  return { rig, id, path, secret: String(shown.webhook_secret), hook }
}

function headersOf(rig: FlowRig, secret: string, { id = 'alert-1', body = BODY, at = rig.clock.now() } = {}) {
  const time = String(Math.floor(at / 1000))
  const key = Buffer.from(secret, 'hex')
  const signature = createHmac('sha256', key).update(`${id}.${time}.${body}`).digest('base64')
  return { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': `v1,${signature}` }
}

const post = (
  rig: FlowRig,
  path: string,
  headers: Record<string, string>,
  text: string | Uint8Array<ArrayBuffer> = BODY,
) => settled(rig.clock, rig.http.request('POST', path, { text, headers }))

test('a signed call runs once: a repeat gets the first answer, also with a new time, another key, and after a restart', async () => {
  const { rig, id, path, secret } = await signedHook()
  const headers = headersOf(rig, secret)
  const first = await post(rig, path, headers)
  expect(first.status).toBe(200)
  expect((await post(rig, path, headers)).text).toBe(first.text)
  expect((await post(rig, path, { ...headers, 'idempotency-key': 'another' })).text).toBe(first.text)
  await rig.pass(MINUTE)
  expect((await post(rig, path, headersOf(rig, secret))).text).toBe(first.text)

  const next = await rig.restart()
  expect((await post(next, path, headers)).text).toBe(first.text)
  await next.pass(5 * MINUTE)
  expect((await post(next, path, headers)).status).toBe(401)
  expect(await next.runs(id)).toHaveLength(1)
  expect(await next.desk.ledger()).toHaveLength(1)
  expect((await post(next, path, headersOf(next, secret, { id: 'alert-2' }))).status).toBe(200)
  expect(await next.desk.ledger()).toHaveLength(2)
})

test('ten identical calls at the same moment are one run', async () => {
  const { rig, id, path, secret } = await signedHook()
  const headers = headersOf(rig, secret)
  const replies = await Promise.all(Array.from({ length: 10 }, () => post(rig, path, headers)))
  expect(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
  expect(await rig.runs(id)).toHaveLength(1)
})

test('a call that is altered, old, unsigned or signed with another secret starts nothing', async () => {
  const { rig, id, path, secret } = await signedHook()
  const good = headersOf(rig, secret)
  const invalid = 'Invalid webhook signature'
  const old = 'webhook-timestamp: More than 5 minutes from the clock of the service'
  const bom = new Uint8Array([0xef, 0xbb, 0xbf, ...Buffer.from(BODY)])
  for (const [headers, body, error] of [
    [good, '{"quantity":9}', invalid],
    [good, `${BODY}\n`, invalid],
    [good, bom, invalid],
    [{ ...good, 'webhook-id': 'alert-2' }, BODY, invalid],
    [headersOf(rig, 'ab'.repeat(32)), BODY, invalid],
    [headersOf(rig, secret, { at: rig.clock.now() - 6 * MINUTE }), BODY, old],
    [headersOf(rig, secret, { at: rig.clock.now() + 6 * MINUTE }), BODY, old],
    [{}, `{"secret":"${secret}","quantity":1}`, 'Missing header webhook-id'],
    [{ 'webhook-id': 'a', 'webhook-timestamp': '1' }, BODY, 'Missing header webhook-signature'],
  ] as const) {
    const reply = await post(rig, path, headers, body)
    expect([reply.status, reply.body.error]).toEqual([401, error])
  }
  expect(await post(rig, `${path}?secret=${secret}`, {})).toMatchObject({ status: 401 })
  const inPath = await post(rig, `${path}/SBIN`, good)
  expect([inPath.status, inPath.body.error]).toEqual([
    400,
    'A signed call takes its symbol from the body, not from the address',
  ])
  expect(await rig.runs(id)).toEqual([])
  expect((await post(rig, path, good)).status).toBe(200)
  const other = await post(rig, path, headersOf(rig, secret, { body: '{"quantity":2}' }), '{"quantity":2}')
  expect(other.status).toBe(409)
  expect(await rig.runs(id)).toHaveLength(1)
})

test('the secret is shown as libraries take it, and a secret that cannot be opened accepts no signature', async () => {
  const { rig, id, path, secret, hook } = await signedHook()
  expect(hook).toMatchObject({
    message: "Webhook auth type set to 'signed'",
    webhook_auth_type: 'signed',
    webhook_signing_secret: `whsec_${Buffer.from(secret, 'hex').toString('base64')}`,
  })
  await rig.flows.workflows.setState(id, { webhookSecret: '' })
  expect((await post(rig, path, headersOf(rig, ''))).status).toBe(401)
})
