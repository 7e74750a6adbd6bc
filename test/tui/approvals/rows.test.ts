import { describe, expect, it } from 'vitest'
import type { Approval } from '../../../src/tui/approvals/queue.js'
import { QueueRows, queueRow, screenRow } from '../../../src/tui/approvals/rows.js'
import { queueDesk } from './queue-desk.js'

/** A pending order of a real daemon, queued at 100. */
async function order(): Promise<Approval> {
  const { queue, client } = await queueDesk()
  await queue()
  const { data } = await client.request('GET /action-center/api/data', { query: { status: 'all' } })
  const [row] = data.orders
  if (row === undefined) throw new Error('Nothing is queued')
  return { ...row, created_ltp: 100 }
}

describe('the price of an order', () => {
  it.each([
    ['the read one, after an older tick', 1, 110, 10],
    ['that of the tick, after an older read', 3, 120, 20],
  ])('is %s', async (_name, at, price, drift) => {
    const row = queueRow({ ...(await order()), last_price: 110 }, undefined, 2)
    const shown = screenRow(row, new Map([['NSE:SBIN', { ltp: 120, at }]]), 3)
    expect(shown).toMatchObject({ last_price: price, drift })
  })
})

describe('the rows of the queue', () => {
  it('are made again only for an order whose facts have changed', async () => {
    const rows = new QueueRows()
    const row = await order()
    const facts = { now: undefined, progress: undefined, pricedAt: 1 }
    const first = rows.queueRow(row, facts)
    expect(rows.queueRow(row, { ...facts, pricedAt: 2 })).toBe(first)
    const now = { created_ltp: null, last_price: 110 }
    const priced = rows.queueRow(row, { ...facts, now })
    expect(priced.last_price).toBe(110)
    expect(rows.queueRow(row, { ...facts, now, pricedAt: 2 }).pricedAt).toBe(2)
    const progress = { step: 'done', text: 'approved' } as const
    expect(rows.queueRow(row, { ...facts, progress }).state).toBe('approved')
    expect(rows.queueRow({ ...row, strategy: 'other' }, facts).strategy).toBe('other')
  })
})

describe('the state of an order', () => {
  it('is the decision of this screen until the queue is read again', async () => {
    expect(queueRow(await order(), { step: 'done', text: 'approved' }, 0).state).toBe('approved')
  })
})
