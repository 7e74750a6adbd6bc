import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { ServiceError } from '../../../src/core/errors/index.js'
import {
  basketOrderPayload,
  cancelGttPayload,
  cancelOrderPayload,
  marginPayload,
  modifyGttPayload,
  modifyOrderPayload,
  optionsMultiOrderPayload,
  optionsOrderPayload,
  placeGttPayload,
  smartOrderPayload,
  splitOrderPayload,
  wholeAccountPayload,
} from '../../../src/core/orders/index.js'
import { parseWith } from '../../../src/core/validation/index.js'

type Body = Record<string, unknown>

const LINE = { exchange: 'NSE', symbol: 'SBIN', action: 'buy', quantity: '10' }
const ORDER = { strategy: 't', ...LINE }
const LEG = { offset: 'otm2', option_type: 'ce', action: 'BUY', quantity: '75' }
const UNDERLYING = { strategy: 't', underlying: 'NIFTY', exchange: 'NSE_INDEX' }
const SINGLE = {
  ...ORDER,
  trigger_type: 'single',
  product: 'CNC',
  price: '690',
  triggerprice_sl: '700',
}
const OCO = { ...SINGLE, trigger_type: 'OCO', triggerprice_tg: 900, stoploss: 699, target: 901 }
const POSITION = { ...LINE, product: 'MIS', pricetype: 'MARKET' }

const MISSING = 'Missing data for required field.'
const NULL = 'Field may not be null.'
const AT_LEAST_ONE = 'Must be greater than or equal to 1.'
const FRACTION = 'Fractional quantity (1.5) is not allowed for non-crypto exchanges.'
const UNSEEN = 'Must not contain control characters.'
const LEGS = 'Legs must contain 1 to 20 items.'
const POSITIONS = 'Positions must contain 1 to 50 items.'

interface Shape {
  name: string
  schema: z.ZodType
  /** A sound body, as a spreadsheet might send it: numbers as text, sides in small letters. */
  sound: Body
  /** A change of the sound body (undefined takes a field out), the field it breaks and the text. */
  broken: readonly (readonly [Body, string, string])[]
}

const SHAPES: readonly Shape[] = [
  {
    name: 'placesmartorder',
    schema: smartOrderPayload,
    sound: { ...ORDER, position_size: '-5', quantity: 0 },
    broken: [
      [{ position_size: undefined }, 'position_size', MISSING],
      [{ position_size: 'many' }, 'position_size', 'Not a valid number.'],
      [
        { position_size: 1.5 },
        'position_size',
        'Fractional position size (1.5) is not allowed for non-crypto exchanges.',
      ],
      [{ quantity: -1 }, 'quantity', 'Quantity must be a non-negative number.'],
      [{ quantity: 1.5 }, 'quantity', FRACTION],
      [{ quantity: true }, 'quantity', 'Not a valid number.'],
      [{ underlying_ltp: 1 }, 'underlying_ltp', 'Unknown field.'],
      [{ symbol: 'SBIN\u001b[2J' }, 'symbol', UNSEEN],
      [{ price_type: 'LIMIT' }, 'price_type', 'Unknown field. Did you mean "pricetype"?'],
    ],
  },
  {
    name: 'basketorder',
    schema: basketOrderPayload,
    sound: { strategy: 't', orders: [LINE, { ...LINE, action: 'SELL' }] },
    broken: [
      [{ orders: undefined }, 'orders', MISSING],
      [{ orders: null }, 'orders', NULL],
      [{ orders: {} }, 'orders', 'Not a valid list.'],
      [{ orders: [{ ...LINE, quantity: 'x' }] }, 'orders.0.quantity', 'Not a valid number.'],
      [{ orders: [LINE, { ...LINE, quantity: 0 }] }, 'orders.1.quantity', AT_LEAST_ONE],
      [{ orders: [LINE, { ...LINE, quantity: 1.5 }] }, 'orders.1.quantity', FRACTION],
      [{ orders: [{ ...LINE, price: -1 }] }, 'orders.0.price', 'Price must be a non-negative number.'],
      [{ orders: [{ ...LINE, strategy: 't' }] }, 'orders.0.strategy', 'Unknown field.'],
      [{ orders: [LINE, { ...LINE, symbol: 'SB\u202eIN' }] }, 'orders.1.symbol', UNSEEN],
    ],
  },
  {
    name: 'splitorder',
    schema: splitOrderPayload,
    sound: { ...ORDER, splitsize: '5' },
    broken: [
      [{ splitsize: undefined }, 'splitsize', MISSING],
      [{ splitsize: 0 }, 'splitsize', 'Split size must be a positive integer.'],
      [{ splitsize: 2.5 }, 'splitsize', 'Not a valid integer.'],
      [{ quantity: 0 }, 'quantity', 'Total quantity must be a positive number.'],
      [{ quantity: 1.5, exchange: 'CRYPTO' }, 'quantity', 'Fractional quantity (1.5) cannot be split.'],
    ],
  },
  {
    name: 'optionsorder',
    schema: optionsOrderPayload,
    sound: { ...UNDERLYING, ...LEG, strike_int: '50', splitsize: null, expiry_date: '28OCT25' },
    broken: [
      [{ offset: 'OTM51' }, 'offset', 'Offset must be ATM, ITM1-ITM50, or OTM1-OTM50'],
      [{ offset: 'ITM0' }, 'offset', 'Offset must be ATM, ITM1-ITM50, or OTM1-OTM50'],
      [{ offset: undefined }, 'offset', MISSING],
      [{ option_type: 'Ce' }, 'option_type', 'Must be one of: CE, PE, ce, pe.'],
      [{ quantity: 0 }, 'quantity', 'Quantity must be a positive integer.'],
      [{ quantity: 75.9 }, 'quantity', 'Not a valid integer.'],
      [{ splitsize: -1 }, 'splitsize', 'Split size must be a non-negative integer.'],
      [{ strike_int: 0 }, 'strike_int', AT_LEAST_ONE],
      [{ expiry_date: null }, 'expiry_date', NULL],
      [{ product: 'CNC' }, 'product', 'Must be one of: MIS, NRML.'],
      [{ underlying: '' }, 'underlying', 'Missing required option parameters: underlying'],
      [{ underlying: 'NIFTY\u001b]0;LIVE\u0007' }, 'underlying', UNSEEN],
    ],
  },
  {
    name: 'optionsmultiorder',
    schema: optionsMultiOrderPayload,
    sound: { ...UNDERLYING, legs: [LEG, { ...LEG, splitsize: null, expiry_date: '28OCT25' }] },
    broken: [
      [{ legs: [] }, 'legs', LEGS],
      [{ underlying: 'NIFTY\n' }, 'underlying', UNSEEN],
      [{ legs: Array(21).fill(LEG) }, 'legs', LEGS],
      [{ legs: 'ATM' }, 'legs', 'Not a valid list.'],
      [{ legs: [LEG, { ...LEG, action: undefined }] }, 'legs.1.action', MISSING],
      [{ legs: [{ ...LEG, quantity: 0 }] }, 'legs.0.quantity', 'Quantity must be a positive integer.'],
      [
        { legs: [{ ...LEG, offset: 'ATM1' }] },
        'legs.0.offset',
        'Offset must be ATM, ITM1-ITM50, or OTM1-OTM50',
      ],
    ],
  },
  {
    name: 'modifyorder',
    schema: modifyOrderPayload,
    sound: {
      ...ORDER,
      orderid: '1',
      product: 'MIS',
      pricetype: 'LIMIT',
      price: '1',
      trigger_price: '0',
      disclosed_quantity: '0',
    },
    broken: [
      ...['orderid', 'product', 'pricetype', 'price', 'trigger_price', 'disclosed_quantity', 'symbol'].map(
        (field) => [{ [field]: undefined }, field, MISSING] as const,
      ),
      [{ orderid: 1 }, 'orderid', 'Not a valid string.'],
      [{ quantity: 0 }, 'quantity', AT_LEAST_ONE],
      [
        { disclosed_quantity: -1 },
        'disclosed_quantity',
        'Disclosed quantity must be a non-negative integer.',
      ],
      [{ trigger_price: -1 }, 'trigger_price', 'Trigger price must be a non-negative number.'],
    ],
  },
  {
    name: 'cancelorder',
    schema: cancelOrderPayload,
    sound: { strategy: 't', orderid: '' },
    broken: [
      [{ orderid: undefined }, 'orderid', MISSING],
      [{ strategy: undefined }, 'strategy', MISSING],
      [{ order_id: '1' }, 'order_id', 'Unknown field. Did you mean "orderid"?'],
    ],
  },
  {
    name: 'cancelallorder and closeposition',
    schema: wholeAccountPayload,
    sound: { strategy: 't' },
    broken: [[{ symbol: 'SBIN' }, 'symbol', 'Unknown field.']],
  },
  {
    name: 'placegttorder (SINGLE)',
    schema: placeGttPayload,
    sound: { ...SINGLE, triggerprice_tg: '', stoploss: '', target: null, expires_at: '2027-01-01' },
    broken: [
      [{ trigger_type: 'BOTH' }, 'trigger_type', "Must be 'SINGLE' or 'OCO'."],
      [{ symbol: 'SBIN\u0007' }, 'symbol', UNSEEN],
      [
        { product: 'MIS' },
        'product',
        'GTT supports only CNC (delivery) or NRML (overnight F&O); MIS is intraday-only.',
      ],
      [{ pricetype: 'SL' }, 'pricetype', 'Must be one of: LIMIT, MARKET.'],
      [{ price: undefined }, 'price', MISSING],
      [{ price: 0 }, 'price', 'A SINGLE LIMIT GTT requires a positive price.'],
      [{ triggerprice_sl: -1 }, 'triggerprice_sl', 'triggerprice_sl must be non-negative.'],
      [
        { triggerprice_sl: '' },
        'triggerprice_sl',
        'SINGLE GTT requires a positive triggerprice_sl or triggerprice_tg.',
      ],
      [{ quantity: 1.5 }, 'quantity', FRACTION],
      [{ triggerprice: 700 }, 'triggerprice', 'Unknown field.'],
    ],
  },
  {
    name: 'placegttorder (OCO)',
    schema: placeGttPayload,
    sound: OCO,
    broken: [
      [{ triggerprice_sl: 0 }, 'triggerprice_sl', 'Required for OCO (stoploss trigger).'],
      [{ stoploss: null }, 'stoploss', 'Required for OCO (stoploss leg limit).'],
      [{ stoploss: -1 }, 'stoploss', 'Required for OCO (stoploss leg limit).'],
      [{ triggerprice_tg: undefined }, 'triggerprice_tg', 'Required for OCO (target trigger).'],
      [{ target: '' }, 'target', 'Required for OCO (target leg limit).'],
      [
        { triggerprice_sl: 900 },
        'triggerprice_sl',
        'Stoploss trigger must be less than target trigger (triggerprice_tg).',
      ],
    ],
  },
  {
    name: 'modifygttorder',
    schema: modifyGttPayload,
    sound: { ...OCO, trigger_id: '1' },
    broken: [
      [{ trigger_id: '' }, 'trigger_id', 'Shorter than minimum length 1.'],
      [{ expires_at: null }, 'expires_at', 'Unknown field.'],
    ],
  },
  {
    name: 'cancelgttorder',
    schema: cancelGttPayload,
    sound: { strategy: 't', trigger_id: '1' },
    broken: [
      [{ trigger_id: undefined }, 'trigger_id', MISSING],
      [{ trigger_id: '' }, 'trigger_id', 'Shorter than minimum length 1.'],
    ],
  },
  {
    name: 'margin',
    schema: marginPayload,
    sound: { positions: [POSITION, { ...POSITION, quantity: 5, price: 1, trigger_price: '2' }] },
    broken: [
      [{ positions: [] }, 'positions', POSITIONS],
      [{ positions: Array(51).fill(POSITION) }, 'positions', POSITIONS],
      [
        { positions: [{ ...POSITION, symbol: '' }] },
        'positions.0.symbol',
        'Symbol must be between 1 and 50 characters.',
      ],
      [{ positions: [POSITION, { ...POSITION, quantity: '-1' }] }, 'positions.1.quantity', AT_LEAST_ONE],
      [
        { positions: [{ ...POSITION, price: '-1' }] },
        'positions.0.price',
        'Price must be a non-negative number.',
      ],
    ],
  },
]

/** The error texts a body is answered with; undefined for a sound one. */
function errorsOf(schema: z.ZodType, body: unknown): Record<string, string[]> | undefined {
  try {
    parseWith(schema, body)
    return undefined
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return error.errors
  }
}

function changed(sound: Body, change: Body): Body {
  return Object.fromEntries(
    Object.entries({ ...sound, ...change }).filter(([, value]) => value !== undefined),
  )
}

describe.each(SHAPES)('the body of $name', ({ schema, sound, broken }) => {
  test('is read as existing clients send it', () => {
    expect(errorsOf(schema, sound)).toBeUndefined()
  })

  test.each(broken.map(([change, field, text]) => ({ change, field, text })))(
    '$field: $text ($change)',
    ({ change, field, text }) => {
      expect(errorsOf(schema, changed(sound, change))).toMatchObject({ [field]: [text] })
    },
  )

  test('whatever else is sent, the answer is field errors, never a fault', () => {
    const value = fc.jsonValue({ maxDepth: 2 })
    const names = fc.constantFrom(...Object.keys(sound))
    fc.assert(
      fc.property(fc.dictionary(names, value), value, (change, other) => {
        errorsOf(schema, { ...sound, ...change })
        errorsOf(schema, other)
      }),
      { numRuns: 300 },
    )
  })
})

test('a queued payload reads as a request again', () => {
  for (const { schema, sound } of SHAPES.filter(({ name }) => !/gtt/.test(name))) {
    const once = parseWith(schema, sound)
    expect(parseWith(schema, JSON.parse(JSON.stringify(once)))).toEqual(once)
  }
})
