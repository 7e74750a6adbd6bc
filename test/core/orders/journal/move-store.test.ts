import fc from 'fast-check'
import { afterEach, expect, test, vi } from 'vitest'
import type { JournalEntry } from '../../../../src/core/orders/journal/entry.js'
import { OrderJournal } from '../../../../src/core/orders/journal/journal.js'
import type { Move } from '../../../../src/core/orders/journal/move-store.js'
import { Database } from '../../../../src/core/storage/index.js'
import { payloadOf, USER } from '../../../support/desk/desk.js'
import { deskClock } from '../../../support/desk/desk-clock.js'
import { tempFile } from '../../../support/files/temp.js'

/* Changes of state that wait for the same commit share a transaction. */

const open: Database[] = []
afterEach(async () => {
  for (const db of open.splice(0)) await db.close()
})

async function journalOf(refs: readonly string[]) {
  const db = await Database.open({ file: tempFile(), schema: 'svc' })
  open.push(db)
  const journal = new OrderJournal(db, deskClock(Date.UTC(2026, 0, 5, 5)))
  for (const ref of refs) await journal.open([entryOf(ref)])
  return { db, journal }
}

function entryOf(orderRef: string): JournalEntry {
  return {
    orderRef,
    userId: USER,
    operation: 'placeorder',
    source: 'api',
    mode: 'live',
    broker: 'simulated',
    state: 'claimed',
    payload: payloadOf(),
  }
}

const REFS = ['S1', 'S2', 'S3'] as const
const MOVES: fc.Arbitrary<Move> = fc.record(
  {
    orderRef: fc.constantFrom(...REFS),
    to: fc.constantFrom(
      ...(['sending', 'accepted', 'partial', 'filled', 'cancelled', 'rejected', 'unknown'] as const),
    ),
    orderId: fc.constantFrom('1', '2'),
    filled: fc.record({ quantity: fc.integer({ min: 0, max: 3 }), price: fc.constantFrom(0, 7) }),
    reason: fc.constantFrom('no margin', 'late'),
    onlyFrom: fc.constantFrom('claimed' as const, 'sending' as const, 'unknown' as const),
  },
  { requiredKeys: ['orderRef', 'to'] },
)

async function facts(db: Database) {
  const rows = await db.queryRaw(
    'select order_ref, state, order_id, reason, end_cause from order_journal order by order_ref',
  )
  const fills = await db.queryRaw(
    'select order_ref, quantity, price from order_fills order by order_ref, quantity',
  )
  const events = await db.queryRaw(
    'select order_ref, from_state, to_state, detail from order_events order by order_ref, id',
  )
  return { rows, fills, events }
}

test('changes in one turn have the effects that they have one after the other', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(MOVES, { maxLength: 12 }), async (moves) => {
      const [together, alone] = [await journalOf(REFS), await journalOf(REFS)]
      const before = await Promise.all(
        moves.map(({ orderRef, to, ...detail }) => together.journal.move(orderRef, to, detail)),
      )
      const expected = []
      for (const { orderRef, to, ...detail } of moves)
        expected.push(await alone.journal.move(orderRef, to, detail))
      expect(before).toEqual(expected)
      expect(await facts(together.db)).toEqual(await facts(alone.db))
    }),
    { numRuns: 40 },
  )
})

test('thirty orders in one turn change in one transaction, and their listener hears of them once', async () => {
  const refs = Array.from({ length: 30 }, (_, index) => `S${index}`)
  const { db, journal } = await journalOf(refs)
  const heard: (readonly string[])[] = []
  journal.onMoved((moved) => heard.push(moved))
  const write = vi.spyOn(db, 'write')
  await Promise.all(refs.map((ref) => journal.move(ref, 'sending')))
  expect(write).toHaveBeenCalledOnce()
  expect(heard).toEqual([refs])
})

test('two changes of one order in one turn happen one after the other', async () => {
  const { journal } = await journalOf(REFS)
  const before = await Promise.all([
    journal.move('S1', 'sending'),
    journal.move('S2', 'sending'),
    journal.move('S1', 'accepted', { orderId: '7' }),
    journal.move('S3', 'sending'),
  ])
  expect(before).toEqual(['claimed', 'claimed', 'sending', 'claimed'])
  expect(await journal.find('S1')).toMatchObject({ state: 'accepted', orderId: '7' })
})

test('a change that cannot be stored fails alone', async () => {
  const { db, journal } = await journalOf(REFS)
  await db.write((tx) =>
    tx.exec(
      "create trigger refused before update on order_journal when new.order_ref = 'S2' begin select raise(abort, 'not this one'); end",
    ),
  )
  const ends = await Promise.allSettled(REFS.map((ref) => journal.move(ref, 'sending')))
  expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(await Promise.all(REFS.map(async (ref) => (await journal.find(ref))?.state))).toEqual([
    'sending',
    'claimed',
    'sending',
  ])
})

test('a change about a state that the order no longer has changes nothing, its fill included', async () => {
  const { db, journal } = await journalOf(['S1'])
  await journal.move('S1', 'sending')
  await journal.move('S1', 'unknown')
  await journal.move('S1', 'partial', { orderId: '7', filled: { quantity: 3, price: 100 } })
  const before = await facts(db)
  const settled = { filled: { quantity: 10, price: 99 }, reason: 'Settled by asha' }
  expect(await journal.moveFrom('unknown', 'S1', 'filled', settled)).toBe(false)
  expect(await facts(db)).toEqual(before)
})
