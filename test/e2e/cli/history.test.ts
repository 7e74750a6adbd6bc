import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { istDate } from '../../../src/core/time/index.js'
import { signedIn } from '../../support/desk/command-desk.js'
import { journalOf } from '../../support/desk/desk-state.js'
import { eventually } from '../../support/eventually.js'
import { execute } from '../../support/files/files.js'
import { DaemonProcess } from '../../support/process/daemon-process.js'
import type { Terminal } from '../../support/terminal.js'

/* In each mode an order of SBIN (strategy old) three days ago, and one of INFY (strategy new) now. */
const DAYS_3 = 3 * 86_400_000
/** One share fills in one trade. */
const OLD = { symbol: 'SBIN', strategy: 'old', quantity: 1 }
const NEW = { symbol: 'INFY', strategy: 'new', quantity: 1 }

let daemon: DaemonProcess
let terminal: Terminal
/** The date of the new orders. */
let day: string
const svc = (line: string) => terminal.svc(line)
const symbols = async (line: string) =>
  (await terminal.json<{ symbol: string }[]>(line)).map(({ symbol }) => symbol)

beforeAll(async () => {
  daemon = await DaemonProcess.ready()
  const far = await daemon.priceAt(0.97, 'INFY')
  for (const mode of ['live', 'analyze'] as const) {
    await daemon.analyze(mode === 'analyze')
    for (const fields of [OLD, NEW]) await daemon.place(fields)
    await daemon.place({ ...NEW, pricetype: 'LIMIT', price: far })
  }
  const filled = async () => (await journalOf(daemon)).filter(({ state }) => state === 'filled').length
  await eventually(async () => (await filled()) === 2, 'both live market orders are filled')
  day = istDate(Date.now())
  await daemon.orderMode('semi_auto')
  for (const fields of [OLD, NEW]) await daemon.place(fields)
  await daemon.orderMode('auto')
  await daemon.signal('SIGTERM')
  const file = (name: string) => join(daemon.home, name)
  await execute(
    file('svc.db'),
    `update order_fills set at = at - ${DAYS_3}
       where order_ref in (select order_ref from order_journal where symbol = 'SBIN');
     update order_journal set created_at = created_at - ${DAYS_3} where symbol = 'SBIN';
     update pending_orders set created_at = created_at - ${DAYS_3} where order_data ->> '$.symbol' = 'SBIN';`,
  )
  await execute(
    file('sandbox.db'),
    `update sandbox_orders set created_at = created_at - ${DAYS_3} where symbol = 'SBIN';
     update sandbox_trades set traded_at = traded_at - ${DAYS_3} where symbol = 'SBIN';`,
  )
  await daemon.start()
  await daemon.signIn()
  terminal = signedIn(daemon, daemon.url)
})
afterAll(() => daemon.dispose())

describe.each(['live', 'analyze'] as const)('the history in the mode %s', (mode) => {
  beforeAll(() => daemon.analyze(mode === 'analyze'))

  it.each([
    ['--since 7d', ['INFY', 'INFY', 'SBIN']],
    ['--since 1d', ['INFY', 'INFY']],
    ['--until 1d', ['SBIN']],
    ['--since 7d --until 1d', ['SBIN']],
    ['--since 7d --limit 1', ['INFY']],
    ['--since 7d --status complete', ['INFY', 'SBIN']],
    ['--since 7d --status open', ['INFY']],
    ['--since 7d --status rejected', []],
    ['--strategy old', ['SBIN']],
    ['--since 7d --symbol NSE:SBIN', ['SBIN']],
    ['--since 7d --symbol sbin', ['SBIN']],
    ['--since 7d --symbol BSE:SBIN', []],
    ['--since DAY', ['INFY', 'INFY']],
    ['--since 7d --until DAY', ['INFY', 'INFY', 'SBIN']],
  ])('svc order list %s', async (options, expected) => {
    // The day of the orders: "today" may be the next day already.
    expect(await symbols(`order list ${options.replace('DAY', day)}`)).toEqual(expected)
  })

  it.each([
    ['--since 7d', ['INFY', 'SBIN']],
    ['--since 1d', ['INFY']],
    ['--until 1d', ['SBIN']],
    ['--strategy new', ['INFY']],
    ['--since 7d --limit 1', ['INFY']],
    ['--since 7d --symbol SBIN', ['SBIN']],
  ])('svc trade list %s', async (options, expected) => {
    expect(await symbols(`trade list ${options}`)).toEqual(expected)
  })

  it('an order shown alone has the values that it has in the list', async () => {
    const listed = await terminal.json<{ orderid: string }[]>('order list')
    expect(listed.length).toBeGreaterThan(0)
    for (const row of listed) expect(await terminal.json(`order status ${row.orderid}`)).toMatchObject(row)
  })

  it.each(['order', 'trade'])('a past %s is the same record as one of the session', async (noun) => {
    const newest = `${noun} list --limit 1`
    const [now] = await terminal.json<object[]>(newest)
    const [past] = await terminal.json<object[]>(`${newest} --since 1d`)
    expect(Object.keys(past ?? {})).toEqual(Object.keys(now ?? {}))
    expect(past).toMatchObject({ ...now, timestamp: expect.stringMatching(/^\d{4}-\S+\+05:30$/) })
  })
})

interface Page {
  data: { orderid: string }[]
  next_before: string | null
}
const pageAfter = async (path: string, before: string): Promise<Page> => {
  const position = before === '' ? '' : `&before=${before}`
  return (await daemon.request<Page>('GET', `${path}?limit=1${position}`)).body
}

describe('the pages of the API', () => {
  it.each([
    ['/orders/history', 3],
    ['/trades/history', 2],
    ['/orders/journal', 3],
  ])('%s: each row once, newest first', async (path, count) => {
    await daemon.analyze(false)
    const seen: string[] = []
    let before: string | null = ''
    while (before !== null) {
      const page: Page = await pageAfter(path, before)
      expect(page.data.length).toBe(1)
      seen.push(...page.data.map(({ orderid }) => orderid))
      before = page.next_before
    }
    expect(new Set(seen).size).toBe(count)
    expect(seen.length).toBe(count)
  })

  it.each(['since=soon', 'until=2026-11-20', 'limit=0', 'status=nope', 'mode=paper'])(
    '%s is refused',
    async (query) => {
      const { status, code } = await daemon.request('GET', `/orders/history?${query}`)
      expect([status, code]).toEqual([400, 'validation'])
    },
  )
})

it('svc order journal shows the mode, and takes the same options', async () => {
  await daemon.analyze(false)
  const { stdout } = await svc('order journal -o wide')
  expect(stdout.split('\n')[0]).toMatch(/ MODE +REASON/)
  expect(await symbols('order journal --since 7d')).toEqual(['INFY', 'INFY', 'SBIN'])
  expect(await symbols('order journal --until 1d --strategy old --status filled')).toEqual(['SBIN'])
  expect(await symbols('order journal --symbol NSE:INFY --limit 1')).toEqual(['INFY'])
})

it('svc approval list takes the same options', async () => {
  expect(await symbols('approval list')).toEqual(['INFY', 'SBIN'])
  expect(await symbols('approval list --since 1d')).toEqual(['INFY'])
  expect(await symbols('approval list --until 1d --status all')).toEqual(['SBIN'])
  expect(await symbols('approval list --strategy new --symbol NSE:INFY')).toEqual(['INFY'])
  expect(await symbols('approval list --limit 1')).toEqual(['INFY'])
})

it('svc flow executions takes a period and a status', async () => {
  const { body } = await daemon.request<{ id: number }>('POST', '/flow/api/workflows', {
    name: 'Hello',
    nodes: [
      { id: 'go', type: 'start', position: { x: 0, y: 0 }, data: {} },
      { id: 'log', type: 'log', position: { x: 0, y: 9 }, data: { message: 'hello' } },
    ],
    edges: [{ id: 'e', source: 'go', target: 'log' }],
  })
  for (let run = 0; run < 3; run++) expect((await svc(`flow run ${body.id}`)).exit).toBe(0)
  const runs = async (options: string) =>
    (await terminal.json<unknown[]>(`flow executions ${body.id} ${options}`)).length
  expect(await runs('')).toBe(3)
  expect(await runs('--limit 2')).toBe(2)
  expect(await runs('--since 1h --status completed')).toBe(3)
  expect(await runs('--status failed')).toBe(0)
  expect(await runs('--until 1h')).toBe(0)
  expect((await svc(`flow executions ${body.id} --status nope`)).exit).toBe(2)
})
