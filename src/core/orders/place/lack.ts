import type { TradingMode } from '../../trading/index.js'
import type { LiveExecution } from '../ports.js'
import { refusal, type UnplacedResult } from '../result.js'
import { type InstructionTerms, instructionsOf, lackOf } from '../schema.js'

/** A request of one order, or of several with instructions of their own. */
type Request = InstructionTerms & { orders?: unknown; legs?: unknown }

/**
 * Returns the refusal of a request whose instructions the active broker cannot follow: none is ever dropped. Undefined in
 * Analyzer mode, whose sandbox follows all.
 */
export function lackRefusal(
  mode: TradingMode,
  broker: Pick<LiveExecution, 'manifest'>,
  request: Request,
): UnplacedResult | undefined {
  if (mode === 'analyze') return undefined
  for (const line of linesOf(request)) {
    const asked = instructionsOf(line)
    const lack = asked && lackOf(broker.manifest(), asked)
    if (lack !== undefined) return refusal('unsupported', lack)
  }
  return undefined
}

/** Returns the rows of a request, or the request itself. */
function linesOf(request: Request): readonly InstructionTerms[] {
  const { legs, orders } = request
  if (Array.isArray(orders)) return orders
  return Array.isArray(legs) ? legs : [request]
}
