import type { RunningService } from '../daemon.js'
import type { Recorded } from '../operations/audit-facts.js'
import type { OperationName } from '../operations/operation.js'

/** Returns the key of the turn of an act; undefined for one that waits for no other. */
export function turnOf({ emergency, ofTarget: isOfTarget, turn, values }: Recorded<RunningService>): unknown {
  if (emergency || isOfTarget || !values) return undefined
  return turn ?? values
}

const ORDER = 'The order is recorded from the journal or the simulated account, which make it durable.'
const CHANGE = 'Recorded after the answer, so that the order path does not wait.'

/** The changing operations that the seam of the routes does not record, each with its reason. */
export const UNRECORDED: Readonly<Partial<Record<OperationName, string>>> = {
  'POST /api/v1/placeorder': ORDER,
  'POST /api/v1/placesmartorder': ORDER,
  'POST /api/v1/basketorder': ORDER,
  'POST /api/v1/splitorder': ORDER,
  'POST /api/v1/optionsorder': ORDER,
  'POST /api/v1/optionsmultiorder': ORDER,
  'POST /api/v1/modifyorder': CHANGE,
  'POST /api/v1/cancelorder': CHANGE,
  'POST /api/v1/cancelallorder': CHANGE,
  'POST /api/v1/closeposition': CHANGE,
  'POST /api/v1/placegttorder': CHANGE,
  'POST /api/v1/modifygttorder': CHANGE,
  'POST /api/v1/cancelgttorder': CHANGE,
}
