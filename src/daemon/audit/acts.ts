import type { RunningService } from '../daemon.js'
import type { Recorded } from '../operations/audit-facts.js'
import type { OperationName } from '../operations/operation.js'

/** Returns the key of the turn of an act; undefined for one that waits for no other. */
export function turnOf({ emergency, ofTarget: isOfTarget, turn, values }: Recorded<RunningService>): unknown {
  if (emergency || isOfTarget || !values) return undefined
  return turn ?? values
}

/** none */
}
