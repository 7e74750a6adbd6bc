import type { TradingMode } from '../../trading/index.js'
import type { LiveExecution } from '../ports.js'
import { refusal, type UnplacedResult } from '../result.js'
import { type GttRequest, type InstructionTerms, instructionsOf, lackOf } from '../schema.js'

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

/** What a GTT asks of a broker, and its name in a request. */
const GTT_ASKS: readonly {
  needs: 'oco' | 'limit' | 'market' | 'expiry'
  name: string
  by: (gtt: GttRequest) => boolean
}[] = [
  { needs: 'oco', name: 'trigger_type OCO', by: ({ type }) => type === 'OCO' },
  { needs: 'limit', name: 'pricetype LIMIT', by: ({ priceType }) => priceType === 'LIMIT' },
  { needs: 'market', name: 'pricetype MARKET', by: ({ priceType }) => priceType === 'MARKET' },
  { needs: 'expiry', name: 'expires_at', by: ({ expiresAt }) => Boolean(expiresAt?.trim()) },
]

/** Returns the refusal of a GTT that the active broker cannot keep as it is; undefined in Analyzer mode. */
export function gttLackRefusal(
  mode: TradingMode,
  broker: Pick<LiveExecution, 'manifest'>,
  gtt: GttRequest,
): UnplacedResult | undefined {
  if (mode === 'analyze') return undefined
  const { displayName, gtt: can, id } = broker.manifest()
  if (!can) return refusal('unsupported', `GTT orders are not supported for broker '${id}' yet`)
  const lacking = GTT_ASKS.filter(({ by, needs }) => by(gtt) && !can[needs]).map(({ name }) => name)
  if (!can.products.some((product) => product === gtt.product)) lacking.push(`product ${gtt.product}`)
  if (lacking.length === 0) return undefined
  return refusal('unsupported', `A GTT at ${displayName} takes no ${lacking.join(', ')}.`)
}

/** Returns the rows of a request, or the request itself. */
function linesOf(request: Request): readonly InstructionTerms[] {
  const { legs, orders } = request
  if (Array.isArray(orders)) return orders
  return Array.isArray(legs) ? legs : [request]
}
