import { ACTIONS, OPTION_PRODUCTS } from '../../../orders/index.js'
import { isBlank } from '../../graph/graph.js'
import { defineNode, type FieldProblem, NodeError, type NodeRun } from '../definition.js'
import type { Fields } from '../field.js'
import { SYMBOL } from '../form.js'
import { itemsIn } from '../items.js'
import { number, numbers, optional, optionals, text } from '../output.js'
import {
  contractsOf,
  lotSizeOf,
  offsetField,
  offsetOf,
  offsetProblems,
  splitSizeOf,
  venueOf,
} from './contract.js'
import { ExpiryResolver, expiryFields } from './expiry.js'
import {
  listOf,
  priceFields,
  priceTypeField,
  readPrices,
  requiredText,
  strategyTagField,
  writtenType,
} from './fields.js'
import { instructionFields, readInstructions } from './instructions.js'
import { generatedLegs, LEG_FIELDS, type LegDefaults, OPTION_TYPES, STRATEGIES, writtenLegs } from './legs.js'
import { LEGS, ORDER_REF, PARTS, sendOrder } from './results.js'

const underlyingFields = {
  underlying: {
    kind: 'text',
    description: 'Index or share of the options.',
    default: 'NIFTY',
    form: SYMBOL,
    required: true,
    guarded: true,
  },
  ...expiryFields,
} as const satisfies Fields

const lotsField = (description: string) =>
  ({ kind: 'integer', description, default: 1, guarded: true }) as const

const optionProduct = (product: (typeof OPTION_PRODUCTS)[number]) =>
  ({
    kind: 'text',
    description: 'Product: MIS is intraday, NRML overnight.',
    default: product,
    choices: OPTION_PRODUCTS,
    guarded: true,
  }) as const

/**
 * Returns the expiry of a node: a date or a keyword. @throws NodeError for a date that is empty after
 * resolution
 */
const expirySpec = (run: NodeRun): string =>
  run.blank('expiryDate') ? run.text('expiryType') : requiredText(run, 'expiryDate')

const optionsOrder = defineNode({
  type: 'optionsOrder',
  family: 'order',
  effect: 'order',
  summary: 'Trades an option by its strike offset from the money. The quantity is in lots.',
  fields: {
    ...underlyingFields,
    offset: offsetField,
    optionType: {
      kind: 'text',
      description: 'Call or put.',
      default: 'CE',
      choices: OPTION_TYPES,
      guarded: true,
    },
    action: {
      kind: 'text',
      description: 'Side of the order.',
      default: 'BUY',
      required: true,
      choices: ACTIONS,
      guarded: true,
    },
    quantity: { ...lotsField('Number of lots.'), required: true },
    priceType: priceTypeField,
    product: optionProduct('NRML'),
    ...priceFields,
    splitSize: {
      kind: 'integer',
      description:
        'Largest quantity per order, in contracts, a multiple of the lot size. 0 means a single order.',
      default: 0,
      min: 0,
      guarded: true,
    },
    ...instructionFields,
    strategyTag: strategyTagField,
  },
  output: {
    status: text('`success` or `error`.'),
    orderid: optional(text('Id of the order. A split order has `results` instead.')),
    pending_order_id: optional(number('Id in the approval queue, in semi-auto mode.')),
    symbol: optional(text('Symbol of the option.')),
    exchange: optional(text('Exchange of the option.')),
    underlying: optional(text('The underlying.')),
    underlying_ltp: optional(number('Price of the underlying that determined the strike.')),
    offset: optional(text('The strike offset.')),
    option_type: optional(text('CE or PE.')),
    ...optionals(PARTS),
    ...optionals(numbers('total_quantity', 'split_size')),
    ...ORDER_REF,
  },
  storesOutput: true,
  check: (data) => offsetProblems('offset', data.offset),
  run: async (run) => {
    const venue = venueOf(requiredText(run, 'underlying'))
    const [offset, option_type, action] = [
      offsetOf(run.text('offset')),
      run.text('optionType'),
      run.text('action'),
    ]
    const prices = readPrices(run)
    const product = run.text('product')
    const { underlying, quotes, contracts } = venue
    const expiry_date = await new ExpiryResolver(run, underlying, contracts).resolve(expirySpec(run))
    const lotSize = lotSizeOf(run, venue, expiry_date)
    const quantity = contractsOf(run.integer('quantity'), lotSize)
    const splitsize = splitSizeOf(run.integer('splitSize'), lotSize)
    const announcement = `Placing options order: ${underlying} ${expiry_date} ${offset} ${option_type} ${action} qty=${quantity}`
    return sendOrder(run, announcement, 'optionsorder', {
      strategy: run.strategy(),
      underlying,
      exchange: quotes,
      expiry_date,
      offset,
      option_type,
      action,
      quantity,
      splitsize,
      product,
      ...prices,
      ...readInstructions(run),
    })
  },
})

const optionsMultiOrder = defineNode({
  type: 'optionsMultiOrder',
  family: 'order',
  effect: 'order',
  summary: 'Trades the legs of an option strategy, buys before sells.',
  fields: {
    strategy: {
      kind: 'text',
      description: 'Strategy that determines the legs. `legs` override it.',
      default: 'custom',
      choices: STRATEGIES,
      aliases: ['strategyType'],
      guarded: true,
    },
    ...underlyingFields,
    action: {
      kind: 'text',
      description: 'Side of both legs of a straddle or strangle. The other strategies determine their sides.',
      default: 'SELL',
      choices: ACTIONS,
      guarded: true,
    },
    quantity: lotsField('Lots of each leg. Required without `legs`, which have their own quantity.'),
    priceType: priceTypeField,
    product: optionProduct('MIS'),
    price: priceFields.price,
    strangleWidth: {
      ...offsetField,
      description: 'Strike offset of both legs of a strangle.',
      default: 'OTM2',
    },
    legs: {
      kind: 'json',
      description:
        "Your own legs: `offset`, `optionType`, `action`, `quantity` in lots; if different from the node's also " +
        '`priceType`, `price`, `product`, `expiryDate`, `expiryType` or order instructions; optionally `triggerPrice` and `splitSize`.',
      default: [],
      aliases: ['orderLegs'],
      items: { fields: LEG_FIELDS, of: itemsIn },
      guarded: true,
    },
    ...instructionFields,
    strategyTag: strategyTagField,
  },
  output: {
    status: text('`error` if all legs failed.'),
    underlying: text('The underlying.'),
    underlying_ltp: number('Price of the underlying that determined the strikes.'),
    ...LEGS,
    ...ORDER_REF,
  },
  storesOutput: true,
  check: (data, strict) => [
    ...offsetProblems('strangleWidth', data.strangleWidth),
    ...(strict ? missingLots(data) : []),
  ],
  run: async (run) => {
    const venue = venueOf(requiredText(run, 'underlying'))
    const { underlying, quotes, contracts } = venue
    const strategy = strategyOf(run)
    const expiries = new ExpiryResolver(run, underlying, contracts)
    const written = listOf(run, 'legs')
    const expiry_date = await expiries.resolve(expirySpec(run))
    const node: LegDefaults = {
      action: run.text('action'),
      lots: run.integer('quantity'),
      expiry: expiry_date,
      lotSizeAt: (expiry) => lotSizeOf(run, venue, expiry),
      pricetype: writtenType(run),
      price: run.number('price'),
      writtenPrice: run.raw('price'),
      product: run.text('product'),
      instructions: readInstructions(run),
    }
    const legs =
      written.length > 0
        ? await writtenLegs(written, itemsIn(run.raw('legs')), node, expiries)
        : generatedLegs(strategy, run.text('strangleWidth'), node)
    if (legs.length === 0) throw new NodeError(`No legs generated for strategy: ${strategy}`)
    const announcement = `Placing options multi-order: ${underlying} ${expiry_date} ${strategy} with ${legs.length} legs`
    return sendOrder(run, announcement, 'optionsmultiorder', {
      strategy: run.strategy(),
      underlying,
      exchange: quotes,
      expiry_date,
      legs,
    })
  },
})

/** Returns a problem unless the node has a quantity or legs, which have their own. A reference may hold legs. */
function missingLots({ quantity, legs, orderLegs }: Readonly<Record<string, unknown>>): FieldProblem[] {
  const hasLegs = [legs, orderLegs].some((one) => !isBlank(one) && !isEmptyList(one))
  if (hasLegs || !isBlank(quantity)) return []
  return [
    { field: 'quantity', code: 'missing_required_field', message: 'needs quantity, or legs with their own' },
  ]
}

function isEmptyList(saved: unknown): boolean {
  return Array.isArray(saved)
    ? saved.length === 0
    : typeof saved === 'string' && /^\s*\[\s*\]\s*$/.test(saved)
}

function strategyOf(run: NodeRun) {
  const named = run.text('strategy')
  const strategy = STRATEGIES.find((name) => name === named)
  if (strategy === undefined)
    throw new NodeError(`strategy '${named}' is not one of ${STRATEGIES.join(', ')}`)
  return strategy
}

export const OPTION_ORDER_NODES = [optionsOrder, optionsMultiOrder]
