import { CASH_EXCHANGES } from '../../../core/instruments/vocabulary.js'
import { priceTypeNamed, hasPrice as typeHasPrice } from '../../../core/orders/terms/price-type.js'
import { ACTIONS, PRICE_TYPES } from '../../../core/orders/vocabulary.js'
import { isMultiple, type Lot, lotProblem } from '../../../views/orders/lot.js'
import type { FormField } from '../../components/form/Form.js'
import { instructionFields } from './instructions.js'
import { type Instrument, type Looked, symbolProblem } from './instrument.js'

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
    ...instructionFields(),
    {
      name: 'strategy',
      label: 'Strategy',
      problem: (value) => (value.trim() === '' || value.length > LONGEST_STRATEGY ? 'a name' : undefined),
    },
  ]
}

type Rules = Lot & Pick<Instrument, 'tick_size'>

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

/** A decimal number. `Number` would also read `0x10`. */
const DECIMAL = /^(\d+(\.\d*)?|\.\d+)$/

/** Returns the rule that a quantity breaks. Without an instrument, only a number is asked for. */
export function quantityProblem(text: string, instrument: Lot | undefined): string | undefined {
  const value = decimalOf(text)
  if (instrument?.exchange === 'CRYPTO') return value !== undefined && value > 0 ? undefined : 'above 0'
  if (value === undefined || !Number.isSafeInteger(value) || value < 1) return 'a whole number from 1'
  return instrument && lotProblem(value, instrument)
}

/** Returns the rule that a price breaks: it is above zero, and on the tick. */
export function priceProblem(text: string, tick: number | undefined): string | undefined {
  const value = decimalOf(text)
  if (value === undefined || value <= 0) return 'a price above 0'
  if (tick === undefined || tick <= 0 || isMultiple(value, tick)) return undefined
  return `a multiple of the tick, ${tick}`
}

/** Returns the products that an exchange takes. */
export function productsOf(exchange: string | undefined): readonly ['MIS', 'CNC'] | readonly ['MIS', 'NRML'] {
  return exchange === undefined || CASH_EXCHANGES.has(exchange) ? ['MIS', 'CNC'] : ['MIS', 'NRML']
}

/** Returns whether a price type has a limit price, or a trigger price. */
export function hasPrice(field: 'price' | 'trigger_price', priceType: string | undefined): boolean {
  const type = priceTypeNamed(priceType)
  return type !== undefined && typeHasPrice(type, field === 'price' ? 'price' : 'trigger')
}

function decimalOf(text: string): number | undefined {
  const trimmed = text.trim()
  return DECIMAL.test(trimmed) ? Number(trimmed) : undefined
}
