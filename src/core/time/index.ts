export type { Clock, Timer } from './clock.js'
export * from './ist.js'
export { SystemClock } from './system-clock.js'
export { VirtualClock } from './virtual-clock.js'
