import { PRICE_TYPES } from '../../../core/orders/price-type.js'
import { ACTIONS } from '../../../views/orders/terms.js'
import type { FormField } from '../../components/form/Form.js'
import { type Looked, symbolProblem } from './instrument.js'
import { hasPrice, priceProblem, productsOf, quantityProblem } from './rules.js'

const LONGEST_STRATEGY = 255

/** Returns the fields of a new order, with the rules of the instrument that is found. */
export function placeFields(looked: Looked, exchange: string | undefined): readonly FormField[] {
  const instrument = looked.kind === 'found' ? looked.instrument : undefined
  const [quantity, ...terms] = termFields(instrument)
  return [
    { name: 'symbol', label: 'Symbol', problem: (value) => symbolProblem(value, looked) },
    { name: 'action', label: 'Side', choices: ACTIONS },
    quantity,
    ...terms,
    { name: 'product', label: 'Product', choices: productsOf(exchange) },
    {
      name: 'strategy',
      label: 'Strategy',
      problem: (value) => (value.trim() === '' || value.length > LONGEST_STRATEGY ? 'a name' : undefined),
    },
  ]
}

type Rules = Parameters<typeof quantityProblem>[1] & { tick_size: number }

/** Returns the fields that a new order and a changed one have in common. */
export function termFields(instrument: Rules | undefined): readonly [FormField, ...FormField[]] {
  const tick = instrument?.tick_size
  return [
    {
      name: 'quantity',
      label: 'Quantity',
      problem: (value) => quantityProblem(value, instrument),
    },
    { name: 'pricetype', label: 'Type', choices: PRICE_TYPES },
    {
      name: 'price',
      label: 'Price',
      isShown: ({ pricetype }) => hasPrice('price', pricetype),
      problem: (value) => priceProblem(value, tick),
    },
    {
      name: 'trigger_price',
      label: 'Trigger',
      isShown: ({ pricetype }) => hasPrice('trigger_price', pricetype),
      problem: (value) => priceProblem(value, tick),
    },
  ]
}
