import { expect, test } from 'vitest'
import { USER } from '../../support/desk/desk.js'
import { ApiRig, ORDER } from '../operations/api-rig.js'

/* Requests that mean harm, or nothing: what is kept of them, and what is told. */

async function opened() {
  const rig = await ApiRig.open('live')
  const send = async (path: string, text: string, headers: Record<string, string> = {}) => {
    const sent = rig.app.request(
      path,
      { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: text },
      {},
    )
    const answer = await rig.settled(Promise.resolve(sent))
    return { id: answer.headers.get('x-request-id') ?? '', status: answer.status }
  }
  const place = (fields: object, headers: Record<string, string> = {}) =>
    send('/api/v1/placeorder', JSON.stringify({ apikey: rig.apikey, ...ORDER, ...fields }), headers)
  const refused = async (body: Record<string, unknown> = {}) => {
    const answer = await rig.post('refusedorders', body)
    expect(answer.status).toBe(200)
    const rows: Record<string, unknown>[] = Object(answer.body).data
    return rows
  }
  const rows = async (id: string) => rig.desk.service.requests.ofRequest(id)
  return { rig, send, place, refused, rows }
}

test('of a body that is no object nothing is kept', async () => {
  const { rig, send, rows } = await opened()
  for (const body of [`apikey=${rig.apikey}`, [rig.apikey], [[`apikey: ${rig.apikey}`]]]) {
    const { id } = await send('/api/v1/placeorder', JSON.stringify(body))
    const kept = await rows(id)
    expect(kept).toHaveLength(1)
    expect(JSON.stringify(kept)).not.toContain(rig.apikey)
  }
})

test('a key that is longer than any key is not kept whole', async () => {
  const { place, rows } = await opened()
  const { id, status } = await place({}, { 'idempotency-key': 'k'.repeat(12_000) })
  expect(status).toBe(400)
  expect((await rows(id))[0]?.callerKey?.length ?? 0).toBeLessThanOrEqual(255)
})

test('refusals of the other mode take no place in the list', async () => {
  const { rig, place, refused } = await opened()
  await rig.desk.service.risk.change({ max_order_quantity: 5 }, USER)
  await place({ quantity: 6 })
  await rig.switchTo('analyze')
  await place({ quantity: 7 })
  await rig.switchTo('live')
  expect((await refused({ limit: 1 })).map(({ quantity }) => quantity)).toEqual([6])
})

test('ids of no kind are not found, and nothing breaks', async () => {
  const { rig } = await opened()
  for (const id of [
    'approval:NaN',
    'approval:',
    ':',
    'key:',
    '#',
    '#0',
    '999999999999999',
    "' or 1=1 --",
    '\u0000',
    '💥'.repeat(60),
    'event:1e3',
    'order:order:order:',
  ]) {
    const { status } = await rig.post('why', { id })
    expect([id, status]).toEqual([id, 404])
  }
  expect(await rig.desk.service.approvals.record(USER, Number.NaN)).toBeUndefined()
})
