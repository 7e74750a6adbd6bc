import { onTestFinished } from 'vitest'
import type { TestDesk } from './desk.js'

/**
 * Holds orders for a broker in the queue for its slot, from now until they are released.
 * @param free the number of orders that pass before
 */
export function holdSlots(desk: TestDesk, free = 0) {
  const { brokers } = desk.service
  const slot = brokers.orderSlot.bind(brokers)
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  let passed = 0
  const arrived = new Promise<void>((resolve) => {
    brokers.orderSlot = async (...given) => {
      passed += 1
      if (passed > free) {
        resolve()
        await released
      }
      return slot(...given)
    }
  })
  // A service that stops waits for the orders that it holds.
  onTestFinished(() => release())
  return {
    /** Resolves when an order waits for its slot; rejects when its request is answered before that. */
    reached: (request?: Promise<{ text: string }>) => {
      const answered = request?.then(({ text }) => Promise.reject(new Error(`answered at once: ${text}`)))
      return desk.settled(Promise.race(answered ? [arrived, answered] : [arrived]))
    },
    release: () => release(),
  }
}
