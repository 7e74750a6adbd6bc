import { expect, test } from 'vitest'
import { bearer } from '../../../support/desk/http-desk.js'
import { BUY, StrategyDesk } from './strategy-desk.js'

/* The versions of a strategy over HTTP: listed in pages, read, and restored by the rules of a change. */

const AT = '/strategy/api/strategies'

/** A strategy with three versions. */
async function open() {
  const desk = await StrategyDesk.open()
  const { id, token } = await desk.create(BUY)
  for (const overall_sl_mtm of [1000, 2000]) await desk.ask('PATCH', `${AT}/${id}`, { overall_sl_mtm })
  return { desk, id, token, path: `${AT}/${id}` }
}

const numbers = (body: Record<string, unknown>) =>
  (body as { data: { version: number }[] }).data.map(({ version }) => version)

test('versions are listed newest first, in pages, each with its author', async () => {
  const { desk, path } = await open()
  const first = await desk.ask('GET', `${path}/versions?limit=2`)
  expect([numbers(first.body), first.body.next_before]).toEqual([[3, 2], 2])
  const rest = await desk.ask('GET', `${path}/versions?before=2`)
  expect([numbers(rest.body), 'next_before' in rest.body]).toEqual([[1], false])
  expect(first.body.data).toMatchObject([
    { version: 3, by: 'asha', credential: 'session', origin: 'edit', current: true, file: null },
    { version: 2, current: false },
  ])
  for (const query of ['limit=0', 'limit=501', 'before=0', 'before=x']) {
    expect([query, (await desk.ask('GET', `${path}/versions?${query}`)).status]).toEqual([query, 400])
  }
})

test('a version has the configuration of its time, and never the webhook token', async () => {
  const { desk, path, token } = await open()
  const { body, text } = await desk.ask('GET', `${path}/versions/2`)
  expect(body.data).toMatchObject({ version: 2, config: { name: 'buy', overall_sl_mtm: 1000 } })
  expect(text).not.toContain(token)
  const now = await desk.ask('GET', `${path}/versions/3`)
  const { config } = now.body.data as { config: Record<string, unknown> }
  const { data } = (await desk.ask('GET', path)).body as { data: Record<string, unknown> }
  expect(data).toMatchObject(config)
  for (const number of ['4', '0', 'x']) {
    expect(await desk.ask('GET', `${path}/versions/${number}`)).toMatchObject({
      status: 404,
      body: { message: `Strategy 1 has no version ${number}` },
    })
  }
  for (const route of ['versions', 'versions/1']) {
    expect((await desk.ask('GET', `${AT}/99/${route}`)).status).toBe(404)
  }
})

test('a rollback is a new version, recorded as any change, and refused like one while a run is active', async () => {
  const { desk, id, path } = await open()
  const wrong = await desk.ask('POST', `${path}/rollback`, { version: 1, expect: 2 })
  expect([wrong.status, wrong.body.message]).toEqual([
    409,
    'Nothing was changed: the strategy has version 3, not 2',
  ])
  const token = bearer(await desk.http.tokenOf('strategies'))
  const body = { version: 1, expect: 3 }
  const done = await desk.settled(desk.http.request('POST', `${path}/rollback`, { body, headers: token }))
  expect(done).toMatchObject({
    status: 200,
    body: { version: 4, data: { id, overall_sl_mtm: null }, message: 'Strategy restored to version 1.' },
  })
  const newest = await desk.ask('GET', `${path}/versions?limit=1`)
  expect(newest.body.data).toMatchObject([
    { version: 4, origin: 'rollback', rolled_back_to: 1, credential: 'access_token' },
  ])
  const acts = await desk.rows(
    `select act, outcome, target from audit_entries where act = 'strategy.roll_back'`,
  )
  expect(acts).toEqual([
    { act: 'strategy.roll_back', outcome: 'refused', target: '1' },
    { act: 'strategy.roll_back', outcome: 'done', target: '1' },
  ])
  await desk.service.databases.svc.write((tx) =>
    tx.exec(`update strategies set status = 'running', current_run_id = 7`),
  )
  expect(await desk.ask('POST', `${path}/rollback`, { version: 2 })).toMatchObject({
    status: 409,
    body: { message: 'Stop the strategy before editing it' },
  })
})

test('a credential that may only read sees versions and restores none', async () => {
  const { desk, path } = await open()
  const headers = bearer(await desk.http.tokenOf('read'))
  const ask = (method: string, at: string, body?: unknown) =>
    desk.settled(desk.http.request(method, at, { headers, ...(body !== undefined && { body }) }))
  expect((await ask('GET', `${path}/versions`)).status).toBe(200)
  expect((await ask('POST', `${path}/rollback`, { version: 1 })).status).toBe(403)
})
