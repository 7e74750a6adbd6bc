import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')

/** Lets the collector clear the memory of this thread, now. */
export const collect: () => void = runInNewContext('gc')

/** Returns the bytes of live objects on the heap. */
export function heapUsed(): number {
  collect()
  return process.memoryUsage().heapUsed
}
