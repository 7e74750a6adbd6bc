import { textMember } from '../../../client/answers/json.js'
import { isQueued } from '../../../client/answers/queued.js'
import { EXCHANGES } from '../../../views/market/exchange.js'
import type { CommandSpec, Input } from '../../framework/command/command.js'
import type { OptionSpec } from '../../framework/command/option.js'
import type { Context } from '../../framework/context.js'
import { usageError } from '../../framework/errors.js'
import { EXIT, type ExitStatus } from '../../framework/exit-codes.js'
import { EXAMPLE_EXPIRY } from '../../help/example-contracts.js'
import { requireListed } from '../market/symbols.js'
import { checkBasket, checkOrders, noOrderText, requireAll } from './basket/check.js'
import { askedIn, linesOf } from './basket/lines.js'
import { showRefused } from './basket/refused.js'
import { type FieldSpec, INSTRUCTION_FIELDS, ORDER_FIELDS, optionsOf, orderArgument } from './fields.js'
import { resourceName } from './names.js'
import { readRequest } from './request.js'
import { sendOrders, showResults } from './results.js'
import { DRY_RUN_OPTION, SEND_OPTIONS, sendChange, showQueued } from './send.js'
import { orderOf, withPriceTypes } from './terms.js'

const field = (
  name: string,
  flags: string,
  summary: string,
  { complete, ...more }: Partial<Omit<FieldSpec, 'option'>> & Pick<OptionSpec, 'complete'> = {},
): FieldSpec => ({
  field: name,
  name: flags
    .replace(/^--/, '')
    .replace(/ .*/, '')
    .replace(/-([a-z])/g, (_all, letter: string) => letter.toUpperCase()),
  option: { flags, summary, ...(complete !== undefined && { complete }) },
  ...more,
})

const SPLIT = field('splitsize', '--split-size <units>', 'units of each part', {
  numeric: true,
  units: true,
})

const SMART_FIELDS = [
  ...ORDER_FIELDS.map((one) => (one.field === 'quantity' ? { ...one, fallback: 0 } : one)),
  field('position_size', '--position-size <units>', 'target position; negative is short', {
    numeric: true,
    units: true,
  }),
  ...INSTRUCTION_FIELDS,
]

/** The offsets to suggest; the daemon takes up to 50. */
const OFFSETS = [
  'ATM',
  ...['ITM', 'OTM'].flatMap((side) => [1, 2, 3, 4, 5].map((steps) => `${side}${steps}`)),
]

const OPTION_FIELDS: readonly FieldSpec[] = [
  field('underlying', '--underlying <symbol>', 'instead of the first word', {
    word: 0,
    upper: true,
    complete: 'symbols',
  }),
  field('exchange', '--exchange <code>', 'exchange of the underlying, instead of the second word', {
    word: 1,
    upper: true,
    complete: EXCHANGES,
  }),
  ...ORDER_FIELDS.filter(({ field: name }) => name !== 'symbol' && name !== 'exchange'),
  field('expiry_date', '--expiry <date>', 'DDMMMYY', { upper: true, complete: 'expiries' }),
  field('offset', '--offset <offset>', 'ATM, ITM1 … ITM50, OTM1 … OTM50', {
    upper: true,
    complete: OFFSETS,
  }),
  field('option_type', '--option-type <type>', 'CE or PE', { upper: true, complete: ['CE', 'PE'] }),
  SPLIT,
  ...INSTRUCTION_FIELDS,
]

/** Builds a command for a request that may become one order or several, and shows each order's outcome. */
function multiOrderCommand(spec: {
  name: string
  api: 'placesmartorder' | 'splitorder' | 'optionsorder'
  summary: string
  details?: string
  examples: readonly string[]
  fields: readonly FieldSpec[]
  words: string
}): CommandSpec {
  const { api, fields, words, ...rest } = spec
  const [example = ''] = spec.examples
  return {
    ...rest,
    arguments: [orderArgument(fields, `${words}, or - to read JSON from stdin`)],
    options: [...optionsOf(fields), DRY_RUN_OPTION, ...SEND_OPTIONS],
    async run(context, input) {
      const body = await orderOf(fields, input, context, example)
      const { exchange, underlying } = body
      await requireListed(context, input, { exchange, underlying })
      if (input.flag('dryRun')) return checkOrders(context, api, body)
      const answered = await sendOrders(context, input, api, body)
      if ('results' in answered) return showResults(context, answered)
      if (isQueued(answered)) return showQueued(context, answered)
      const placed = textMember(answered, 'orderid')
      if (context.settings.format === 'name' && placed) {
        context.out.name(resourceName('order', placed))
        return EXIT.done
      }
      const message = textMember(answered, 'message')
      const isForPeople = context.settings.format === undefined && message !== undefined
      const record: Record<string, unknown> = {
        ...answered,
        ...(isForPeople && { message: noOrderText(message) }),
      }
      await context.out.record({
        record,
        fields: [
          { key: 'orderid', title: 'ORDER' },
          { key: 'symbol' },
          { key: 'exchange' },
          { key: 'mode', kind: 'status' },
          { key: 'message' },
        ],
        id: 'orderid',
      })
      return EXIT.done
    },
  }
}

export const smart = multiOrderCommand({
  name: 'smart',
  api: 'placesmartorder',
  summary: 'Brings a position to a target size, with one order or none.',
  examples: [
    'order smart SBIN NSE BUY --position-size 100',
    'order smart NSE:SBIN SELL --position-size 0',
    'order smart SBIN NSE BUY --position-size 100 --dry-run',
  ],
  details:
    'The side and the size of the order follow from the position and the target, so a repeated command trades nothing. An order\n' +
    'at a price counts those of its side, type and price that wait already. Others that wait do not count: cancel them first.\n' +
    'QUANTITY (default 0) and ACTION count only when position and target are both 0: with a quantity, a repeated exit\n' +
    'opens the reverse position.\n' +
    'An order that closes a position above the freeze quantity is sent in pieces. Exit 5 and the list of pieces when not all\n' +
    'of them were placed. An order above it that only opens is refused: use order split.',
  fields: SMART_FIELDS,
  words: 'SYMBOL EXCHANGE ACTION [QUANTITY]',
})

export const split = multiOrderCommand({
  name: 'split',
  api: 'splitorder',
  summary: 'Places a large order in parts.',
  examples: [
    'order split SBIN NSE BUY 5000 --split-size 1000',
    'order split SBIN NSE BUY 5000 --split-size 1000 --dry-run',
  ],
  fields: [...ORDER_FIELDS, SPLIT, ...INSTRUCTION_FIELDS],
  words: 'SYMBOL EXCHANGE ACTION QUANTITY',
})

export const options = multiOrderCommand({
  name: 'options',
  api: 'optionsorder',
  summary: 'Places an order for the option at an offset from the money.',
  examples: [
    `order options NIFTY NSE_INDEX BUY 65 --expiry ${EXAMPLE_EXPIRY} --offset ATM --option-type CE --product NRML`,
    `order options NIFTY NSE_INDEX BUY 65 --expiry ${EXAMPLE_EXPIRY} --offset ATM --option-type CE --dry-run`,
  ],
  fields: OPTION_FIELDS,
  words: 'UNDERLYING EXCHANGE ACTION QUANTITY',
})

/** A request from a file, with its orders or legs. */
type FileBody = Readonly<Record<string, unknown>>

/** Builds a command whose orders are in a file: a list of them, or the whole body of the API. */
function fromFile(spec: {
  name: string
  api: 'basketorder' | 'optionsmultiorder'
  list: 'orders' | 'legs'
  summary: string
  /** The form of the file, with an example. */
  details: string
  examples: readonly string[]
  options?: readonly OptionSpec[]
  /** Runs the request in another way if the options say so; undefined runs it as it is. */
  otherwise?(context: Context, input: Input, body: FileBody): Promise<ExitStatus | undefined>
}): CommandSpec {
  const { api, list, otherwise, options = [], ...rest } = spec
  return {
    ...rest,
    arguments: [
      { syntax: '<file>', summary: `JSON${list === 'orders' ? ', YAML or CSV' : ' or YAML'}; - reads stdin` },
    ],
    options: [
      {
        flags: '--strategy <name>',
        summary: "strategy; overrides the file's (default: cli)",
        complete: 'strategies',
      },
      ...SEND_OPTIONS,
      ...options,
    ],
    async run(context, input) {
      const request = await readRequest(input.required(0), context.io, list)
      const { [list]: given } = request
      if (Array.isArray(given) && given.length === 0)
        throw usageError(`${list} is empty: there is nothing to send.`)
      const strategy = input.text('strategy')
      const body = {
        strategy: 'cli',
        ...request,
        [list]: withPriceTypes(context, given, list === 'legs' ? 'Leg' : 'Order'),
        ...(strategy !== undefined && { strategy }),
      }
      const { exchange, underlying }: FileBody = body
      await requireListed(context, input, { exchange, underlying })
      const done = await otherwise?.(context, input, body)
      if (done !== undefined) return done
      const lines = list === 'orders' ? linesOf(body) : []
      const { body: answer } = await sendChange(context, input, api, body).catch((thrown) =>
        lines.length === 0 ? Promise.reject(thrown) : showRefused(context, thrown, lines),
      )
      return showResults(context, answer, askedIn(lines))
    },
  }
}

export const basket = fromFile({
  name: 'basket',
  api: 'basketorder',
  list: 'orders',
  summary: 'Places the orders of a file: buy orders first, then sell orders.',
  details:
    'The file is a list of orders, or the body of POST /api/v1/basketorder with the list in `orders`. An order:\n' +
    '{"symbol":"SBIN","exchange":"NSE","action":"BUY","quantity":10,"product":"CNC","pricetype":"LIMIT","price":900}\n' +
    'A CSV has these field names as its header, and one order on each line; an empty cell leaves its field out. Errors count\n' +
    'the orders from 1, and the lines of a CSV with its header.\n' +
    '--dry-run shows what would become of each order after those before it: the orders of the day and the simulated funds\n' +
    'count the whole basket. --all-or-nothing checks the basket in this way before the first order is sent, and sends none if\n' +
    'one would be refused; after that the broker may still refuse one. --retry-failed needs the file and the key of a basket\n' +
    'of the last 24 hours: it places only the orders that failed, never one that went through, and may be repeated. While an\n' +
    'order is in doubt it places none (exit 8). -o csv is one line for each order, with the same columns for all of these;\n' +
    '# is the number of the order in the file. Exit 5 if an order failed, 8 if one is in doubt: it may be at the broker.',
  examples: [
    'order basket basket.json',
    'order basket basket.yaml --strategy rebalance',
    'order basket basket.csv --dry-run',
    'order basket basket.json --dry-run',
    'order basket basket.json --all-or-nothing -o csv',
    'order basket basket.json --retry-failed --idempotency-key morning-1',
    'make-basket | svc order basket -',
  ],
  options: [
    DRY_RUN_OPTION,
    { flags: '--all-or-nothing', summary: 'check every order first, and send none if one would be refused' },
    { flags: '--retry-failed', summary: 'place only what failed of the basket with this --idempotency-key' },
  ],
  async otherwise(context, input, body) {
    const chosen = ['dryRun', 'allOrNothing', 'retryFailed'].filter((name) => input.flag(name))
    if (chosen.length > 1)
      throw usageError('--dry-run, --all-or-nothing and --retry-failed exclude each other.')
    if (chosen.length === 0) return undefined
    const key = input.text('idempotencyKey') ?? textMember(body, 'client_order_id')
    if (input.flag('retryFailed')) {
      if (key === undefined) throw usageError('--retry-failed needs the --idempotency-key of the basket.')
      const { retryFailed } = await import('./basket/retry.js')
      return retryFailed(context, body, key)
    }
    if (input.flag('dryRun')) return checkBasket(context, body)
    await requireAll(context, body, key)
    return undefined
  },
})

export const optionsMulti = fromFile({
  name: 'options-multi',
  api: 'optionsmultiorder',
  list: 'legs',
  summary: 'Places the legs of an option strategy from a file: buy legs first, then sell legs.',
  details:
    'The file is the body of POST /api/v1/optionsmultiorder:\n' +
    `{"underlying":"NIFTY","exchange":"NSE_INDEX","expiry_date":"${EXAMPLE_EXPIRY}","legs":[\n` +
    '{"offset":"OTM2","option_type":"CE","action":"SELL","quantity":65,"product":"NRML"}]}',
  examples: ['order options-multi iron-condor.yaml', 'order options-multi iron-condor.yaml --dry-run'],
  options: [DRY_RUN_OPTION],
  otherwise: async (context, input, body) =>
    input.flag('dryRun') ? checkOrders(context, 'optionsmultiorder', body) : undefined,
})
