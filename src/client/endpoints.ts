import type { z } from 'zod'
import type {
  multiOptionGreeksBody,
  optionChainBody,
  optionGreeksBody,
  optionSymbolBody,
  syntheticFutureBody,
} from '../core/options/index.js'
import type {
  basketOrderBody,
  cancelGttBody,
  cancelOrderBody,
  marginBody,
  modifyGttBody,
  modifyOrderBody,
  optionsMultiOrderBody,
  optionsOrderBody,
  placeGttBody,
  placeOrderBody,
  smartOrderBody,
  splitOrderBody,
  wholeAccountBody,
} from '../core/orders/index.js'
import type * as account from '../daemon/openapi/responses/account.js'
import type * as market from '../daemon/openapi/responses/market.js'
import type * as orders from '../daemon/openapi/responses/orders.js'
import type { openPositionBody, toggleBody } from '../daemon/routes/account.js'
import type { keyOnly, orderStatusBody } from '../daemon/routes/account-views.js'
import type { checkBody, holidaysBody, timingsBody } from '../daemon/routes/calendar.js'
import type { historyBody, intervalsBody, multiQuotesBody, symbolBody } from '../daemon/routes/market.js'
import type { telegramBody, whatsappBody } from '../daemon/routes/notify.js'
import type { expiryBody, searchBody } from '../daemon/routes/symbols.js'

/**
 * What a caller writes for a body, without the key. Numbers are accepted as text too, which a schema calls
 * `unknown`; here they are what they become.
 */
type Sent<Input, Output> = unknown extends Input
  ? Output
  : Input extends readonly (infer InputItem)[]
    ? Output extends readonly (infer OutputItem)[]
      ? readonly Sent<InputItem, OutputItem>[]
      : never
    : Input extends object
      ? {
          [K in keyof Input as Exclude<K, 'apikey'>]: Sent<
            Input[K],
            K extends keyof Output ? Output[K] : never
          >
        }
      : Input

interface Endpoint<Body extends z.ZodType, Answer extends z.ZodType> {
  body: Sent<z.input<Body>, z.output<Body>>
  answer: z.output<Answer>
}

/** Every `POST /api/v1/<name>`: what goes in and what comes out, from the schemas the daemon itself uses. */
export interface Endpoints {
  placeorder: Endpoint<typeof placeOrderBody, typeof orders.placeOrder>
  placesmartorder: Endpoint<typeof smartOrderBody, typeof orders.smartOrder>
  basketorder: Endpoint<typeof basketOrderBody, typeof orders.basketOrder>
  splitorder: Endpoint<typeof splitOrderBody, typeof orders.splitOrder>
  optionsorder: Endpoint<typeof optionsOrderBody, typeof orders.optionsOrder>
  optionsmultiorder: Endpoint<typeof optionsMultiOrderBody, typeof orders.optionsMultiOrder>
  modifyorder: Endpoint<typeof modifyOrderBody, typeof orders.changedOrder>
  cancelorder: Endpoint<typeof cancelOrderBody, typeof orders.changedOrder>
  cancelallorder: Endpoint<typeof wholeAccountBody, typeof orders.cancelledAll>
  closeposition: Endpoint<typeof wholeAccountBody, typeof orders.closedAll>
  placegttorder: Endpoint<typeof placeGttBody, typeof orders.placedGtt>
  modifygttorder: Endpoint<typeof modifyGttBody, typeof orders.changedGtt>
  cancelgttorder: Endpoint<typeof cancelGttBody, typeof orders.changedGtt>
  gttorderbook: Endpoint<typeof keyOnly, typeof orders.gttBook>
  orderstatus: Endpoint<typeof orderStatusBody, typeof account.orderStatus>
  openposition: Endpoint<typeof openPositionBody, typeof account.openPosition>
  orderbook: Endpoint<typeof keyOnly, typeof account.orderbook>
  tradebook: Endpoint<typeof keyOnly, typeof account.tradebook>
  positionbook: Endpoint<typeof keyOnly, typeof account.positionbook>
  holdings: Endpoint<typeof keyOnly, typeof account.holdings>
  funds: Endpoint<typeof keyOnly, typeof account.funds>
  margin: Endpoint<typeof marginBody, typeof account.margin>
  analyzer: Endpoint<typeof keyOnly, typeof account.analyzer>
  'analyzer/toggle': Endpoint<typeof toggleBody, typeof account.analyzerToggle>
  'pnl/symbols': Endpoint<typeof keyOnly, typeof account.pnlSymbols>
  ping: Endpoint<typeof keyOnly, typeof account.ping>
  quotes: Endpoint<typeof symbolBody, typeof market.quotes>
  multiquotes: Endpoint<typeof multiQuotesBody, typeof market.multiQuotes>
  depth: Endpoint<typeof symbolBody, typeof market.depth>
  history: Endpoint<typeof historyBody, typeof market.candles>
  intervals: Endpoint<typeof intervalsBody, typeof market.intervals>
  symbol: Endpoint<typeof symbolBody, typeof market.symbol>
  search: Endpoint<typeof searchBody, typeof market.search>
  expiry: Endpoint<typeof expiryBody, typeof market.expiry>
  optionsymbol: Endpoint<typeof optionSymbolBody, typeof market.optionSymbol>
  optionchain: Endpoint<typeof optionChainBody, typeof market.optionChain>
  syntheticfuture: Endpoint<typeof syntheticFutureBody, typeof market.syntheticFuture>
  optiongreeks: Endpoint<typeof optionGreeksBody, typeof market.optionGreeks>
  multioptiongreeks: Endpoint<typeof multiOptionGreeksBody, typeof market.multiOptionGreeks>
  'market/holidays': Endpoint<typeof holidaysBody, typeof market.holidays>
  'market/timings': Endpoint<typeof timingsBody, typeof market.timings>
  checkholiday: Endpoint<typeof checkBody, typeof market.holiday>
  'telegram/notify': Endpoint<typeof telegramBody, typeof market.told>
  'whatsapp/notify': Endpoint<typeof whatsappBody, typeof market.told>
}

export type EndpointName = keyof Endpoints
export type Body<N extends EndpointName> = Endpoints[N]['body']
export type AnswerOf<N extends EndpointName> = Endpoints[N]['answer']

/** The endpoints after which something may have changed: without an answer, their outcome is unknown. */
const CHANGING: ReadonlySet<EndpointName> = new Set<EndpointName>([
  'placeorder',
  'placesmartorder',
  'basketorder',
  'splitorder',
  'optionsorder',
  'optionsmultiorder',
  'modifyorder',
  'cancelorder',
  'cancelallorder',
  'closeposition',
  'placegttorder',
  'modifygttorder',
  'cancelgttorder',
  'analyzer/toggle',
  'telegram/notify',
  'whatsapp/notify',
])

export function isChange(name: EndpointName): boolean {
  return CHANGING.has(name)
}
