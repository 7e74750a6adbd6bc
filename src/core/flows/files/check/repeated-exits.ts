import { pointerOf } from '../../../documents/index.js'
import { isWritten } from '../../../orders/schema.js'
import { type FlowGraph, hasReference, isBlank } from '../../graph/graph.js'
import { parseNumber } from '../../language/numbers.js'
import type { GraphFinding } from './references.js'

/**
 * Finds smart orders that open the reverse position when they are repeated: a quantity beside a target that is 0, or may
 * be 0.
 */
export function repeatedExits({ nodes }: FlowGraph): GraphFinding[] {
  return nodes.flatMap(({ id, type, data: { positionSize, quantity } }, index) => {
    const mayBeFlat = isBlank(positionSize) || hasReference(positionSize) || parseNumber(positionSize) === 0
    if (type !== 'smartOrder' || !mayBeFlat || !isWritten(quantity)) return []
    const message = `Node '${id}': without a position, a target of 0 trades quantity: a repeated exit opens the reverse. Leave quantity out.`
    const path = pointerOf(['nodes', index, 'data', 'quantity'])
    return [{ severity: 'warning', code: 'repeated_exit', path, message }]
  })
}
