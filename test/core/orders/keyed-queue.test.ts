import { expect, test } from 'vitest'
import { KeyedQueue } from '../../../src/core/orders/keyed-queue.js'

/** Returns a promise with the function that resolves it. */
function waiting() {
  let end: () => void = () => undefined
  const done = new Promise<void>((resolve) => {
    end = resolve
  })
  return { done, end }
}

test('later work on a key waits for what holds it, other keys do not', async () => {
  const queue = new KeyedQueue()
  const exit = waiting()
  const told: string[] = []
  queue.hold('a', exit.done)
  const close = queue.run(['b', 'a'], async () => told.push('close'))
  await queue.run(['c'], async () => told.push('other'))
  told.push('exit')
  exit.end()
  await close
  expect(told).toEqual(['other', 'exit', 'close'])
})

test('what holds a key may fail, and does not make it busy', async () => {
  const queue = new KeyedQueue()
  queue.hold('a', Promise.reject(new Error('refused')))
  expect(queue.busy('a')).toBeUndefined()
  expect(await queue.run(['a'], async () => 1)).toBe(1)
})

test('a key is busy until its work has ended', async () => {
  const queue = new KeyedQueue()
  const close = waiting()
  const run = queue.run(['a'], () => close.done)
  const busy = queue.busy('a')
  expect(busy).toBeDefined()
  close.end()
  await Promise.all([run, busy])
  await Promise.resolve()
  expect(queue.busy('a')).toBeUndefined()
})
