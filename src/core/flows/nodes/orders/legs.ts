import { ACTIONS, impliedType, OPTION_PRODUCTS, PRICE_TYPES } from '../../../orders/index.js'
import { isObject } from '../../../validation/index.js'
import type { Body } from '../../ports.js'
import { NodeError } from '../definition.js'
import type { Fields } from '../field.js'
import { expiryOr } from '../form.js'
import { contractsOf, offsetField, offsetOf, splitSizeOf } from './contract.js'
import type { ExpiryResolver } from './expiry.js'
import { EXPIRY_KEYWORDS } from './expiry.js'
import { checkPrices, ListItem, pricesOf, readItem } from './fields.js'
import { ITEM_INSTRUCTIONS, itemInstructions } from './instructions.js'

export const OPTION_TYPES = ['CE', 'PE'] as const
type Side = (typeof ACTIONS)[number]
type OptionType = (typeof OPTION_TYPES)[number]

export const STRATEGIES = [
  'straddle',
  'strangle',
  'iron_condor',
  'bull_call_spread',
  'bear_put_spread',
  'custom',
] as const
type StrategyName = (typeof STRATEGIES)[number]

/** One leg of a named strategy. Undefined `action`: the node sets the side. */
interface Shape {
  offset: string
  optionType: OptionType
  action?: Side
}

/** The legs of the named strategies. `width` is the strike offset of a strangle. */
const SHAPES: Readonly<Record<StrategyName, (width: string) => readonly Shape[]>> = {
  straddle: () => [
    { offset: 'ATM', optionType: 'CE' },
    { offset: 'ATM', optionType: 'PE' },
  ],
  strangle: (offset) => [
    { offset, optionType: 'CE' },
    { offset, optionType: 'PE' },
  ],
  iron_condor: () => [
    { offset: 'OTM2', optionType: 'CE', action: 'SELL' },
    { offset: 'OTM4', optionType: 'CE', action: 'BUY' },
    { offset: 'OTM2', optionType: 'PE', action: 'SELL' },
    { offset: 'OTM4', optionType: 'PE', action: 'BUY' },
  ],
  bull_call_spread: () => [
    { offset: 'ATM', optionType: 'CE', action: 'BUY' },
    { offset: 'OTM2', optionType: 'CE', action: 'SELL' },
  ],
  bear_put_spread: () => [
    { offset: 'ATM', optionType: 'PE', action: 'BUY' },
    { offset: 'OTM2', optionType: 'PE', action: 'SELL' },
  ],
  custom: () => [],
}

/** The values of the node for legs without their own. */
export interface LegDefaults {
  action: string
  lots: number
  /** The expiry of legs without their own. */
  expiry: string
  /** @throws NodeError if the lot size is unknown */
  lotSizeAt(expiry: string): number
  /** Undefined: the prices decide. */
  pricetype: string | undefined
  price: number
  /** The price as it is written, perhaps a reference. */
  writtenPrice: unknown
  product: string
  /** Order instructions, with the names of the endpoint. */
  instructions: Body
}

/** Returns the legs of a named strategy in the form of the endpoint. @throws NodeError */
export function generatedLegs(strategy: StrategyName, width: string, node: LegDefaults): Body[] {
  const shapes = SHAPES[strategy](offsetOf(width, 'strangleWidth'))
  const { instructions, lots, price, product } = node
  const pricetype = node.pricetype ?? impliedType({ price: node.writtenPrice, trigger: undefined })
  if (shapes.length > 0 && pricesOf(pricetype).trigger) {
    throw new NodeError(
      `${pricetype} is not possible for the legs of a ${strategy}: they have no trigger price`,
    )
  }
  const lotSize = shapes.length > 0 ? node.lotSizeAt(node.expiry) : 0
  return shapes.map(({ offset, optionType, action = node.action }, index) =>
    readItem(`Leg ${index + 1}`, () => {
      checkPrices({ pricetype, price, trigger_price: 0 })
      const quantity = contractsOf(lots, lotSize)
      return {
        offset,
        option_type: optionType,
        action,
        quantity,
        pricetype,
        product,
        price,
        trigger_price: 0,
        ...legInstructions({}, instructions, pricetype),
      }
    }),
  )
}

/** The members of a leg that the user writes. */
export const LEG_FIELDS: Fields = {
  offset: offsetField,
  optionType: {
    kind: 'text',
    description: '',
    default: 'CE',
    choices: OPTION_TYPES,
    aliases: ['option_type'],
  },
  action: { kind: 'text', description: '', default: 'BUY', choices: ACTIONS },
  quantity: { kind: 'integer', description: '', default: 1, min: 1, aliases: ['lots'] },
  priceType: { kind: 'text', description: '', choices: PRICE_TYPES, aliases: ['pricetype'] },
  product: { kind: 'text', description: '', choices: OPTION_PRODUCTS },
  price: { kind: 'number', description: '', min: 0 },
  triggerPrice: { kind: 'number', description: '', default: 0, min: 0, aliases: ['trigger_price'] },
  splitSize: { kind: 'integer', description: '', default: 0, min: 0, aliases: ['splitsize'] },
  expiryType: { kind: 'text', description: '', choices: EXPIRY_KEYWORDS },
  expiryDate: {
    kind: 'text',
    description: '',
    form: expiryOr(EXPIRY_KEYWORDS),
    aliases: ['expiry', 'expiry_date'],
  },
  ...ITEM_INSTRUCTIONS,
}
/** Members that editors add to a leg. */
const LEG_LABELS = ['id', 'label', 'leg']

/** Returns the legs the user wrote (`saved`) in the form of the endpoint. @throws NodeError that names the leg */
export async function writtenLegs(
  legs: readonly unknown[],
  saved: readonly unknown[],
  node: LegDefaults,
  expiries: ExpiryResolver,
): Promise<Body[]> {
  const read: Body[] = []
  const lotSizes = new Map<string, number>()
  for (const [index, leg] of legs.entries()) {
    const name = `Leg ${index + 1}`
    const item = readItem(name, () => itemOf(leg, saved[index]))
    const own = readItem(name, () => expiryOf(item))
    const expiry_date = own === undefined ? undefined : await expiries.resolve(own)
    const expiry = expiry_date ?? node.expiry
    const lotSize = lotSizes.get(expiry) ?? node.lotSizeAt(expiry)
    lotSizes.set(expiry, lotSize)
    const body = readItem(name, () => writtenLeg(item, lotSize, node))
    read.push({ ...body, ...(expiry_date !== undefined && { expiry_date }) })
  }
  return read
}

function itemOf(leg: unknown, written: unknown): ListItem {
  if (!isObject(leg)) throw new NodeError('is not an object')
  return new ListItem(leg, LEG_FIELDS, { ignored: LEG_LABELS, written })
}

/** Returns the expiry that a leg has of its own, as it is written. */
function expiryOf(item: ListItem): string | undefined {
  const named = ['expiryDate', 'expiryType'].find((field) => item.value(field) !== undefined)
  return named && item.text(named)
}

function writtenLeg(item: ListItem, lotSize: number, node: LegDefaults): Body {
  const prices = {
    pricetype: item.priceType('priceType', 'triggerPrice', node.pricetype, node.writtenPrice),
    price: item.number('price', node.price),
    trigger_price: item.number('triggerPrice'),
  }
  checkPrices(prices)
  return {
    offset: offsetOf(item.text('offset')),
    option_type: item.text('optionType'),
    action: item.text('action'),
    quantity: contractsOf(item.number('quantity'), lotSize),
    splitsize: splitSizeOf(Math.trunc(item.number('splitSize')), lotSize),
    product: item.text('product', node.product),
    ...prices,
    ...legInstructions(itemInstructions(item), node.instructions, prices.pricetype),
  }
}

/**
 * Returns the instructions of a leg: its own, and those of the node that it leaves open and that fit it. The minutes of the
 * node belong to the node's validity, and a market protection to orders without a price.
 */
function legInstructions(own: Body, node: Body, pricetype: string): Body {
  const { market_protection, validity_ttl, ...always } = node
  return {
    ...always,
    ...(own.validity === undefined && validity_ttl !== undefined && { validity_ttl }),
    ...(market_protection !== undefined && !pricesOf(pricetype).limit && { market_protection }),
    ...own,
  }
}
