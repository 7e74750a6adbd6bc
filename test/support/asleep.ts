import type { VirtualClock } from '../../src/core/time/index.js'

/**
 * Lets a long time pass as on a machine that sleeps, and wakes up before its end: what was due meanwhile fires once. A
 * virtual day that passes second by second costs seconds of a processor.
 * @param awakeMs so long the machine is awake at the end
 */
export async function asleep(clock: VirtualClock, ms: number, awakeMs = 2_000): Promise<void> {
  clock.suspend(Math.max(0, ms - awakeMs))
  await clock.advance(Math.min(ms, awakeMs))
}
