import { expect, test } from 'vitest'
import { Origins } from '../../../src/core/audit/origins.js'
import { type Actor, SERVICE } from '../../../src/core/audit/schema.js'

const actorOf = (name: string): Actor => ({ ...SERVICE, name })

test('the sender of an order is given once, by either of its ids', () => {
  const origins = new Origins()
  origins.note('ref', actorOf('asha'))
  origins.note('id', actorOf('asha'))

  expect(origins.take([null, 'ref', 'id'])).toEqual(actorOf('asha'))
  expect(origins.take(['ref', 'id'])).toBeUndefined()
})

test('the senders of the last 18,000 orders are kept, however many came before', () => {
  const origins = new Origins()
  const orders = 50_000
  for (let order = 0; order < orders; order++) origins.note(String(order), actorOf(String(order)))

  for (let order = orders - 18_000; order < orders; order++) {
    expect(origins.take([String(order)])).toEqual(actorOf(String(order)))
  }
  const older = Array.from({ length: orders - 20_000 }, (_, order) => origins.take([String(order)]))
  expect(older.every((actor) => actor === undefined)).toBe(true)
})
