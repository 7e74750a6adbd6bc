import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { chance, rounds } from '../support/chance/chance.js'
import { damages, query } from '../support/files/files.js'
import { DaemonProcess } from '../support/process/daemon-process.js'
import {
  type Existing,
  executedTwice,
  inconsistentAnswers,
  lostOrPhantom,
} from '../support/traffic/checker.js'
import { KILLS, survive } from './kills.js'

const SIMULATED_ORDERS = rounds(200, 20_000)

it(`${SIMULATED_ORDERS} simulated orders, ${KILLS} kills: every acknowledged order exists once, and the books balance`, {
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

/** Checks that position = sum of fills, each order has one fill, and cash + margin = capital. */
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
