import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { commandDesk } from '../../support/desk/command-desk.js'
import { tempDir } from '../../support/files/temp.js'

/* Baskets: checked before they are sent, shown one order a line, and retried without placing anything twice. */

const desk = commandDesk()
const svc: typeof desk.terminal.svc = (line, options) => desk.terminal.svc(line, options)

const order = (symbol: string, quantity: number, action = 'BUY') => {
  return { symbol, exchange: 'NSE', action, quantity, product: 'MIS', pricetype: 'MARKET' }
}

function basketOf(...orders: object[]): string {
  const file = join(tempDir(), 'basket.json')
  writeFileSync(file, JSON.stringify(orders))
  return file
}

const placed = async () => {
  const rows: { symbol: string }[] = JSON.parse((await svc('order list -o json')).stdout)
  return rows.map(({ symbol }) => symbol).toSorted()
}

beforeEach(async () => {
  await svc('sandbox reset --confirm RESET')
  await svc('risk set max_order_quantity=5 --yes')
})

test('a dry run tells of each order what would become of it, and sends none', async () => {
  const { exit, stdout } = await svc(
    `order basket ${basketOf(order('SBIN', 1), order('INFY', 9), order('NOPE', 1))} --dry-run -o json`,
  )
  const rows: { status: string; message: string }[] = JSON.parse(stdout)
  expect(exit).toBe(5)
  expect(rows.map(({ status }) => status)).toEqual(['ok', 'refused', 'refused'])
  expect(rows[1]?.message).toContain('5')
  expect(await placed()).toEqual([])
})

test('--all-or-nothing sends none if one would be refused, and all otherwise', async () => {
  const refused = await svc(`order basket ${basketOf(order('SBIN', 1), order('INFY', 9))} --all-or-nothing`)
  expect([refused.exit, refused.stderr]).toEqual([5, expect.stringContaining('nothing was sent')])
  expect(await placed()).toEqual([])
  const sent = await svc(
    `order basket ${basketOf(order('SBIN', 1), order('INFY', 2))} --all-or-nothing -o csv`,
  )
  expect(sent.exit).toBe(0)
  expect(sent.stdout.trim().split('\n')).toHaveLength(3)
  expect(sent.stdout).toMatch(/^order_num,/)
  expect(await placed()).toEqual(['INFY', 'SBIN'])
})

test('a retry places only what failed, however often it is repeated', async () => {
  const file = basketOf(order('SBIN', 1, 'SELL'), order('INFY', 9), order('TCS', 1))
  const first = await svc(`order basket ${file} --idempotency-key b1`)
  expect(first.exit).toBe(5)
  expect(await placed()).toEqual(['SBIN', 'TCS'])
  const again = await svc(`order basket ${file} --retry-failed --idempotency-key b1`)
  expect(again.exit).toBe(5)
  await svc('risk set max_order_quantity=10 --yes')
  const retried = await svc(`order basket ${file} --retry-failed --idempotency-key b1`)
  expect(retried.exit).toBe(0)
  expect(await placed()).toEqual(['INFY', 'SBIN', 'TCS'])
  const last = await svc(`order basket ${file} --retry-failed --idempotency-key b1`)
  expect([last.exit, last.stderr]).toEqual([0, expect.stringContaining('Nothing to retry')])
  expect(await placed()).toEqual(['INFY', 'SBIN', 'TCS'])
})

test('a retry without a first basket places nothing', async () => {
  const file = basketOf(order('SBIN', 1))
  const { exit } = await svc(`order basket ${file} --retry-failed --idempotency-key never`)
  expect(exit).toBe(4)
  expect((await svc(`order basket ${file} --retry-failed`)).exit).toBe(2)
  expect(await placed()).toEqual([])
})
