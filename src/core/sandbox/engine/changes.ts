import type { RuledOrder } from '../../instruments/index.js'
import type { Instrument } from '../../instruments/schema.js'
import { fromMoney } from '../../money/index.js'
import { hasPrice } from '../../orders/schema.js'
import type { OrderChanges, SandboxInstruments, SandboxOrder } from '../schema.js'
import { checkPrice, checkQuantity, checkTerms } from './acceptance.js'

/** Returns an order as the rules see it after a change. A stop that has been triggered is a limit order. */
export function changedTerms(
  order: SandboxOrder,
  { price, quantity, triggerPrice }: OrderChanges,
): RuledOrder {
  const { action, priceType, status } = order
  const isStop = hasPrice(priceType, 'trigger') && status === 'trigger pending'
  return {
    action,
    quantity,
    priceType: isStop || !hasPrice(priceType, 'price') ? priceType : 'LIMIT',
    price: hasPrice(priceType, 'price') ? price || fromMoney(order.price) : 0,
    triggerPrice: isStop ? triggerPrice || fromMoney(order.triggerPrice) : 0,
  }
}

/** Returns why the changes are refused. A price that the order type does not use must be 0. */
export function checkChanges(
  order: SandboxOrder,
  changes: OrderChanges,
  instrument: Instrument | undefined,
  instruments: SandboxInstruments,
): string | undefined {
  const { priceType } = order
  const { priceType: wantedType = priceType } = changes
  // First, because the prices belong to the type that the sender asks for.
  if (wantedType !== priceType)
    return `The price type of a simulated order cannot be changed (${priceType} -> ${wantedType}). Cancel and re-place.`
  if (changes.price !== 0 && !hasPrice(priceType, 'price')) return `${priceType} orders do not accept a price`
  if (changes.triggerPrice !== 0 && !hasPrice(priceType, 'trigger'))
    return `${priceType} orders do not accept a trigger_price`
  return (
    checkQuantity(changes.quantity, order.exchange) ??
    checkPrice(changes.price, undefined, 'Price') ??
    checkPrice(changes.triggerPrice, undefined, 'Trigger price') ??
    (instrument && checkTerms(changedTerms(order, changes), instrument, instruments))
  )
}
