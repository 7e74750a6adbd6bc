/**
 * The number of requests in a group: enough to share the caches, few enough that a burst has two groups in
 * progress.
 */
export const BATCH_SIZE = 32

/**
 * Handles requests that arrive together as a group, step by step. Each step then finds its code and data in
 * the processor's caches. When requests were handled one after the other, each fetched everything again,
 * which took a third of the time of an order. A request that arrives alone waits only for the end of the
 * event loop's turn.
 */
export function batchPerTurn<A extends readonly unknown[], R>(
  handle: (...args: A) => R | Promise<R>,
): (...args: A) => Promise<R> {
  const waiting: (() => void)[] = []
  const begin = () => {
    const group = waiting.splice(0, BATCH_SIZE)
    // The next group starts in the turn after next: by then the disk has begun to write what this group
    // decided.
    if (waiting.length > 0) setImmediate(() => setImmediate(begin))
    for (const resume of group) resume()
  }
  const turn = () =>
    new Promise<void>((resume) => {
      if (waiting.push(resume) === 1) setImmediate(begin)
    })
  return (...args) => turn().then(() => handle(...args))
}
