/**
 * The engine of one run: inputs in, effects out, and no I/O.
 *
 * Its words for an end, and for reports:
 * - An order that is not `isWorking` has ended: it is complete, cancelled or rejected. `hasEnded` says that this is news.
 * - A position is flat (`isFlat`) if it holds nothing and no order of it works. It is settled (`isSettled`) once its end has
 *   had its consequences: stops of other legs, another entry. It is gone (`isGone`) if its account has closed it.
 * - A leg is over (`isOver`) once its contract or its day ends: it does not enter again.
 * - A run is `stop`ped once an exit of everything is requested, and `ended` once it is flat after that. Its state for
 *   clients is then `finished`.
 * - A function `tell…` appends an event. A function `note…` only remembers something.
 */
export * from './definition.js'
export * from './messages.js'
export * from './records.js'
export { StrategyRun } from './run.js'
export { squareOffOf } from './state/leg.js'
export * from './types.js'
