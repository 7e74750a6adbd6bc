import type { BrokerGtt } from '../../brokers/broker.js'
import { fixedTermsRefusal } from '../change/fixed-terms.js'
import { refusal, type UnplacedResult } from '../result.js'
import { GTT_PRODUCTS, type GttRequest } from '../schema.js'

/**
 * Returns the refusal of a change that no broker makes as it is asked for. Some leave out of a change what stays, and answer one
 * that names another product as done; others would move the GTT into it, and what becomes of the shares is documented nowhere.
 * @param gtt as the broker has it; undefined if it does not know it, which it then says itself
 */
export function fixedGttTermsRefusal(
  gtt: BrokerGtt | undefined,
  request: GttRequest,
): UnplacedResult | undefined {
  if (!gtt) return undefined
  // A broker that changed it all the same would arm it again: a second order beside the one it has sent.
  if (gtt.status !== 'active') return refusal('conflict', `The GTT is ${gtt.status}: nothing was changed.`)
  const [leg] = gtt.legs
  if (!leg) return undefined
  const foreign = gtt.legs.find(({ product }) => !GTT_PRODUCTS.some((own) => own === product))
  if (foreign) {
    const message = `A GTT in product ${foreign.product} cannot be changed here. Change it at the broker, or cancel it and place another one.`
    return refusal('unsupported', message)
  }
  return fixedTermsRefusal('GTT', [
    ['trigger_type', gtt.type === 'two-leg' ? 'OCO' : 'SINGLE', request.type],
    ['symbol', gtt.symbol, request.symbol],
    ['exchange', gtt.exchange, request.exchange],
    ['action', leg.action, request.action],
    ['product', leg.product, request.product],
  ])
}
