import { type TradeRecord, tradeRecords } from '../../client/answers/records.js'
import type { AnswerOf, RouteAnswer, SvcClient } from '../../client/index.js'
import { SvcError } from '../../client/index.js'
import type { LiveDaemon } from '../live/daemon.js'
import { Feed, type Source } from '../live/feed.js'
import { STRATEGY } from '../review/review.js'
import { changesBooks } from './feed.js'

type Order = AnswerOf<'orderstatus'>['data']
type Entry = RouteAnswer<'GET /orders/journal/:ref'>['data']

/** One order with everything that is known about it. */
export interface OrderDetails {
  /** The id by which it was asked for. */
  id: string
  order: Order
  fills: readonly TradeRecord[]
  /** The order's own history; undefined for a simulated order, or one of another program. */
  journal: Entry | undefined
}

/** The chosen order, live. */
export class OrderDetailsFeed extends Feed<OrderDetails | undefined> {
  readonly #reader: DetailsReader

  constructor(daemon: LiveDaemon) {
    const reader = new DetailsReader()
    super(daemon, reader, undefined)
    this.#reader = reader
  }

  /** Chooses the order to read. */
  choose(id: string): void {
    if (this.#reader.chosen === id) return
    this.#reader.chosen = id
    void this.refresh()
  }
}

class DetailsReader implements Source<OrderDetails | undefined> {
  chosen: string | undefined
  readonly isChangedBy = changesBooks
  readonly pauseMs = 5000
  readonly gatherMs = 250

  readonly read = async (client: SvcClient): Promise<OrderDetails | undefined> => {
    const id = this.chosen
    if (id === undefined) return undefined
    const [{ data: order }, trades] = await Promise.all([
      client.call('orderstatus', { strategy: STRATEGY, orderid: id }),
      client.call('tradebook', {}),
    ])
    const ref = 'order_ref' in order ? order.order_ref : undefined
    const fills = tradeRecords(trades, Date.now()).filter(({ orderid }) => orderid === order.orderid)
    return { id, order, fills, journal: ref === undefined ? undefined : await entryOf(client, ref) }
  }
}

/** A session that may not read the journal still sees the order. */
async function entryOf(client: SvcClient, ref: string): Promise<Entry | undefined> {
  try {
    return (await client.request('GET /orders/journal/:ref', { params: { ref } })).data
  } catch (thrown) {
    if (thrown instanceof SvcError && [403, 404].includes(thrown.status)) return undefined
    throw thrown
  }
}
