import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { countWorking } from '../../../../src/core/orders/index.js'
import { OrderJournal } from '../../../../src/core/orders/journal/journal.js'
import type { OrderState } from '../../../../src/core/orders/journal/states.js'
import { newOrderRef } from '../../../../src/core/orders/order-ref.js'
import { Database } from '../../../../src/core/storage/index.js'
import { VirtualClock } from '../../../../src/core/time/index.js'
import { payloadOf } from '../../../support/desk/desk.js'
import { tempDir } from '../../../support/files/temp.js'

const entry = { userId: 'asha', operation: 'placeorder', source: 'api', mode: 'live', broker: 'x' } as const

async function rig() {
  const clock = new VirtualClock('2026-11-20T11:00:00+05:30')
  const db = await Database.open({ file: join(tempDir(), 'svc.db'), schema: 'svc' })
  onTestFinished(() => db.close())
  const journal = new OrderJournal(db, clock)
  const orderRef = newOrderRef(clock)
  await journal.open([{ ...entry, orderRef, state: 'claimed', payload: payloadOf({ strategy: 'orb' }) }])
  const working = () => countWorking(db, { userId: 'asha', strategy: 'orb', since: 0 })
  return { journal, orderRef, working }
}

test.each<[readonly OrderState[], number]>([
  [[], 1],
  [['sending'], 1],
  [['sending', 'unknown'], 1],
  [['sending', 'accepted'], 1],
  [['sending', 'accepted', 'triggered'], 1],
  [['sending', 'accepted', 'cancelled'], 0],
  [['sending', 'rejected'], 0],
])('an order that went %j counts %i', async (states, count) => {
  const { journal, orderRef, working } = await rig()
  for (const state of states) await journal.move(orderRef, state)
  expect(await working()).toBe(count)
})

test('an order that is filled counts until its price is known: the profit leaves its units out until then', async () => {
  const { journal, orderRef, working } = await rig()
  await journal.move(orderRef, 'sending')
  await journal.move(orderRef, 'filled', { filled: { quantity: 10, price: 0 } })
  expect(await working()).toBe(1)
  await journal.move(orderRef, 'filled', { filled: { quantity: 10, price: 812 } })
  expect(await working()).toBe(0)
})
