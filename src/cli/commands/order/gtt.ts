import { isQueued } from '../../../client/answers/queued.js'
import type { AnswerOf } from '../../../client/endpoints.js'
import { isWritten, priceTypeNamed } from '../../../core/orders/terms/price-type.js'
import type { Column } from '../../../views/table/column.js'
import type { CommandSpec, Input } from '../../framework/command/command.js'
import { declared } from '../../framework/command/declared.js'
import { usageError } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'
import { confirmEnd, readSoon } from '../../io/confirm.js'
import { type FieldSpec, ORDER_FIELDS, optionsOf, orderArgument } from './fields.js'
import { bodyOf } from './request.js'
import { ASKED_WHILE_LIVE, MODE_OPTION, SEND_OPTIONS, sendChange, showQueued } from './send.js'
import { requireSizes } from './terms.js'

const PRICE = (field: string, name: string, flags: string, summary: string): FieldSpec => ({
  field,
  name,
  numeric: true,
  option: { flags, summary },
})

const GTT_FIELDS: readonly FieldSpec[] = [
  ...ORDER_FIELDS.filter(
    ({ field }) => !['pricetype', 'price', 'trigger_price', 'disclosed_quantity'].includes(field),
  ),
  {
    field: 'pricetype',
    name: 'type',
    upper: true,
    option: {
      flags: '--type <type>',
      summary: 'LIMIT (default) or MARKET, sent when the trigger is reached',
      complete: ['LIMIT', 'MARKET'],
    },
  },
  {
    field: 'trigger_type',
    name: 'triggerType',
    upper: true,
    option: {
      flags: '--trigger-type <type>',
      summary: 'SINGLE (one price) or OCO (target and stop)',
      complete: ['SINGLE', 'OCO'],
    },
  },
  PRICE('price', 'price', '--price <price>', 'limit price of a SINGLE; an OCO has --stoploss and --target'),
  PRICE(
    'triggerprice_sl',
    'triggerSl',
    '--trigger-sl <price>',
    'fires at or below this price, at once if the last price is there already',
  ),
  PRICE('stoploss', 'stoploss', '--stoploss <price>', 'limit price of the stop (OCO)'),
  PRICE(
    'triggerprice_tg',
    'triggerTg',
    '--trigger-tg <price>',
    'fires at or above this price, at once if the last price is there already',
  ),
  PRICE('target', 'target', '--target <price>', 'limit price of the target (OCO)'),
]

const TRIGGER = [
  { key: 'trigger_id', title: 'GTT' },
  { key: 'mode', kind: 'status' },
] as const satisfies readonly Column[]
const EXAMPLE = 'order gtt place NSE:SBIN BUY 10 --product CNC --type LIMIT --price 900 --trigger-sl 905'

/** The limit prices of a GTT, which only a LIMIT GTT has. */
const LIMITS = { price: '--price', stoploss: '--stoploss', target: '--target' } as const

/** The options that are a price. */
const PRICES = GTT_FIELDS.filter(({ option }) => option.flags.endsWith('<price>'))

/** Refuses `--trigger-tg 0`: the API takes 0 for none, and the GTT would be another one. */
function refuseEmptyPrices(input: Input, hasLimit: boolean): void {
  for (const { name, option } of PRICES) {
    const [flag = name] = option.flags.split(' ')
    const price = input.text(name)
    const isNeeded = name !== 'price' || hasLimit
    if (isNeeded && price !== undefined && !isWritten(price)) {
      throw usageError(
        `${flag} ${price} is no price: it must be greater than 0.`,
        `Leave ${flag} out for none.`,
      )
    }
  }
}

/**
 * Completes a GTT. The API requires a price, which an OCO and a MARKET GTT do not have. It would ignore a limit
 * price beside MARKET.
 */
function requestOf(fields: Record<string, unknown>, input: Input) {
  requireSizes(fields)
  const isMarket = priceTypeNamed(fields.pricetype) === 'MARKET'
  if (isMarket) {
    const given = Object.entries(LIMITS).find(([field]) => isWritten(fields[field]))
    if (given) {
      throw usageError(
        `${given[1]} contradicts --type MARKET: a MARKET GTT has no limit price.`,
        `Use --type LIMIT, or leave ${given[1]} out.`,
      )
    }
  }
  const isOco = fields.trigger_type === 'OCO'
  const hasLimit = !isOco && !isMarket
  refuseEmptyPrices(input, hasLimit)
  // The API requires the limits of both legs at the market, too, where it does not use them.
  const limits = isOco && isMarket && { stoploss: fields.triggerprice_sl, target: fields.triggerprice_tg }
  return { trigger_type: 'SINGLE', ...(!hasLimit && { price: 0 }), ...fields, ...limits }
}

const place: CommandSpec = {
  name: 'place',
  summary: 'Places a GTT: an order that waits for a trigger price, for up to a year.',
  examples: [EXAMPLE, 'order gtt place --from gtt.json'],
  arguments: [orderArgument(GTT_FIELDS, 'SYMBOL EXCHANGE ACTION QUANTITY, or - to read JSON from stdin')],
  options: [...optionsOf(GTT_FIELDS), ...SEND_OPTIONS],
  async run(context, input) {
    const request = requestOf(await bodyOf(GTT_FIELDS, input, context.io, EXAMPLE), input)
    const { body } = await sendChange(context, input, 'placegttorder', request)
    if (isQueued(body)) return showQueued(context, body)
    await context.out.record({ record: body, fields: TRIGGER, id: 'trigger_id' })
    context.out.note('The GTT waits for its trigger price. Next: svc order gtt list')
    return EXIT.done
  },
}

const TRIGGER_ID = {
  syntax: '<gtt-id>',
  field: 'trigger_id',
  summary: 'id of an active GTT: svc order gtt list',
  complete: 'gtts',
} as const

const modify: CommandSpec = {
  name: 'modify',
  summary: 'Changes an active GTT; replaces every field.',
  details:
    'The file of --from is the body of POST /api/v1/modifygttorder; the id comes from the command line:\n' +
    '{"trigger_type":"SINGLE","symbol":"SBIN","exchange":"NSE","action":"BUY","quantity":10,"product":"CNC",\n' +
    '"pricetype":"LIMIT","price":900,"triggerprice_sl":905}',
  examples: ['order gtt modify GTT-261121-00000001 --from gtt.json'],
  arguments: [TRIGGER_ID, orderArgument(GTT_FIELDS, 'SYMBOL EXCHANGE ACTION QUANTITY')],
  options: [...optionsOf(GTT_FIELDS), ...SEND_OPTIONS],
  async run(context, input) {
    const fields = await bodyOf(GTT_FIELDS, input.from(1), context.io, EXAMPLE)
    const request = { ...requestOf(fields, input), trigger_id: input.required(0) }
    const { body } = await sendChange(context, input, 'modifygttorder', request)
    await context.out.record({ record: body, fields: TRIGGER, id: 'trigger_id' })
    return EXIT.done
  },
}

const cancel = declared({
  name: 'cancel',
  summary: 'Cancels an active GTT.',
  details: ASKED_WHILE_LIVE,
  examples: ['order gtt cancel GTT-261121-00000001'],
  arguments: [TRIGGER_ID],
  options: [
    { flags: '--strategy <name>', summary: 'strategy of the GTT (default: cli)', complete: 'strategies' },
    MODE_OPTION,
  ],
  calls: 'POST /api/v1/cancelgttorder',
  request: (input) => ({
    body: { strategy: input.text('strategy') ?? 'cli', trigger_id: input.required(0) },
  }),
  confirms: ({ context, input }) => {
    const id = input.required(0)
    return confirmEnd(context, `Cancel GTT ${id}`, async () => {
      const { body } = await readSoon(context, 'gttorderbook')
      const rows = shownGtts(body).filter((row) => row.trigger_id === id)
      return rows.length === 0 ? undefined : { facts: ['1 GTT'], list: { rows, columns: BOOK } }
    })
  },
  followUp: () => 'See its state: svc order gtt list',
  record: (record) => ({ record, fields: TRIGGER, id: 'trigger_id' }),
  note: (_, { input }) => `Cancelled ${input.required(0)}.`,
})

const BOOK = [
  { key: 'trigger_id', title: 'GTT' },
  { key: 'status', kind: 'status' },
  { key: 'trigger_type', title: 'TYPE', leaves: 3 },
  { key: 'symbol' },
  { key: 'exchange', title: 'EXCH' },
  { key: 'trigger_prices', title: 'TRIGGERS' },
  { key: 'orders', human: true },
  { key: 'last_price', title: 'LAST', kind: 'price', leaves: 2 },
  { key: 'expires_at', title: 'UNTIL', kind: 'time', leaves: 4 },
] as const satisfies readonly Column[]

const list = declared({
  name: 'list',
  summary: 'Lists the GTTs.',
  examples: ['order gtt list', 'order gtt list --watch', 'order gtt list -q'],
  columns: BOOK,
  isWatchable: true,
  calls: 'POST /api/v1/gttorderbook',
  list: (book) => ({
    rows: shownGtts(book),
    columns: BOOK,
    id: 'trigger_id',
    record: 'gtt',
    empty: 'No GTTs.',
  }),
})

type Gtt = AnswerOf<'gttorderbook'>['data'][number]
/** Returns a GTT for people, with its legs on one line. */
type ShownGtt = Gtt & { orders?: string[] }
type Leg = Gtt['legs'][number]

function shownGtts({ data }: AnswerOf<'gttorderbook'>): ShownGtt[] {
  return data.map((row) => ({ ...row, orders: row.legs.map(legText) }))
}

function legText({ action, quantity, pricetype, price }: Leg): string {
  return [action, quantity, pricetype, price].join(' ')
}

export const gtt: CommandSpec = {
  name: 'gtt',
  summary: 'Orders that wait for a trigger price (good till triggered).',
  examples: [EXAMPLE, 'order gtt list', 'order gtt cancel GTT-261121-00000001'],
  verbs: [place, modify, cancel, list],
}
