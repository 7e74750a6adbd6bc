import type { SymbolRef } from '../../market/schema.js'
import type { RiskGate } from '../../risk/index.js'
import type { TradingMode } from '../../trading/index.js'
import { refusedByGate, type UnplacedEnd } from '../end.js'
import type { OrderPorts } from '../ports.js'
import { refusal, type UnplacedResult } from '../result.js'
import type { OrderRequest } from '../schema.js'

type Ports = Pick<OrderPorts, 'unlisted'>

/**
 * Returns the refusal of a request for an instrument that is not listed; undefined for a listed one. Every rule about
 * value or price would otherwise say only that the instrument has no price.
 */
export async function unlistedRefusal(ports: Ports, ref: SymbolRef): Promise<UnplacedResult | undefined> {
  const text = await ports.unlisted(ref)
  return text === undefined ? undefined : refusal('not_found', text)
}

/** Returns the end of an order that is not listed or that a check of the gate refuses. */
export async function refusedEnd(
  ports: Ports,
  check: RiskGate['admit'],
  {
    mode,
    order,
    orderRef,
    userId,
  }: { userId: string; mode: TradingMode; order: OrderRequest; orderRef: string },
): Promise<UnplacedEnd | undefined> {
  const unlisted = ports.unlisted(order)
  if (unlisted) return { outcome: 'refused', orderRef, code: 'not_found', message: await unlisted }
  const refused = await check(userId, mode, order)
  return refused && refusedByGate(refused, orderRef)
}
