import type { ErrorCode } from './codes.js'

/** A reason not to do something now. */
export interface Refusal {
  code: ErrorCode
  message: string
}

/**
 * Returns why an act must not happen any more, for example because its caller has stopped waiting; undefined when it
 * may. Whoever acts asks at the moment of the decision, so that nothing can change in between.
 */
export type Veto = () => Refusal | undefined
