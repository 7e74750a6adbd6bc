import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { exchangeLedger } from '../../src/core/brokers/simulated/index.js'
import { casesFor, testInTorture } from '../support/chance/cases.js'
import { chance, rounds } from '../support/chance/chance.js'
import { approvalsOf, journalOf } from '../support/desk/desk-state.js'
import { pause } from '../support/eventually.js'
import { query } from '../support/files/files.js'
import { DaemonProcess } from '../support/process/daemon-process.js'

/*
 * Requests of several orders on the real process. The tests read the executor's own records: those of the
 * exchange behind the simulated broker, or of the sandbox. Each order of a request has its own quantity,
 * which identifies it. `npm test` has a basket live, and a split simulated.
 */
const ORDERS = 20
const KILLS = rounds(3)
const NEVER_ARRIVED = 'The broker never received it. Send the order again under a new Idempotency-Key.'
const NOT_SENT = 'Not sent: the service stopped before it came to this order.'

interface Result {
  status: string
  orderid?: string
  message?: string
}

interface Market {
  name: 'live' | 'simulated'
  /**
   * Returns the executed quantities of one strategy from the executor's own records; the daemon may be down.
   */
  executed(daemon: DaemonProcess, strategy: string): Promise<number[]>
}

async function atTheExchange(daemon: DaemonProcess, strategy: string): Promise<number[]> {
  const ours = await query<{ order_ref: string }>(
    join(daemon.home, 'svc.db'),
    `select order_ref from order_journal where request ->> 'strategy' = ?`,
    [strategy],
  )
  const tags = new Set(ours.map(({ order_ref }) => order_ref))
  const entries = await exchangeLedger(join(daemon.home, 'brokers', 'simulated'))
  return entries.filter(({ tag }) => tags.has(tag)).map(({ quantity }) => quantity)
}

async function inTheSandbox(daemon: DaemonProcess, strategy: string): Promise<number[]> {
  const rows = await query<{ quantity: number }>(
    join(daemon.home, 'sandbox.db'),
    'select quantity from sandbox_orders where strategy = ?',
    [strategy],
  )
  return rows.map(({ quantity }) => Number(quantity))
}

const MARKETS: readonly Market[] = [
  { name: 'live', executed: atTheExchange },
  { name: 'simulated', executed: inTheSandbox },
]

interface Kind {
  path: 'basketorder' | 'splitorder'
  fields(strategy: string): Record<string, unknown>
  quantities: readonly number[]
  /** The duration of the request; a kill comes at a random moment of it. */
  lastsMs: Readonly<Record<Market['name'], number>>
}

const LINE = { exchange: 'NSE', symbol: 'SBIN' }
const KINDS: readonly Kind[] = [
  {
    path: 'basketorder',
    fields: (strategy) => ({
      strategy,
      orders: Array.from({ length: ORDERS }, (_, index) => ({
        ...LINE,
        action: index % 2 === 0 ? 'BUY' : 'SELL',
        quantity: index + 1,
      })),
    }),
    quantities: Array.from({ length: ORDERS }, (_, index) => index + 1),
    lastsMs: { live: 1_300, simulated: 150 },
  },
  {
    path: 'splitorder',
    fields: (strategy) => ({
      ...LINE,
      strategy,
      action: 'BUY',
      quantity: 7 * (ORDERS - 1) + 3,
      splitsize: 7,
    }),
    quantities: [...Array.from({ length: ORDERS - 1 }, () => 7), 3],
    lastsMs: { live: 250, simulated: 150 },
  },
]

/**
 * Checks the number of arrived orders after a kill in the middle of a request: in Analyzer mode, the request
 * is one decision.
 */
function expectCut(market: Market['name'], arrived: number): void {
  if (market === 'simulated') {
    expect(arrived).toBe(ORDERS)
    return
  }
  expect(arrived).toBeGreaterThan(0)
  expect(arrived).toBeLessThan(ORDERS)
}

const sorted = (numbers: readonly number[]) => [...numbers].sort((a, b) => a - b)

let daemon: DaemonProcess
let requests = 0
beforeAll(async () => {
  daemon = await DaemonProcess.ready()
})
afterAll(() => daemon.dispose())

describe.each(MARKETS)('$name', ({ name, executed }) => {
  beforeAll(async () => {
    if (!daemon.running) await daemon.start()
    await daemon.analyze(name === 'simulated')
  })

  const testLive = name === 'live' ? it : testInTorture
  const kinds = casesFor(KINDS, ({ path }) => (path === 'basketorder') === (name === 'live'))

  describe.each(kinds)(`a $path of ${ORDERS}`, ({ path, fields, quantities, lastsMs }) => {
    /** Returns one request with its own key. */
    function request() {
      const strategy = `${path}-${++requests}`
      return {
        strategy,
        post: () =>
          daemon.api<{ results: Result[] }>(path, fields(strategy), { 'idempotency-key': strategy }),
      }
    }

    it('a retry after a kill in the middle completes it, every order exactly once', async () => {
      const { strategy, post } = request()
      await daemon.crash({ env: { SVC_CRASH_AT: 'orders.batch.midway' } })
      await post().catch(() => undefined)
      expect((await daemon.exited()).signal).toBe('SIGKILL')
      const before = await executed(daemon, strategy)
      expectCut(name, before.length)

      await daemon.start()
      const answer = await post()
      expect(answer.body.results.map(({ status }) => status)).toEqual(Array(ORDERS).fill('success'))
      expect(new Set(answer.body.results.map(({ orderid }) => orderid)).size).toBe(ORDERS)
      expect((await post()).text).toBe(answer.text)
      await daemon.crash()
      expect((await post()).text).toBe(answer.text)
      await daemon.kill()
      expect(sorted(await executed(daemon, strategy))).toEqual(sorted(quantities))
    })

    testInTorture(
      `killed at ${KILLS} random moments and retried after each, it executes no order twice and records every end`,
      async () => {
        if (!daemon.running) await daemon.start()
        const random = chance(`${name} ${path}`)
        const { strategy, post } = request()
        for (let kill = 0; kill < KILLS; kill++) {
          const posted = post().catch(() => undefined)
          await pause(random.between(0, lastsMs[name]))
          await daemon.crash()
          await posted
        }
        const { body } = await post()
        await daemon.kill()
        // An order that was in flight at a kill and is missing in the exchange's complete book is reported as
        // such, and never sent again.
        const lost = body.results.flatMap(({ message }, place) =>
          message === NEVER_ARRIVED ? [body.results[place]] : [],
        )
        const placed = body.results.filter(({ status }) => status === 'success')
        expect(placed.length + lost.length).toBe(ORDERS)
        if (name === 'simulated') expect(lost).toEqual([])
        const arrived = sorted(await executed(daemon, strategy))
        expect(arrived).toHaveLength(placed.length)
        const left = [...quantities]
        for (const quantity of arrived) {
          expect(left).toContain(quantity)
          left.splice(left.indexOf(quantity), 1)
        }
        expect(left).toHaveLength(lost.length)
      },
    )
  })

  testLive(
    'a killed approved basket keeps its sent orders, never sends the rest, and cannot be approved again',
    async () => {
      const [basket] = KINDS
      const strategy = `approved-${++requests}`
      if (!daemon.running) await daemon.start()
      await daemon.orderMode('semi_auto')
      const { body } = await daemon.api<{ pending_order_id: number }>(
        'basketorder',
        basket?.fields(strategy) ?? {},
      )
      const id = body.pending_order_id
      await daemon.crash({ env: { SVC_CRASH_AT: 'orders.batch.midway' } })
      await daemon.request('POST', `/action-center/approve/${id}`).catch(() => undefined)
      expect((await daemon.exited()).signal).toBe('SIGKILL')
      const sent = (await executed(daemon, strategy)).length
      expectCut(name, sent)

      await daemon.start()
      const row = (await approvalsOf(daemon)).find((approval) => approval.id === id)
      expect(row).toMatchObject({ status: 'approved', execution: sent < ORDERS ? 'partial' : 'done' })
      const legs = (await journalOf(daemon)).filter(({ approval_id }) => approval_id === id)
      // The journal contains only live orders; the sandbox has the history of simulated ones.
      expect(legs).toHaveLength(name === 'live' ? ORDERS : 0)
      const unsent = legs.filter(({ state, reason }) => state === 'rejected' && reason === NOT_SENT)
      expect(unsent).toHaveLength(name === 'live' ? ORDERS - sent : 0)
      expect((await daemon.request('POST', `/action-center/approve/${id}`)).code).toBe('not_pending')
      await daemon.orderMode('auto')
      await daemon.kill()
      expect(await executed(daemon, strategy)).toHaveLength(sent)
    },
  )
})
