import { expect, test } from 'vitest'
import { BUY, SIGNALS, StrategyDesk } from './strategy-desk.js'

/* The statuses of a refused start: for pages (session), and for callers with an API key. */

const NO_CONTRACT = { ...BUY, name: 'no contract', underlying: 'NOSUCH' }

test.each<
  [string, object, { mode: string; runs?: boolean }, { session: number; keyed: number; message: RegExp }]
>([
  [
    'signal strategy',
    SIGNALS,
    { mode: 'live' },
    { session: 400, keyed: 400, message: /^A signal strategy has no/ },
  ],
  [
    'closed live gate',
    BUY,
    { mode: 'live' },
    { session: 400, keyed: 409, message: /^This strategy is not enabled/ },
  ],
  ['unknown contract', NO_CONTRACT, { mode: 'sandbox' }, { session: 400, keyed: 400, message: /NOSUCH/ }],
  [
    'run',
    BUY,
    { mode: 'sandbox', runs: true },
    { session: 409, keyed: 409, message: /^This strategy is already/ },
  ],
])('of a start because of a %s', async (_why, config, { mode, runs }, { keyed, message, session }) => {
  const desk = await StrategyDesk.open()
  const { id } = await desk.create(config)
  if (runs) await desk.keyed('start', { strategy_id: id, mode })
  const byPage = await desk.ask('POST', `/strategy/api/strategies/${id}/start`, { mode })
  const byKey = await desk.keyed('start', { strategy_id: id, mode })
  expect([byPage.status, byKey.status]).toEqual([session, keyed])
  for (const { body } of [byPage, byKey])
    expect(body).toMatchObject({ message: expect.stringMatching(message) })
})

test('a start whose legs have no contract names the failure and the leg on every path', async () => {
  const desk = await StrategyDesk.open()
  const { id, token } = await desk.create({
    ...NO_CONTRACT,
    legs: [{ segment: 'cash', position: 'B', lots: 10 }],
  })
  const failure = { failure: expect.stringMatching(/^[a-z_]+$/) }
  const start = { mode: 'sandbox' }
  expect((await desk.ask('POST', `/strategy/api/strategies/${id}/start`, start)).body).toMatchObject(failure)
  expect((await desk.keyed('start', { strategy_id: id, ...start })).body).toMatchObject(failure)
  const hooked = await desk.hook(token, { action: 'start', ...start })
  expect(hooked).toMatchObject({ status: 500, body: { result: 'rejected_engine_error' } })
  const [audited] = await desk.rows(
    "select error from strategy_webhook_events where result = 'rejected_engine_error'",
  )
  expect(audited?.error).toMatch(/NOSUCH/)
})

test('a live start in Analyzer mode is refused with 400', async () => {
  const desk = await StrategyDesk.open()
  const { id } = await desk.create(BUY, { live: true })
  await desk.service.sandbox.start()
  await desk.service.settings.setAnalyzeMode(true)
  const { status } = await desk.ask('POST', `/strategy/api/strategies/${id}/start`, { mode: 'live' })
  expect(status).toBe(400)
})

test('the books of a user without an API key are refused', async () => {
  const desk = await StrategyDesk.open()
  const { id } = await desk.create(BUY)
  const at = (book: string) => `/strategy/api/strategies/${id}/${book}`
  expect((await desk.ask('GET', at('orderbook'))).status).toBe(200)
  desk.service.identity.apiKeys.has = () => false
  for (const book of ['orderbook', 'tradebook', 'positions']) {
    expect(await desk.ask('GET', at(book))).toMatchObject({
      status: 400,
      body: { message: 'No API key is configured for this user' },
    })
  }
})
