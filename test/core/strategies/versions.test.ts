import { expect, onTestFinished, test, vi } from 'vitest'
import { InMemoryDirectory } from '../../../src/core/instruments/index.js'
import { Database } from '../../../src/core/storage/index.js'
import { SqliteConnection } from '../../../src/core/storage/sqlite.js'
import { applyStrategies, openStrategies, planStrategies } from '../../../src/core/strategies/index.js'
import { VirtualClock } from '../../../src/core/time/index.js'
import { tempDir } from '../../support/files/temp.js'
import { BATCH, SIGNAL } from './samples.js'

/* Each configuration of a strategy is kept as a version, and can be restored. */

const USER = 'asha'
const SESSION = { credential: 'session', credentialId: 's1' } as const
const TOKEN = { credential: 'access_token', credentialId: '7' } as const
const ALL = { limit: 100 }

async function open() {
  const db = await Database.open({ file: `${tempDir()}/svc.db`, schema: 'svc' })
  onTestFinished(() => db.close())
  const clock = new VirtualClock(Date.parse('2026-11-20T04:00:00Z'))
  const parts = await openStrategies({ db, clock, directory: InMemoryDirectory.of([]) })
  const { strategyCatalog: catalog, strategyVersions: versions } = parts
  const sql = (text: string) => db.write((tx) => tx.exec(text))
  const create = async (config: object = BATCH) => (await catalog.create(USER, config, SESSION)).strategy.id
  const facts = async (id: number) =>
    (await versions.list(id, ALL)).map(({ version, origin, rolledBackTo }) => [version, origin, rolledBackTo])
  return { ...parts, catalog, versions, clock, db, sql, create, facts }
}

test('every change of the configuration is a version with its author, time, file and commit', async () => {
  const { catalog, clock, create, versions } = await open()
  const id = await create()
  await clock.advance(3_600_000)
  await catalog.change(USER, id, { product: 'MIS' }, TOKEN)
  const files = {
    strategies: [{ key: 'straddle-1', file: 'strategies/a.yaml', config: { ...BATCH, name: 'New' } }],
    prune: false,
    commit: 'abc',
  }
  await applyStrategies(catalog, USER, files, SESSION)
  await catalog.change(USER, id, { overall_sl_mtm: 3000 }, TOKEN)
  const by = { strategyId: id, by: USER, rolledBackTo: null }
  const later = Date.parse('2026-11-20T05:00:00Z')
  const none = { file: null, commit: null }
  const file = 'strategies/a.yaml'
  expect(await versions.list(id, ALL)).toEqual([
    { ...by, version: 4, at: later, origin: 'edit', name: 'New', file, commit: null, ...TOKEN },
    { ...by, version: 3, at: later, origin: 'apply', name: 'New', file, commit: 'abc', ...SESSION },
    { ...by, version: 2, at: later, origin: 'edit', name: 'Straddle', ...none, ...TOKEN },
    { ...by, version: 1, at: later - 3_600_000, origin: 'edit', name: 'Straddle', ...none, ...SESSION },
  ])
  const { config } = await catalog.get(USER, id)
  const current = await versions.find(id, 4)
  expect(JSON.parse(current?.config ?? '')).toEqual(config)
  expect(JSON.parse((await versions.find(id, 1))?.config ?? '')).toMatchObject({ product: 'NRML' })
})

test('what does not change the configuration makes no version, and no version holds the webhook token', async () => {
  const { catalog, db, facts } = await open()
  const { strategy, webhookToken } = await catalog.create(USER, BATCH)
  const { id } = strategy
  const rotated = await catalog.rotateToken(USER, id)
  await catalog.setLive(USER, id, true)
  await catalog.lockWebhook(USER, id)
  await catalog.unlockWebhook(USER, id)
  await catalog.change(USER, id, { name: BATCH.name })
  await expect(catalog.change(USER, id, { legs: [] })).rejects.toMatchObject({ code: 'validation' })
  expect(await facts(id)).toEqual([[1, 'edit', null]])
  const [row] = await db.queryRaw('select * from strategies')
  const stored = JSON.stringify(await db.queryRaw('select * from strategy_versions'))
  for (const secret of [webhookToken, rotated.webhookToken, String(row?.webhook_token_hash)]) {
    expect(stored).not.toContain(secret)
  }
})

test('a version is stored with its change or not at all', async () => {
  const { catalog, create, facts, sql } = await open()
  const id = await create()
  await sql(
    `create trigger no_event before insert on strategy_events begin select raise(abort, 'no event today'); end`,
  )
  await expect(catalog.change(USER, id, { product: 'MIS' })).rejects.toThrow()
  expect((await catalog.get(USER, id)).config.product).toBe('NRML')
  expect(await facts(id)).toEqual([[1, 'edit', null]])
})

test('a rollback restores a configuration as a new version, and the rest of the strategy stays', async () => {
  const { catalog, create, facts, strategyEvents } = await open()
  const id = await create()
  await catalog.setLive(USER, id, true)
  await catalog.change(USER, id, { product: 'MIS', overall_sl_mtm: 3000 })
  const before = await catalog.get(USER, id)
  const restored = await catalog.rollback(USER, id, { version: 1, expect: 2 }, TOKEN)
  const { legs, product, overall_sl_mtm: stop } = restored.strategy.config
  expect([restored.version, product, stop, legs]).toEqual([3, 'NRML', null, before.config.legs])
  const { liveEnabled, webhookFingerprint } = await catalog.get(USER, id)
  expect([liveEnabled, webhookFingerprint]).toEqual([true, before.webhookFingerprint])
  expect(await facts(id)).toEqual([
    [3, 'rollback', 1],
    [2, 'edit', null],
    [1, 'edit', null],
  ])
  const [event] = await strategyEvents.list(id, { limit: 1 })
  expect(event).toMatchObject({
    kind: 'strategy_updated',
    message: 'Restored overall_sl_mtm, product of version 1',
  })
  expect(await catalog.rollback(USER, id, { version: 3 })).toMatchObject({ version: 3 })
  expect(await facts(id)).toHaveLength(3)
})

test('a rollback is refused where a change is: of a running strategy, to a taken name, to what no strategy may be', async () => {
  const { catalog, create, facts, sql } = await open()
  const id = await create()
  await catalog.change(USER, id, { name: 'Renamed' })
  const other = await create({ ...SIGNAL, name: 'Straddle' })
  const back = (request: { version: number; expect?: number }) => catalog.rollback(USER, id, request)
  await expect(back({ version: 1 })).rejects.toMatchObject({ code: 'conflict' })
  await catalog.remove(USER, other)
  await expect(back({ version: 9 })).rejects.toMatchObject({
    code: 'not_found',
    message: `Strategy ${id} has no version 9`,
  })
  await expect(back({ version: 1, expect: 1 })).rejects.toMatchObject({
    code: 'conflict',
    message: 'Nothing was changed: the strategy has version 2, not 1',
  })
  await expect(catalog.rollback('ravi', id, { version: 1 })).rejects.toMatchObject({ code: 'not_found' })
  await sql(`update strategies set status = 'running', current_run_id = 7`)
  await expect(back({ version: 1 })).rejects.toMatchObject({
    code: 'conflict',
    message: 'Stop the strategy before editing it',
  })
  await sql(`update strategies set status = 'stopped', current_run_id = null`)
  await sql(`update strategy_versions set config = json_set(config, '$.legs', json('[]')) where version = 1`)
  await expect(back({ version: 1 })).rejects.toMatchObject({ code: 'validation' })
  expect((await catalog.get(USER, id)).name).toBe('Renamed')
  expect(await facts(id)).toHaveLength(2)
})

test('a rollback of what a file says is a change by hand: the next plan names it, and its version', async () => {
  const { catalog } = await open()
  const file = (config: object) => ({
    strategies: [{ key: 'a', file: 'a.yaml', config }],
    prune: false,
    commit: 'abc',
  })
  await applyStrategies(catalog, USER, file(BATCH))
  const [applied] = await applyStrategies(catalog, USER, file({ ...BATCH, product: 'MIS' }))
  expect(applied).toMatchObject({ version: 2, stored: { version: 1 } })
  await catalog.rollback(USER, applied?.strategy_id ?? 0, { version: 1 })
  expect(await planStrategies(catalog, USER, file({ ...BATCH, product: 'MIS' }))).toMatchObject([
    {
      action: 'update',
      drifted: true,
      stored: { version: 3, origin: 'rollback', rolled_back_to: 1, file: 'a.yaml', commit: 'abc' },
      changes: [{ path: 'product', before: 'NRML', after: 'MIS' }],
    },
  ])
})

test('versions come in pages, and those of a deleted strategy are gone', async () => {
  const { catalog, create, db, versions } = await open()
  const [id, other] = [await create(), await create(SIGNAL)]
  for (const stop of [1000, 2000, 3000]) await catalog.change(USER, id, { overall_sl_mtm: stop })
  const page = async (query: { before?: number; limit: number }) =>
    (await versions.list(id, query)).map(({ version }) => version)
  expect([await page({ limit: 2 }), await page({ limit: 9, before: 3 })]).toEqual([
    [4, 3],
    [2, 1],
  ])
  expect([...(await versions.currentOf([id, other])).values()].map(({ version }) => version)).toEqual([4, 1])
  await catalog.remove(USER, id)
  expect(await db.queryRaw('select strategy_id, version from strategy_versions')).toEqual([
    { strategy_id: other, version: 1 },
  ])
})

test('no query reads more versions than it returns', async () => {
  const { db, versions } = await open()
  const asked = vi.spyOn(SqliteConnection.prototype, 'all')
  onTestFinished(() => asked.mockRestore())
  await versions.list(3, { limit: 9, before: 7 })
  await versions.find(3, 2)
  await versions.currentOf([3, 4])
  const queries = asked.mock.calls.filter(([sql]) => sql.includes('strategy_versions'))
  expect(queries).toHaveLength(3)
  for (const [sql, params = []] of queries) {
    const plan = (await db.queryRaw(`explain query plan ${sql}`, params)).map(({ detail }) => String(detail))
    expect(plan.filter((step) => step.includes('SCAN') && !step.includes('subquery'))).toEqual([])
    expect(plan.join('; ')).toMatch(/SEARCH (strategy_versions|v) USING .*INDEX/)
  }
})
