import { expect, test } from 'vitest'
import { NOT_SENT } from '../../../../src/core/orders/end.js'
import { LightDaemon } from '../../../support/daemons/light-daemon.js'
import { CliDesk } from '../../../support/desk/cli-desk.js'

/* A basket that is sent again under its key. */

const HOUR_MS = 3_600_000
const stdin = JSON.stringify(
  ['SBIN', 'INFY'].map((symbol) => ({ symbol, exchange: 'NSE', action: 'BUY', product: 'MIS', quantity: 1 })),
)

test('--all-or-nothing of a basket that was sent gets its answer, whatever the checks would say now', async () => {
  const desk = await CliDesk.open()
  const line = 'order basket - --all-or-nothing --idempotency-key b1 --yes'
  expect((await desk.svc(line, { stdin })).exit).toBe(0)
  await desk.svc('risk kill')
  const again = await desk.svc(line, { stdin })
  expect([again.exit, again.stderr]).toEqual([0, expect.stringContaining('2 of 2 orders placed')])
  const other = await desk.svc('order basket - --all-or-nothing --idempotency-key b2 --yes', { stdin })
  expect([other.exit, other.stderr]).toEqual([5, expect.stringContaining('nothing was sent')])
})

test('--all-or-nothing checks a basket again that was refused as a whole', async () => {
  const desk = await CliDesk.open()
  await desk.svc('risk kill')
  const first = await desk.svc('order basket - --idempotency-key b1 --yes', { stdin })
  expect(first.exit).toBe(5)
  const again = await desk.svc('order basket - --all-or-nothing --idempotency-key b1 --yes', { stdin })
  expect([again.exit, again.stderr]).toEqual([5, expect.stringContaining('nothing was sent')])
})

test('a check with a credential that is refused is exit 3, not a refusal of the orders', async () => {
  const desk = await CliDesk.open()
  const { exit } = await desk.svc('order basket - --dry-run --apikey wrong', { stdin })
  expect(exit).toBe(3)
})

test.each([
  { basket: 'simulated', first: 'on', later: 'off', limit: 'max_order_quantity=5', refuses: 'one order' },
  { basket: 'simulated', first: 'on', later: 'off', limit: 'allowed_exchanges=NFO', refuses: 'both' },
  { basket: 'live', first: 'off', later: 'on', limit: 'max_order_quantity=5', refuses: 'one order' },
  { basket: 'live', first: 'off', later: 'on', limit: 'allowed_exchanges=NFO', refuses: 'both' },
])('a $basket basket of which $limit refused $refuses is retried only where it went', async (row) => {
  const desk = await CliDesk.open()
  const orders = ['SBIN', 'INFY'].map((symbol, index) => ({
    ...{ symbol, exchange: 'NSE', action: 'BUY', product: 'MIS' },
    quantity: 1 + 8 * index,
  }))
  const place = (rest: string) =>
    desk.svc(`order basket - --idempotency-key b1 --yes ${rest}`, { stdin: JSON.stringify(orders) })
  const placed = async () => JSON.parse((await desk.svc('order list -o json')).stdout).length
  await desk.svc(`analyze ${row.first} --yes`)
  await desk.svc(`risk set ${row.limit} --yes`)
  expect((await place('')).exit).toBe(5)
  await desk.svc(`risk set ${row.limit.replace(/=.*/, '=off')} --yes`)

  await desk.svc(`analyze ${row.later} --yes`)
  const refused = await place('--retry-failed')
  const words = expect.stringContaining(`The basket was ${row.basket};`)
  expect([refused.exit, refused.stderr, await placed()]).toEqual([5, words, 0])

  await desk.svc(`analyze ${row.first} --yes`)
  expect([(await place('--retry-failed')).exit, await placed()]).toEqual([0, 2])
  expect([(await place('--retry-failed')).stderr, await placed()]).toEqual([
    expect.stringContaining('Nothing to retry'),
    2,
  ])
})

test('a retry counts from the oldest record of the key: the first request may be lost', async () => {
  const desk = await CliDesk.open()
  const at = (hours: number) => new Date(desk.clock.now() - hours * HOUR_MS).toISOString()
  const entry = { by: null, mode: 'live', rule: null, words: null, audit: null, what: '' }
  const daemon = await LightDaemon.open({
    routes: {
      'POST /api/v1/why': {
        status: 'success',
        data: {
          ...{ schema: 'why/1', id: 'key:b1', kind: 'key', also: [], state: 'done' },
          entries: [
            { ...entry, at: at(25), kind: 'order', id: 'o1', state: 'accepted' },
            { ...entry, at: at(2), kind: 'request', id: 'r2', state: 'done' },
          ],
        },
      },
    },
  })
  const line = 'order basket - --retry-failed --idempotency-key b1 --yes'
  const { exit, stderr } = await desk.svc(line, { stdin, env: { SVC_URL: daemon.url } })
  expect([exit, stderr]).toEqual([5, expect.stringContaining('no longer kept')])
  expect(daemon.seen.map(({ path }) => path)).toEqual(['/api/v1/why'])
})

test('a retry leaves alone what a repeat of the first key may still send', async () => {
  const desk = await CliDesk.open()
  const entry = { by: null, mode: 'live', rule: null, words: null, audit: null, what: '' }
  const askedAgo = (minutes: number) => {
    const at = new Date(desk.clock.now() - minutes * 60_000).toISOString()
    return { ...entry, at, kind: 'request', id: 'r1', state: 'done' }
  }
  const row = { exchange: 'NSE', action: 'BUY', quantity: 1, product: 'MIS' }
  const results = [
    { ...row, order_num: 1, symbol: 'SBIN', status: 'success', orderid: '1' },
    { ...row, order_num: 2, symbol: 'INFY', status: 'error', message: NOT_SENT },
  ]
  const daemon = await LightDaemon.open({
    routes: { 'POST /api/v1/basketorder': { status: 'success', mode: 'live', results } },
  })
  const line = 'order basket - --retry-failed --idempotency-key b1 --yes'
  for (const minutes of [14, 17]) {
    daemon.seen.length = 0
    const data = {
      schema: 'why/1',
      id: 'b1',
      kind: 'key',
      also: [],
      state: 'done',
      entries: [askedAgo(minutes)],
    }
    daemon.answerWith('POST /api/v1/why', { status: 'success', data })
    const { stderr } = await desk.svc(line, { stdin, env: { SVC_URL: daemon.url } })
    const sent = daemon.seen.filter(({ path }) => path === '/api/v1/basketorder').length
    expect([minutes, stderr.includes('may still send'), sent > 1]).toEqual([
      minutes,
      minutes < 15,
      minutes > 15,
    ])
  }
})
