import { z } from 'zod'
import type { BrokerContext, BrokerOrder, OrderFeed } from '../../broker.js'
import { jsonOf } from '../../kit/http/response.js'
import { BrokerSocket } from '../../kit/socket/broker-socket.js'
import type { DhanCredentials } from '../api.js'
import { DEFAULT_ENDPOINTS } from '../manifest.js'
import { amount, type DhanOrder, number, text } from '../wire.js'

const PING = { everyMs: 10_000, frame: 'protocol' } as const
const SILENCE_LIMIT_MS = 40_000
const SIGN_IN_CODE = 42

/** Dhan spells the names in two ways, so they are read in small letters. */
const message = z.object({ type: z.string(), data: z.record(z.string(), z.unknown()) })
const update = z.object({
  orderno: z.union([z.string().min(1), z.number().transform(String)]),
  exchange: z.string(),
  segment: z.string(),
  securityid: text,
  symbol: text,
  txntype: z.enum(['B', 'S']),
  ordertype: z.string(),
  product: z.string(),
  quantity: number,
  tradedqty: amount,
  price: amount,
  triggerprice: amount,
  tradedprice: amount,
  avgtradedprice: amount,
  status: z.string(),
  reasondescription: text,
  correlationid: text,
  validity: text,
  lastupdatedtime: text,
})

const SEGMENT: Readonly<Record<string, string>> = {
  'NSE E': 'NSE_EQ',
  'NSE D': 'NSE_FNO',
  'NSE C': 'NSE_CURRENCY',
  'BSE E': 'BSE_EQ',
  'BSE D': 'BSE_FNO',
  'BSE C': 'BSE_CURRENCY',
  'MCX M': 'MCX_COMM',
}
const ORDER_TYPE: Readonly<Record<string, string>> = {
  LMT: 'LIMIT',
  MKT: 'MARKET',
  SL: 'STOP_LOSS',
  SLM: 'STOP_LOSS_MARKET',
}
const PRODUCT: Readonly<Record<string, string>> = {
  C: 'CNC',
  I: 'INTRADAY',
  M: 'MARGIN',
  F: 'MTF',
  V: 'CO',
  B: 'BO',
}

/** Order updates, over a connection of their own. Their words are not those of the order book. */
export class DhanOrderFeed implements OrderFeed {
  readonly #socket: BrokerSocket
  #onUpdate: ((order: BrokerOrder) => void) | undefined
  #onUnreadable: (() => void) | undefined

  /** @param orderOf converts an update in the words of the order book */
  constructor(
    private readonly context: BrokerContext,
    { accessToken, clientId }: DhanCredentials,
    private readonly orderOf: (row: DhanOrder) => BrokerOrder,
  ) {
    const { clock, endpoints, log, sessionRefused } = context
    const login = { MsgCode: SIGN_IN_CODE, ClientId: clientId, Token: accessToken }
    this.#socket = new BrokerSocket(
      {
        clock,
        log,
        name: 'order feed',
        address: () => endpoints.orders ?? DEFAULT_ENDPOINTS.orders,
        signIn: () => JSON.stringify({ LoginReq: login, UserType: 'SELF' }),
        ping: PING,
        silenceLimitMs: SILENCE_LIMIT_MS,
        onRefused: sessionRefused,
      },
      {
        onOpen: () => undefined,
        onText: (frame) => this.#onFrame(frame),
        onBinary: (bytes) => this.#onFrame(new TextDecoder().decode(bytes)),
      },
    )
  }

  open(onUpdate: (order: BrokerOrder) => void, onUnreadable?: () => void): Promise<void> {
    this.#onUpdate = onUpdate
    this.#onUnreadable = onUnreadable
    return this.#socket.open()
  }

  state(): { connected: boolean; connections: number } {
    return this.#socket.state()
  }

  close(): void {
    this.#socket.close()
  }

  #onFrame(frame: string): void {
    const read = message.safeParse(inSmallLetters(jsonOf(frame))).data
    if (read?.type !== 'order_alert') return
    const row = update.safeParse(inSmallLetters(read.data))
    if (row.success) this.#onUpdate?.(this.orderOf(rowOf(row.data)))
    else {
      this.context.log.warn('dhan.unreadable_order_update')
      this.#onUnreadable?.()
    }
  }
}

function inSmallLetters(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name.toLowerCase(), each]))
}

/** Returns what a table names a word; the word itself where it has none. */
function named(table: Readonly<Record<string, string>>, word: string): string {
  return Object.hasOwn(table, word) ? (table[word] ?? word) : word
}

function rowOf(data: z.output<typeof update>): DhanOrder {
  const { exchange, ordertype, product, quantity, segment, status, tradedqty } = data
  return {
    orderId: data.orderno,
    correlationId: data.correlationid,
    exchangeSegment: named(SEGMENT, `${exchange} ${segment}`),
    securityId: data.securityid,
    tradingSymbol: data.symbol,
    orderStatus: status.toUpperCase(),
    transactionType: data.txntype === 'B' ? 'BUY' : 'SELL',
    productType: named(PRODUCT, product),
    orderType: named(ORDER_TYPE, ordertype),
    validity: data.validity,
    quantity,
    // The update has none; the book has it.
    disclosedQuantity: 0,
    price: data.price,
    triggerPrice: data.triggerprice,
    legName: '',
    createTime: '',
    updateTime: data.lastupdatedtime,
    exchangeTime: '',
    omsErrorDescription: data.reasondescription,
    averageTradedPrice: data.avgtradedprice || data.tradedprice,
    filledQty: tradedqty,
  }
}
