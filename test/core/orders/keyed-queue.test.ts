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

test('work stands aside between two steps for who asks, and for who holds the key since', async () => {
  const queue = new KeyedQueue()
  const [step, exit] = [waiting(), waiting()]
  const told: string[] = []
  expect(queue.goFirst('a')).toBeUndefined()
  const close = queue.run(['a', 'b'], async () => {
    await step.done
    told.push('piece')
    await queue.standAside(['a', 'b'], Promise.resolve(), () => asked)
    told.push('piece')
  })
  await Promise.resolve()
  const asked = Promise.resolve(queue.goFirst('a')).then(() => {
    told.push('exit')
    queue.hold('a', exit.done)
  })
  expect(queue.isAsked(['b'])).toBe(false)
  expect(queue.isAsked(['a', 'b'])).toBe(true)
  step.end()
  await asked
  // Who asks now waits for nothing: no step is under way.
  await queue.goFirst('b')
  expect(told).toEqual(['piece', 'exit'])
  exit.end()
  await close
  expect(told).toEqual(['piece', 'exit', 'piece'])
})

test('who asks work that never stands aside waits for its end', async () => {
  const queue = new KeyedQueue()
  const close = waiting()
  const run = queue.run(['a'], () => close.done)
  const asked = queue.goFirst('a')
  close.end()
  await Promise.all([run, asked])
  await Promise.resolve()
  expect(queue.isAsked(['a'])).toBe(false)
})
