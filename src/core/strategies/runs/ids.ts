import { randomBytes } from 'node:crypto'
import type { RunMode } from '../config/index.js'
import type { IdMaker } from '../engine/index.js'
import type { RunPorts } from './ports.js'

/** Returns the maker of the references under which a run of this mode stores its orders and positions. */
export function idsOf({ orders }: Pick<RunPorts, 'orders'>, mode: RunMode): IdMaker {
  return {
    order: () => orders.newReference(mode === 'live' ? 'live' : 'analyze'),
    position: () => randomBytes(16).toString('hex'),
  }
}
