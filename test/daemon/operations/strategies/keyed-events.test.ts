import { expect, test } from 'vitest'
import { BUY, StrategyDesk } from './strategy-desk.js'

const events = (desk: StrategyDesk, body: object) => desk.keyed('events', body)
const kinds = ({ body }: { body: Record<string, unknown> }) =>
  (body.data as { kind: string }[]).map(({ kind }) => kind)

/** A strategy with one finished run in the sandbox. */
async function finished() {
  const desk = await StrategyDesk.open()
  const { id } = await desk.create(BUY)
  await desk.keyed('start', { strategy_id: id, mode: 'sandbox' })
  await desk.keyed('stop', { strategy_id: id })
  await desk.ended()
  return { desk, strategy_id: id }
}

test('events come newest first, each with the members of its row and without its user', async () => {
  const { desk, strategy_id } = await finished()
  const { status, body } = await events(desk, { strategy_id })
  expect(status).toBe(200)
  const data = body.data as Record<string, unknown>[]
  const times = data.map(({ ts }) => Date.parse(String(ts)))
  expect(times).toEqual(times.toSorted((a, b) => b - a))
  expect(data.map(({ id }) => Number(id))).toEqual(data.map(({ id }) => Number(id)).toSorted((a, b) => b - a))
  expect(data.at(-1)).toEqual({
    id: 1,
    run_id: null,
    strategy_id,
    ts: '2026-11-20T05:30:00.000+00:00',
    kind: 'strategy_created',
    severity: 'info',
    leg_id: null,
    message: "Strategy 'buy' created",
    payload: null,
  })
  expect(kinds(await events(desk, { strategy_id, limit: 1 }))).toEqual(['run_stopped'])
  expect(kinds(await events(desk, { strategy_id, limit: 1000 }))).toHaveLength(data.length)
})

test('filters by run, kind and severity: a run has no event of the configuration', async () => {
  const { desk, strategy_id } = await finished()
  expect(kinds(await events(desk, { strategy_id }))).toContain('strategy_created')
  const ofRun = kinds(await events(desk, { strategy_id, run_id: 1 }))
  expect(ofRun).toContain('run_started')
  expect(ofRun).not.toContain('strategy_created')
  expect(kinds(await events(desk, { strategy_id, run_id: 2 }))).toEqual([])
  expect(kinds(await events(desk, { strategy_id, kind: 'run_stop_requested' }))).toEqual([
    'run_stop_requested',
  ])
  expect(kinds(await events(desk, { strategy_id, severity: 'critical' }))).toEqual([])
  expect(
    kinds(await events(desk, { strategy_id, run_id: 1, kind: 'run_stopped', severity: 'info' })),
  ).toEqual(['run_stopped'])
})

const REFUSED: readonly [string, unknown][] = [
  ['limit', 0],
  ['limit', 1001],
  ['limit', -1],
  ['limit', 1.5],
  ['limit', 'x'],
  ['kind', 'x'],
  ['kind', 'RUN_STARTED'],
  ['kind', ''],
  ['severity', 'error'],
  ['severity', 'Critical'],
  ['run_id', 0],
  ['run_id', 'x'],
  ['strategy_id', 0],
  ['strategy_id', -1],
  ['strategy_id', null],
  ['strategy_id', '1e999'],
  ['nonsense', 1],
]

test('a field out of its range is refused by its name', async () => {
  const desk = await StrategyDesk.open()
  const { id } = await desk.create(BUY)
  for (const [field, value] of REFUSED) {
    const { status, body } = await events(desk, { strategy_id: id, [field]: value })
    expect({ value, status, errors: body.errors }).toEqual({
      value,
      status: 400,
      errors: { [field]: [expect.any(String)] },
    })
  }
})

test('a strategy of another user, an unknown one and a wrong key get what they tell nobody', async () => {
  const { desk, strategy_id } = await finished()
  const other = await desk.service.strategyCatalog.create('ravi', { ...BUY, name: 'theirs' })
  const missing = { status: 404, body: { status: 'error', message: 'Strategy not found' } }
  for (const verb of ['events', 'status', 'stop', 'close_all', 'runs', 'orders']) {
    expect(await desk.keyed(verb, { strategy_id: other.strategy.id })).toMatchObject(missing)
    expect(await desk.keyed(verb, { strategy_id: 999 })).toMatchObject(missing)
    expect(await desk.keyed(verb, { strategy_id }, 'x'.repeat(64))).toMatchObject({
      status: 403,
      body: { message: 'Invalid svc apikey' },
    })
  }
  const { body } = await desk.keyed('list', {})
  expect((body.data as { id: number }[]).map(({ id }) => id)).toEqual([strategy_id])
})
