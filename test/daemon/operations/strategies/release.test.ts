import { expect, test } from 'vitest'
import { STRATEGY_OPERATIONS } from '../../../../src/daemon/operations/strategies/index.js'
import { PAIR, RunRig } from '../../../core/strategies/runs/run-rig.js'
import { bearer, HttpDesk } from '../../../support/desk/http-desk.js'

/* The release of a reserved run over HTTP: who may do it, what it accepts, and what the other routes say of such a run. */

const ONE = { ...PAIR, legs: [{ segment: 'cash', position: 'B', lots: 10 }] }
const WORD = { reason: 'closed in the app', closed_by_hand: true }
const AT = '/strategy/api/strategies'
const ROUTE = 'POST /strategy/api/strategies/:id/runs/:run/release'

/** A daemon whose only run, a live one that holds ten shares, is reserved. */
async function reserved() {
  const before = await RunRig.open('live')
  const id = await before.create(ONE, true)
  await before.settled(before.runs.start(id, { mode: 'live', trigger: 'manual' }))
  await before.settled(before.runs.settled())
  const { svc } = before.rig.desk.service.databases
  await svc.write((tx) => tx.exec('update strategy_orders set quantity = 0'))
  await before.settled(before.rig.desk.close())
  const http = await HttpDesk.open({ home: before.rig.desk.home, clock: before.clock })
  const headers = bearer(await http.signIn())
  const call = (method: string, path: string, body?: unknown, as: Record<string, string> = headers) =>
    http.desk.settled(http.request(method, path, { body, headers: as }))
  return { http, id, call, path: `${AT}/${id}/runs/1/release` }
}

test('a release needs the word that the positions are closed, and a reason', async () => {
  const { call, path } = await reserved()
  const wrong: [unknown, string][] = [
    [{ reason: 'x' }, 'closed_by_hand'],
    [{ ...WORD, closed_by_hand: false }, 'closed_by_hand'],
    [{ ...WORD, closed_by_hand: 'true' }, 'closed_by_hand'],
    [{ closed_by_hand: true }, 'reason'],
    [{ ...WORD, reason: '   ' }, 'reason'],
    [{ ...WORD, reason: 'x'.repeat(501) }, 'reason'],
    [{ ...WORD, reason: 7 }, 'reason'],
    [{ ...WORD, positions_checked: 'yes' }, 'positions_checked'],
    [{ ...WORD, positions_check: true }, 'positions_check'],
    [[], ''],
    ['x', ''],
    [null, ''],
  ]
  for (const [body, field] of wrong) {
    const { status, text } = await call('POST', path, body)
    expect([status, body, text]).toEqual([400, body, expect.stringContaining(field)])
  }
  const proto = await call(
    'POST',
    path,
    JSON.parse('{"reason":"x","closed_by_hand":true,"__proto__":{"a":1}}'),
  )
  expect(proto.status).toBe(400)
})

test('a run that does not exist, is of another strategy or is no number is not found', async () => {
  const { call, http, id } = await reserved()
  for (const run of ['2', '0', '-1', 'x', '1.5', '9'.repeat(30), '%00', '__proto__']) {
    const { status } = await call('POST', `${AT}/${id}/runs/${run}/release`, WORD)
    expect([run, status]).toEqual([run, 404])
  }
  expect((await call('POST', `${AT}/99/runs/1/release`, WORD)).status).toBe(404)
  const other = await call('POST', AT, { ...ONE, name: 'other' })
  expect(other.status).toBe(201)
  const { status, text } = await call('POST', `${AT}/2/runs/1/release`, WORD)
  expect([status, text]).toEqual([404, expect.stringContaining('does not belong to strategy 2')])
  expect((await http.request('POST', `${AT}/${id}/runs/1/release`, { body: WORD })).status).toBe(401)
})

test('only the owner with the scope of strategies releases', async () => {
  const { call, http, path } = await reserved()
  for (const scope of ['read', 'orders', 'approvals'] as const) {
    const { status } = await call('POST', path, WORD, bearer(await http.tokenOf(scope)))
    expect([scope, status]).toEqual([scope, 403])
  }
  await http.desk.service.databases.svc.write((tx) => tx.exec(`update strategies set user_id = 'ravi'`))
  expect((await call('POST', path, WORD)).status).toBe(404)
})

test('the routes show a reserved run, and the release is recorded with its values', async () => {
  const { call, http, id, path } = await reserved()
  const shown = await call('GET', `${AT}/${id}`)
  expect(shown.body.data).toMatchObject({ status: 'running', run_state: 'reserved' })
  expect((await call('GET', AT)).body.data).toMatchObject([{ run_state: 'reserved' }])
  const why = expect.stringMatching(/^Run 1 remains open .* has no whole quantity$/)
  expect((await call('GET', `${AT}/${id}/runs`)).body.data).toMatchObject([
    { reserved_at: expect.any(String), reserved_reason: why },
  ])
  const kill = await call('POST', '/risk/kill-switch', { on: true })
  expect(kill.body.message).toContain(`Reserved, so nobody manages their positions: run 1 of strategy ${id}.`)
  expect(kill.body.reserved_runs).toEqual([{ strategy_id: id, run_id: 1, reason: why }])
  const lock = await call('POST', `${AT}/${id}/kill_switch`)
  expect(lock.body).toMatchObject({
    webhook_locked: true,
    run_stopped: false,
    stop_pending: false,
    message: expect.stringMatching(/^Kill switch engaged; nothing was stopped\. Run 1 remains open/),
  })
  for (const end of ['stop', 'close_all', 'legs/1/close']) {
    const { body, status } = await call('POST', `${AT}/${id}/${end}`)
    expect([end, status, body.message]).toEqual([end, 409, expect.stringContaining('svc strategy release')])
  }
  const refused = await call('POST', path, WORD)
  expect([refused.status, refused.body.message]).toEqual([409, expect.stringContaining('10 NSE:SBIN MIS')])
  const released = await call('POST', path, { ...WORD, positions_checked: true })
  expect(released.status, released.text).toBe(200)
  expect(STRATEGY_OPERATIONS[ROUTE].answer?.parse(released.body)).toMatchObject({ run_id: 1 })
  expect((await call('GET', `${AT}/${id}`)).body.data).toMatchObject({ status: 'stopped', run_state: null })
  expect((await call('POST', path, { ...WORD, positions_checked: true })).status).toBe(409)
  const { svc } = http.desk.service.databases
  const acts = await svc.queryRaw(
    `select target, outcome, code, before, after from audit_entries where act = 'strategy.release' order by seq`,
  )
  expect(acts).toMatchObject([
    { outcome: 'refused', code: 'conflict' },
    { outcome: 'done', before: expect.stringContaining('no whole quantity'), after: expect.anything() },
    { outcome: 'refused', code: 'conflict' },
  ])
})
