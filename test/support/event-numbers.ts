import type { EventNumbers } from '../../src/core/events/index.js'

/** Reserved event numbers in memory, for a stream without a database. */
export function eventNumbers(reserved = 0): EventNumbers & { writes: number } {
  return {
    writes: 0,
    reserved: async () => reserved,
    async reserve(upTo) {
      this.writes += 1
      reserved = upTo
    },
  }
}
