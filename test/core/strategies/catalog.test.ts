import { expect, onTestFinished, test, vi } from 'vitest'
import { InMemoryDirectory, type Instrument } from '../../../src/core/instruments/index.js'
import { sha256Hex } from '../../../src/core/secrets/index.js'
import { Database } from '../../../src/core/storage/index.js'
import {
  applyStrategies,
  completeLocks,
  lockAndStop,
  openStrategies,
  planStrategies,
  readStrategy,
  type StoppedRun,
  type StrategyEvent,
} from '../../../src/core/strategies/index.js'
import { StrategyStore } from '../../../src/core/strategies/store/strategy-store.js'
import { VirtualClock } from '../../../src/core/time/index.js'
import { seeded } from '../../support/chance/chance.js'
import { tempDir } from '../../support/files/temp.js'
import { BATCH, LEG, SIGNAL } from './samples.js'

const USER = 'asha'
const FUTURE: Instrument = {
  symbol: 'NIFTY24NOV26FUT',
  brokerSymbol: 'NIFTY24NOV26FUT',
  name: 'NIFTY',
  exchange: 'NFO',
  brokerExchange: 'NFO',
  token: '1',
  expiry: '24-NOV-26',
  strike: 0,
  lotSize: 75,
  instrumentType: 'FUT',
  tickSize: 0.05,
}

async function open() {
  const db = await Database.open({ file: `${tempDir()}/svc.db`, schema: 'svc' })
  onTestFinished(() => db.close())
  const clock = new VirtualClock(Date.parse('2026-11-20T04:00:00Z'))
  const published: StrategyEvent[] = []
  const parts = await openStrategies({
    db,
    clock,
    directory: InMemoryDirectory.of([FUTURE]),
    publish: (event) => published.push(event),
  })
  const catalog = parts.strategyCatalog
  const events = async (id: number) =>
    (await parts.strategyEvents.list(id, { limit: 100 }))
      .map(({ kind, message }) => [kind, message])
      .reverse()
  const sql = (text: string) => db.write((tx) => tx.exec(text))
  const count = async (table: string) =>
    Number((await db.queryRaw(`select count(*) as n from ${table}`))[0]?.n)
  return { ...parts, catalog, clock, db, events, published, sql, count }
}

const hold = (id: number) => `update strategies set status = 'running', current_run_id = 7 where id = ${id}`

test('a new strategy has a token that is shown once and stored as its hash', async () => {
  const { catalog, db, events } = await open()
  const { strategy, webhookToken } = await catalog.create(USER, BATCH)
  expect(webhookToken).toMatch(/^svc_hook_[\w-]{43}$/)
  const [row] = await db.queryRaw('select * from strategies')
  expect(row?.webhook_token_hash).toBe(sha256Hex(webhookToken))
  expect(JSON.stringify(row)).not.toContain(webhookToken)
  expect((await catalog.byToken(webhookToken))?.id).toBe(strategy.id)
  const next = await catalog.rotateToken(USER, strategy.id)
  expect(await catalog.byToken(webhookToken)).toBeUndefined()
  expect((await catalog.byToken(next.webhookToken))?.id).toBe(strategy.id)
  expect(await catalog.byToken(`${webhookToken} `)).toBeUndefined()
  expect(await events(strategy.id)).toEqual([
    ['strategy_created', "Strategy 'Straddle' created"],
    ['webhook_token_rotated', 'Webhook token rotated'],
  ])
})

test('every change publishes its event, and a change that fails publishes none', async () => {
  const { catalog, published, strategyEvents } = await open()
  const { strategy } = await catalog.create(USER, BATCH)
  const { id } = strategy
  await catalog.change(USER, id, { overall_sl_mtm: 3000 })
  await catalog.rotateToken(USER, id)
  await catalog.setLive(USER, id, true)
  await catalog.setLive(USER, id, true)
  await catalog.recordLock(await catalog.lockWebhook(USER, id), null, 'Kill switch engaged')
  await catalog.unlockWebhook(USER, id)
  const stored = await strategyEvents.list(id, { limit: 100 })
  expect(published.map(({ kind }) => kind)).toEqual(stored.map(({ kind }) => kind).reverse())
  expect(published).toHaveLength(6)
  expect(published[1]).toEqual({
    strategyId: id,
    userId: USER,
    runId: null,
    legId: null,
    ts: stored[0]?.ts,
    kind: 'strategy_updated',
    severity: 'info',
    message: 'Updated overall_sl_mtm',
    payload: { fields: ['overall_sl_mtm'] },
  })
  const files = [
    { key: 'a', config: { ...BATCH, name: 'New' } },
    { key: 'b', config: BATCH },
  ]
  await expect(applyStrategies(catalog, USER, { strategies: files, prune: false })).rejects.toThrow(
    "A strategy named 'Straddle' already exists",
  )
  expect(published).toHaveLength(6)
})

test('a strategy of another user is not found, by any act', async () => {
  const { catalog } = await open()
  const { id } = (await catalog.create('ravi', BATCH)).strategy
  const acts = [
    () => catalog.get(USER, id),
    () => catalog.change(USER, id, { name: 'x' }),
    () => catalog.remove(USER, id),
    () => catalog.rotateToken(USER, id),
    () => catalog.setLive(USER, id, true),
    () => catalog.lockWebhook(USER, id),
    () => catalog.unlockWebhook(USER, id),
  ]
  for (const act of acts)
    await expect(act()).rejects.toMatchObject({ code: 'not_found', message: 'Strategy not found' })
  expect(await catalog.list(USER)).toEqual([])
})

test('a name belongs to one strategy of a user', async () => {
  const { catalog } = await open()
  await catalog.create(USER, BATCH)
  await catalog.create('ravi', BATCH)
  const { strategy } = await catalog.create(USER, SIGNAL)
  const taken = { code: 'conflict', message: "A strategy named 'Straddle' already exists" }
  await expect(catalog.create(USER, BATCH)).rejects.toMatchObject(taken)
  await expect(catalog.change(USER, strategy.id, { name: ' Straddle ' })).rejects.toMatchObject(taken)
  const made = await Promise.allSettled(
    Array.from({ length: 5 }, () => catalog.create(USER, { ...BATCH, name: 'Race' })),
  )
  expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
})

test('while a run holds a strategy, it is neither changed, deleted nor switched', async () => {
  const { catalog, sql, events } = await open()
  const { id } = (await catalog.create(USER, BATCH)).strategy
  await sql(hold(id))
  const conflict = (message: string) => ({ code: 'conflict', message })
  await expect(catalog.change(USER, id, { name: 'x' })).rejects.toMatchObject(
    conflict('Stop the strategy before editing it'),
  )
  await expect(catalog.remove(USER, id)).rejects.toMatchObject(
    conflict('Stop the strategy before deleting it'),
  )
  await expect(catalog.setLive(USER, id, true)).rejects.toMatchObject(
    conflict('Stop the strategy before changing its mode'),
  )
  expect(await events(id)).toHaveLength(1)
  expect((await catalog.rotateToken(USER, id)).strategy.status).toBe('running')
})

test('a change says which fields it changed; an empty one and one of the kind are refused', async () => {
  const { catalog, events } = await open()
  const { id } = (await catalog.create(USER, BATCH)).strategy
  await catalog.change(USER, id, { product: 'MIS', exit_time: '15:10', direction: 'BOTH' })
  await catalog.change(USER, id, { product: 'mis' })
  expect(await events(id)).toEqual([
    ['strategy_created', "Strategy 'Straddle' created"],
    ['strategy_updated', 'Updated exit_time, product'],
  ])
  await expect(catalog.change(USER, id, {})).rejects.toMatchObject({
    code: 'validation',
    message: 'Nothing to update',
  })
  const kind = { code: 'validation', message: 'strategy_kind cannot be changed' }
  await expect(catalog.change(USER, id, { strategy_kind: 'signal' })).rejects.toMatchObject(kind)
})

test('units of a derivative are whole lots, on every way in; a contract that is not listed passes', async () => {
  const { catalog } = await open()
  const leg = { symbol: FUTURE.symbol, exchange: 'NFO', segment: 'futures', qty_mode: 'units' }
  const signal = (qty: number, more: object = {}) => ({ ...SIGNAL, legs: [{ ...leg, qty, ...more }] })
  const message = `legs[0].qty must be a whole number of lots; ${FUTURE.symbol} trades in lots of 75`
  const refused = { code: 'validation', message }
  await expect(catalog.create(USER, signal(80))).rejects.toMatchObject(refused)
  const { id } = (await catalog.create(USER, signal(150))).strategy
  await expect(catalog.change(USER, id, { legs: signal(80).legs })).rejects.toMatchObject(refused)
  const strategies = [{ key: 'lots', config: { ...signal(80), name: 'Lots' } }]
  const ofFile = { code: 'validation', message: `lots: ${message}` }
  await expect(planStrategies(catalog, USER, { strategies, prune: false })).rejects.toMatchObject(ofFile)
  await expect(applyStrategies(catalog, USER, { strategies, prune: false })).rejects.toMatchObject(ofFile)
  await catalog.change(USER, id, { legs: signal(80, { symbol: 'UNLISTED26NOVFUT' }).legs })
  await catalog.change(USER, id, { legs: signal(2, { qty_mode: 'lots' }).legs })
})

test('a thousand strategies are applied without reading all of them for each, and one more is refused', async () => {
  const { catalog, db } = await open()
  const files = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, i) => ({
      key: `s${from + i}`,
      config: { ...BATCH, name: `S${from + i}` },
    }))
  const listed = vi.spyOn(StrategyStore.prototype, 'listIn')
  onTestFinished(() => listed.mockRestore())
  await applyStrategies(catalog, USER, { strategies: files(0, 1000), prune: false })
  const rows = Number((await db.queryRaw('select count(*) as n from strategies'))[0]?.n)
  expect([rows, listed.mock.calls.length]).toEqual([1000, 1])
  const more = { code: 'refused', message: 'A user may have at most 1000 strategies' }
  await expect(catalog.create(USER, { ...BATCH, name: 'more' })).rejects.toMatchObject(more)
})

test('live and lock are switches with their events', async () => {
  const { catalog, events } = await open()
  const { id } = (await catalog.create(USER, BATCH)).strategy
  for (const enabled of [true, true, false]) await catalog.setLive(USER, id, enabled)
  const stopped = (facts: Partial<StoppedRun>): StoppedRun => ({
    runId: 1,
    mode: 'sandbox',
    stopPending: false,
    exits: [],
    refused: null,
    ...facts,
  })
  const outcomes: (StoppedRun | undefined)[] = [
    undefined,
    stopped({}),
    stopped({ stopPending: true }),
    stopped({ stopPending: true, refused: 'no' }),
  ]
  const ended = []
  for (const outcome of outcomes) {
    const runs = { kill: async () => outcome }
    ended.push((await lockAndStop(catalog, runs, USER, id)).runStopped)
    expect((await catalog.get(USER, id)).webhookLocked).toBe(true)
  }
  expect(ended).toEqual([false, true, false, false])
  await catalog.unlockWebhook(USER, id)
  await catalog.unlockWebhook(USER, id)
  expect((await events(id)).slice(1)).toEqual([
    ['live_enabled', 'Live trading enabled'],
    ['live_disabled', 'Live trading disabled'],
    ['webhook_locked', 'Kill switch engaged'],
    ['webhook_locked', 'Kill switch engaged and open legs closed'],
    ['webhook_locked', 'Kill switch engaged; exit fills pending'],
    ['webhook_locked', 'Kill switch engaged; flatten refused, stop remains pending and retryable'],
    ['webhook_unlocked', 'Webhook unlocked'],
  ])
})

test('a lock that a crash interrupted is completed once: the run stops, and the event says how it ended', async () => {
  const { catalog, events } = await open()
  const ids: number[] = []
  for (const name of ['a', 'b', 'c']) {
    ids.push((await catalog.create(USER, { ...BATCH, name })).strategy.id)
  }
  const [cut = 0, again = 0, open_ = 0] = ids
  const idle = { kill: async () => undefined }
  const crash = { kill: () => Promise.reject(new Error('killed')) }
  await expect(lockAndStop(catalog, crash, USER, cut)).rejects.toThrow('killed')
  // Its first lock has its event, its second does not.
  await lockAndStop(catalog, idle, USER, again)
  await catalog.unlockWebhook(USER, again)
  await expect(lockAndStop(catalog, crash, USER, again)).rejects.toThrow('killed')

  const killed: number[] = []
  const pending: StoppedRun = {
    runId: 9,
    mode: 'sandbox',
    stopPending: true,
    exits: [],
    refused: null,
  }
  const runs = {
    kill: async (id: number) => {
      killed.push(id)
      return id === cut ? pending : undefined
    },
  }
  await completeLocks(catalog, runs)
  await completeLocks(catalog, runs)
  expect(killed).toEqual([cut, again])
  expect((await events(cut)).slice(1)).toEqual([
    ['webhook_locked', 'Kill switch engaged; exit fills pending'],
  ])
  expect((await events(again)).slice(1)).toEqual([
    ['webhook_locked', 'Kill switch engaged'],
    ['webhook_unlocked', 'Webhook unlocked'],
    ['webhook_locked', 'Kill switch engaged'],
  ])
  expect((await events(open_)).slice(1)).toEqual([])
})

test('a deleted strategy leaves no row behind, and others keep theirs', async () => {
  const { catalog, sql, count, strategyWebhookEvents: calls } = await open()
  const { id } = (await catalog.create(USER, BATCH)).strategy
  const other = (await catalog.create(USER, SIGNAL)).strategy.id
  for (const strategy of [id, other]) {
    await sql(`insert into strategy_runs (strategy_id, mode, broker, started_at, trigger_source, stopped_at)
      values (${strategy}, 'sandbox', 'sandbox', 1, 'manual', 2)`)
    await sql(`insert into strategy_orders (strategy_id, run_id, leg_id, kind, position_ref, exit_owner, order_ref, symbol, exchange, action, quantity, product, placed_at)
      values (${strategy}, 1, 1, 'entry', 'a', 'live', 'ref${strategy}', 'SBIN', 'NSE', 'BUY', 1, 'MIS', 1)`)
    await sql(`insert into strategy_checkpoints (strategy_id, run_id, ts, pnl_realized, pnl_unrealized, pnl_total, pnl_peak, pnl_trough, leg_state)
      values (${strategy}, 1, 1, 0, 0, 0, 0, 0, '{}')`)
    await calls.insert({ ...CALL, strategyId: strategy })
  }
  expect((await catalog.list(USER)).map(({ last }) => last?.stoppedAt)).toEqual([2, 2])
  await catalog.remove(USER, id)
  for (const table of ['', '_runs', '_orders', '_checkpoints', '_events', '_versions', '_webhook_events']) {
    const name = table === '' ? 'strategies' : `strategy${table}`
    expect([name, await count(name)]).toEqual([name, 1])
  }
})

const CALL = {
  strategyId: null,
  action: null,
  mode: null,
  payload: null,
  ip: '::1',
  userAgent: '',
  receivedAt: 1,
  ...({ result: 'rejected_token', error: null } as const),
}

test('of calls with unknown tokens the newest thousand are kept, and those of a strategy are not touched', async () => {
  const { strategyWebhookEvents: calls, count, db } = await open()
  await calls.insert({ ...CALL, strategyId: 5, result: 'ok' })
  const ids = await Promise.all(Array.from({ length: 1300 }, () => calls.insert(CALL)))
  expect(await count('strategy_webhook_events where strategy_id is null')).toBe(1000)
  const [oldest] = await db.queryRaw(
    'select min(id) as id from strategy_webhook_events where strategy_id is null',
  )
  expect(Number(oldest?.id)).toBe(Math.max(...ids) - 999)
  expect(await calls.newest(5, 9)).toHaveLength(1)
})

test('a change makes the strategy that creating the merged configuration makes', async () => {
  const { catalog } = await open()
  for (let seed = 1; seed <= 150; seed++) {
    const dice = seeded(seed)
    const pick = <T>(values: readonly T[]): T => values[dice.between(0, values.length - 1)] as T
    const patches = {
      name: ['Other', '', 'x'.repeat(201)],
      product: ['MIS', 'cnc', 'BO'],
      entry_time: ['09:30', '15:30', null, '9:30'],
      exit_time: ['15:00', null],
      strategy_type: ['positional', 'intraday'],
      overall_sl_mtm: [0, 100, -1, '5'],
      universe_tab: [null, 'mcx', 'stocks_fno'],
      legs: [[{ segment: 'cash', position: 'S', lots: 1 }], [], [{ ...LEG, sl_pts: 5 }, LEG]],
      webhook_ip_allowlist: [['10.0.0.0/8'], ['x'], []],
      nonsense: [1],
    }
    const names = Object.keys(patches) as (keyof typeof patches)[]
    const chosen = names.filter(() => dice.next() < 0.3)
    const patch = Object.fromEntries(chosen.map((name) => [name, pick<unknown>(patches[name])]))
    if (chosen.length === 0) continue
    const { strategy } = await catalog.create(USER, { ...BATCH, name: `Before ${seed}` })
    const merged = readStrategy({ ...strategy.config, ...patch })
    const changed = await catalog.change(USER, strategy.id, patch).catch((error: Error) => error.message)
    expect([seed, typeof changed === 'string' ? changed : changed.config]).toEqual([
      seed,
      merged.config ?? merged.problems[0]?.message,
    ])
    await catalog.remove(USER, strategy.id)
  }
})

const file = (key: string, config: object = BATCH) => ({ key, config })

test('files are applied all together or not at all, and a second time change nothing', async () => {
  const { catalog, events, sql } = await open()
  const apply = (strategies: { key: string; config: object }[], prune = false) =>
    applyStrategies(catalog, USER, { strategies, prune })
  const actions = (rows: { key: string; action: string }[]) =>
    rows.map(({ key, action }) => `${action} ${key}`)
  const both = [file('a'), file('b', SIGNAL)]
  const made = await apply(both)
  expect(actions(made)).toEqual(['create a', 'create b'])
  expect((await catalog.byToken(made[0]?.webhook_token ?? ''))?.name).toBe('Straddle')
  expect(actions(await apply(both))).toEqual(['none a', 'none b'])

  const clash = [file('a', { ...BATCH, product: 'MIS' }), file('c', { ...BATCH, name: 'Signals' })]
  await expect(apply(clash)).rejects.toMatchObject({ code: 'conflict' })
  const named = async (name: string) => {
    const found = (await catalog.list(USER)).find(({ strategy }) => strategy.name === name)
    if (!found) throw new Error(`no ${name}`)
    return found.strategy
  }
  const [a, b] = [await named('Straddle'), await named('Signals')]
  expect(a.config.product).toBe('NRML')

  await catalog.change(USER, a.id, { product: 'CNC' })
  const planned = await planStrategies(catalog, USER, { strategies: [file('a')], prune: true })
  expect(planned).toMatchObject([
    {
      key: 'a',
      action: 'update',
      drifted: true,
      changes: [{ path: 'product', before: 'CNC', after: 'NRML' }],
    },
    { key: 'b', action: 'delete', strategy_id: b.id, is_running: false },
  ])
  await sql(hold(b.id))
  await expect(apply([file('a')], true)).rejects.toMatchObject({
    code: 'conflict',
    message: 'Stop these strategies before they are changed: b',
  })
  expect((await catalog.get(USER, a.id)).config.product).toBe('CNC')
  await sql(`update strategies set status = 'stopped', current_run_id = null`)
  // The name of the deleted strategy is free for the new one.
  expect(actions(await apply([file('a'), file('d', SIGNAL)], true))).toEqual([
    'update a',
    'create d',
    'delete b',
  ])
  expect((await events(a.id)).at(-1)).toEqual(['strategy_updated', 'Updated product'])
  const faulty = apply([file('a', { ...BATCH, legs: [] }), file('a')])
  await expect(faulty).rejects.toMatchObject({
    extra: {
      errors: [
        { key: 'a', path: 'legs' },
        { key: 'a', code: 'duplicate_id' },
      ],
    },
  })
})

test('strategies without a file are named, and one with another version than expected keeps all as they are', async () => {
  const { catalog, events } = await open()
  const of = (key: string, config: object, path: string) => ({ ...file(key, config), file: path })
  const both = [of('a', BATCH, 'strategies/a.yaml'), of('b', SIGNAL, 'strategies/b.yaml')]
  await applyStrategies(catalog, USER, { strategies: both, prune: false, commit: 'abc' })
  const rows = (strategies: typeof both, complete: boolean) =>
    planStrategies(catalog, USER, { strategies, prune: false, complete })
  const [first] = both
  if (first === undefined) throw new Error('no file')
  const stored = {
    version: 1,
    by: USER,
    by_you: true,
    origin: 'apply',
    file: 'strategies/b.yaml',
    commit: 'abc',
  }
  expect(await rows([first], true)).toMatchObject([
    { action: 'none' },
    { key: 'b', action: 'orphan', stored },
  ])
  expect(await rows([first], false)).toHaveLength(1)
  const moved = of('c', { ...SIGNAL, name: 'Other' }, 'b.yaml')
  expect(await rows([moved], false)).toMatchObject([{ action: 'create' }, { key: 'b', action: 'orphan' }])

  const changed = of('a', { ...BATCH, product: 'MIS' }, 'strategies/a.yaml')
  const apply = (version: number) =>
    applyStrategies(catalog, USER, { strategies: [moved, changed], prune: false, expect: { a: version } })
  await expect(apply(2)).rejects.toMatchObject({
    code: 'conflict',
    message: 'Nothing was applied: a has version 1, not 2',
  })
  expect(await catalog.list(USER)).toHaveLength(2)
  await apply(1)
  expect((await events(1)).at(-1)).toEqual(['strategy_updated', 'Updated product'])
  expect(await rows([changed], false)).toMatchObject([{ stored: { version: 2, commit: null } }])

  // The plan has not seen b.
  const pruned = (expect: Record<string, number>) =>
    applyStrategies(catalog, USER, { strategies: [changed, moved], prune: true, expect })
  await expect(pruned({ a: 2, c: 1 })).rejects.toMatchObject({
    message: 'Nothing was applied: b has version 1, and was not there',
  })
  expect(await pruned({ a: 2, b: 1, c: 1 })).toContainEqual(
    expect.objectContaining({ key: 'b', action: 'delete' }),
  )
})

test('a strategy with a new id keeps its number, its version and its run; two claims of an id are refused', async () => {
  const { catalog, sql } = await open()
  const apply = (strategies: { key: string; moved?: string[]; config: object }[], prune = true) =>
    applyStrategies(catalog, USER, { strategies, prune })
  await apply([file('a'), file('b', SIGNAL)])
  await sql(hold(1))
  const moved = [{ ...file('new'), moved: ['older', 'a'] }, file('b', SIGNAL)]
  expect(await planStrategies(catalog, USER, { strategies: moved, prune: true })).toMatchObject([
    { key: 'new', action: 'update', moved_from: 'a', strategy_id: 1, is_running: true, changes: [] },
    { key: 'b', action: 'none', moved_from: null },
  ])
  expect(await apply(moved)).toMatchObject([
    { key: 'new', moved_from: 'a', strategy_id: 1, version: 1, webhook_token: null },
    { key: 'b', action: 'none', version: 1 },
  ])
  expect(await catalog.get(USER, 1)).toMatchObject({ fileKey: 'new', status: 'running', currentRunId: 7 })
  expect(await apply(moved)).toMatchObject([
    { action: 'none', moved_from: null, version: 1 },
    { action: 'none' },
  ])

  const twice = [
    { ...file('c'), moved: ['new'] },
    { ...file('d', SIGNAL), moved: ['new'] },
  ]
  await expect(apply(twice)).rejects.toMatchObject({ extra: { errors: [{ key: 'd', path: 'moved' }] } })
  const unclear = [{ ...file('new'), moved: ['b'] }]
  await expect(apply(unclear, false)).rejects.toMatchObject({ code: 'conflict' })
  // What a run holds is not changed along with the id.
  const changed = [{ ...file('c', { ...BATCH, product: 'MIS' }), moved: ['new'] }]
  await expect(apply(changed, false)).rejects.toMatchObject({
    message: 'Stop these strategies before they are changed: c',
  })
  expect(await catalog.list(USER)).toHaveLength(2)
})

test('two files with one name are refused before anything is stored', async () => {
  const { catalog } = await open()
  const twice = { strategies: [file('a'), file('b')], prune: false }
  const refused = {
    message: "b: Two files have the same name 'Straddle'",
    extra: { errors: [{ key: 'b', path: 'name', code: 'duplicate_id' }] },
  }
  await expect(planStrategies(catalog, USER, twice)).rejects.toMatchObject(refused)
  await expect(applyStrategies(catalog, USER, twice)).rejects.toMatchObject(refused)
  expect(await catalog.list(USER)).toEqual([])
})

test('a file does not change the kind of a strategy', async () => {
  const { catalog } = await open()
  await applyStrategies(catalog, USER, { strategies: [file('a')], prune: false })
  const other = { strategies: [file('a', SIGNAL)], prune: false }
  const message = 'a: strategy_kind cannot be changed: give the file another id'
  const refused = { code: 'validation', message, extra: { errors: [{ key: 'a', path: 'strategy_kind' }] } }
  await expect(planStrategies(catalog, USER, other)).rejects.toMatchObject(refused)
  await expect(applyStrategies(catalog, USER, other)).rejects.toMatchObject(refused)
  const [kept] = await catalog.list(USER)
  expect(kept?.strategy.config.strategy_kind).toBe('batch')
})
