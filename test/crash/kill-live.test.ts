import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { NOT_SENT } from '../../src/core/orders/end.js'
import { casesFor } from '../support/chance/cases.js'
import { chance, rounds } from '../support/chance/chance.js'
import { eventually } from '../support/eventually.js'
import { damages, query } from '../support/files/files.js'
import { FakeBrokerProcess } from '../support/process/fake-broker-process.js'
import { EVERY_FAKE_BROKER } from '../support/process/fake-brokers.js'
import {
  type Existing,
  executedTwice,
  inconsistentAnswers,
  lostOrPhantom,
} from '../support/traffic/checker.js'
import { History } from '../support/traffic/history.js'
import { Traffic } from '../support/traffic/traffic.js'
import { CLIENTS, KILLS, survive } from './kills.js'

/** Longer than a plugin waits for the answer to an order. */
const SLOW_MS = 30_000
/** A broker accepts ten orders a second, so the traffic takes a while; some accept fewer in a minute. */
const LIVE_ORDERS = rounds(100, 10_000)

/** lost-answers.test.ts kills the daemon with each broker. */
it.each(casesFor(EVERY_FAKE_BROKER, ({ id }) => id === 'zerodha'))(
  `$id: live orders, ${KILLS} kills, a broker that loses answers: no order is lost or sent twice`,
  {
    timeout: rounds(600_000),
  },
  async (plugin) => {
    const random = chance(`kill, live, ${plugin.id}`)
    const orders = Math.min(LIVE_ORDERS, plugin.mostOrders ?? LIVE_ORDERS)
    const broker = await FakeBrokerProcess.start(plugin)
    onTestFinished(() => broker.dispose())
    const daemon = await broker.desk()
    onTestFinished(() => daemon.dispose())
    const faults = { drop_after: 0.02, drop_before: 0.02, '5xx_after': 0.02, [`slow:${SLOW_MS}`]: 0.01 }
    await broker.chances('place', faults, random.seed)

    const { operations, fields } = await survive(daemon, orders, random)

    const journalFile = join(daemon.home, 'svc.db')
    const journal = () =>
      query<{ order_ref: string; state: string; reason: string; strategy: string; order_id: string | null }>(
        journalFile,
        `select order_ref, state, reason, order_id, request ->> 'strategy' as strategy from order_journal`,
      )
    const placed = await broker.placed()
    const tags = new Set(placed.map(({ tag }) => tag))
    await eventually(
      async () =>
        (await journal()).every(({ order_ref, state }) => state !== 'unknown' || !tags.has(order_ref)),
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
    expect(
      wrong,
      'what the broker has is known; what it never got is in doubt, or known to be unsent',
    ).toEqual([])

    await broker.reset()
    const again = new History()
    await new Traffic({
      daemon,
      history: again,
      clients: CLIENTS,
      orders,
      fields,
      only: 'keyed',
    }).run()
    expect(inconsistentAnswers([...operations, ...again.operations])).toEqual([])
    expect(again.count('fail'), 'no key is refused').toBe(0)
    expect(await broker.placed(), 'asking again sends nothing').toHaveLength(placed.length)
  },
)
