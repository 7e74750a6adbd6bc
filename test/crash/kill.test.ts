import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { NOT_SENT } from '../../src/core/orders/end.js'
import { type Chance, chance, rounds } from '../support/chance.js'
import { type Existing, executedTwice, inconsistentAnswers, lostOrPhantom } from '../support/checker.js'
import { DaemonProcess } from '../support/daemon-process.js'
import { eventually, pause } from '../support/eventually.js'
import { FakeKiteProcess } from '../support/fake-kite-process.js'
import { damages, query } from '../support/files.js'
import { History, type Operation } from '../support/history.js'
import { Traffic } from '../support/traffic.js'

/*
 * Promises 1, 3, 6 and 8 on the real process. A killed process loses what it had in memory, never what it had
 * handed to the operating system, so this says nothing about a power cut: that rests on WAL with
 * `synchronous=FULL`, which every connection reads back when it opens (test/core/storage/database.test.ts).
 */
const SIMULATED_ORDERS = rounds(1000)
/** The broker takes ten a second, so that these take their time. */
const LIVE_ORDERS = rounds(500)
const KILLS = rounds(20)
const CLIENTS = 8
/** A killed start is killed somewhere in here: locking, migrating, loading, recovering, just accepting. */
const START_MS = 900

/** Kills the daemon at random moments of the traffic, every fourth time once more while it comes up. */
async function killAtRandom(
  daemon: DaemonProcess,
  { traffic, orders, random }: { traffic: Traffic; orders: number; random: Chance },
): Promise<void> {
  const moments = Array.from({ length: KILLS }, () => random.between(1, orders - 1)).sort((a, b) => a - b)
  for (const moment of moments) {
    await traffic.reached(moment)
    await pause(random.between(0, 30))
    traffic.hold()
    await daemon.kill()
    if (random.next() < 0.25) {
      await daemon.start({ expectFailure: true })
      await pause(random.between(0, START_MS))
      await daemon.kill()
    }
    await daemon.start()
    traffic.goOn()
  }
}

interface Run {
  operations: readonly Operation[]
  /** The same fields for the same order, so that asking again is the same request. */
  fields(index: number): Record<string, unknown>
}

/** The run itself: traffic, kills, and a last kill when all is quiet. */
async function survive(daemon: DaemonProcess, orders: number, random: Chance): Promise<Run> {
  const history = new History()
  onTestFinished(({ task }) => {
    if (task.result?.state === 'fail') {
      process.stdout.write(`SEED=${random.seed}, history: ${history.save(`svc-kill-${random.seed}`)}\n`)
    }
  })
  const fields = (index: number) => ({ quantity: 1 + (index % 9) })
  const traffic = new Traffic({ daemon, history, clients: CLIENTS, orders, fields })
  await Promise.all([traffic.run(), killAtRandom(daemon, { traffic, orders, random })])
  await daemon.crash()
  return { operations: history.operations, fields }
}

it(`${SIMULATED_ORDERS} simulated orders, ${KILLS} kills: all acknowledged ones exist, none twice, books add up`, {
  timeout: rounds(600_000),
}, async () => {
  const random = chance('kill, simulated')
  const daemon = await DaemonProcess.ready()
  onTestFinished(() => daemon.dispose())
  await daemon.analyze(true)

  const { operations } = await survive(daemon, SIMULATED_ORDERS, random)

  const orders = await query<{ order_id: string; strategy: string }>(
    join(daemon.home, 'sandbox.db'),
    'select order_id, strategy from sandbox_orders',
  )
  const existing = orders.map((row): Existing => ({ orderId: row.order_id, operation: row.strategy }))
  expect(lostOrPhantom(operations, existing)).toEqual([])
  expect(executedTwice(operations, existing)).toEqual([])
  expect(inconsistentAnswers(operations)).toEqual([])
  expect(await damages(daemon.home)).toEqual([])

  const { data } = (await daemon.api<{ data: { orders: { orderid: string }[] } }>('orderbook')).body
  expect(data.orders.map(({ orderid }) => orderid).sort()).toEqual(existing.map((row) => row.orderId).sort())
  await expectBooksToAddUp(daemon)
})

it(`${LIVE_ORDERS} live orders, ${KILLS} kills, a broker that drops connections: none lost, none sent twice`, {
  timeout: rounds(600_000),
}, async () => {
  const random = chance('kill, live')
  const kite = await FakeKiteProcess.start()
  onTestFinished(() => kite.dispose())
  const daemon = await kite.desk()
  onTestFinished(() => daemon.dispose())
  const faults = { drop_after: 0.02, drop_before: 0.02, '5xx_after': 0.02 }
  await kite.chances('place', faults, random.seed)

  const { operations, fields } = await survive(daemon, LIVE_ORDERS, random)

  const journalFile = join(daemon.home, 'svc.db')
  const journal = () =>
    query<{ order_ref: string; state: string; reason: string; strategy: string; order_id: string | null }>(
      journalFile,
      `select order_ref, state, reason, order_id, request ->> 'strategy' as strategy from order_journal`,
    )
  const placed = await kite.placed()
  const tags = new Set(placed.map(({ tag }) => tag))
  await eventually(
    async () =>
      (await journal()).every(({ order_ref, state }) => state !== 'unknown' || !tags.has(order_ref)),
    30_000,
    'every order that the broker has is settled',
  )

  const rows = await journal()
  const strategies = new Map(rows.map((row) => [row.order_ref, row.strategy]))
  const existing = placed.map(({ orderId, tag }): Existing => ({ orderId, operation: strategies.get(tag) }))
  expect(lostOrPhantom(operations, existing)).toEqual([])
  expect(executedTwice(operations, existing)).toEqual([])
  expect(inconsistentAnswers(operations)).toEqual([])
  expect(tags.size).toBe(placed.length)
  expect(await damages(daemon.home)).toEqual([])

  const ids = new Map(placed.map(({ orderId, tag }) => [tag, orderId]))
  const wrong = rows.filter(({ order_ref, state, reason, order_id }) =>
    ids.has(order_ref)
      ? !['accepted', 'filled'].includes(state) || order_id !== ids.get(order_ref)
      : state !== 'unknown' && reason !== NOT_SENT,
  )
  expect(wrong, 'what the broker has is known; what it never got is in doubt, or known to be unsent').toEqual(
    [],
  )

  await kite.reset()
  const again = new History()
  await new Traffic({
    daemon,
    history: again,
    clients: CLIENTS,
    orders: LIVE_ORDERS,
    fields,
    only: 'keyed',
  }).run()
  expect(inconsistentAnswers([...operations, ...again.operations])).toEqual([])
  expect(again.count('fail'), 'no key is refused').toBe(0)
  expect(await kite.placed(), 'asking again sends nothing').toHaveLength(placed.length)
})

/** Position = sum of fills, one fill for each order, and cash + margin = capital. */
async function expectBooksToAddUp(daemon: DaemonProcess): Promise<void> {
  const file = join(daemon.home, 'sandbox.db')
  const [fills] = await query<{ orders: number; fills: number; quantity: number }>(
    file,
    `select count(distinct order_id) as orders, count(*) as fills, sum(quantity) as quantity from sandbox_trades`,
  )
  const [complete] = await query<{ count: number }>(
    file,
    `select count(*) as count from sandbox_orders where status = 'complete'`,
  )
  expect(fills?.fills).toBe(fills?.orders)
  expect(fills?.fills).toBe(complete?.count)
  const positions = (await daemon.api<{ data: { quantity: number }[] }>('positionbook')).body.data
  expect(positions.reduce((sum, { quantity }) => sum + quantity, 0)).toBe(fills?.quantity)
  const funds = (await daemon.api<{ data: Record<string, number> }>('funds')).body.data
  expect(Number(funds.availablecash) + Number(funds.utiliseddebits)).toBeCloseTo(10_000_000, 2)
}
