import { useContext, useEffect } from 'react'
import { type TradeRecord, tradeRecords } from '../../client/answers/records.js'
import { type AnswerOf, type RouteAnswer, type SvcClient, SvcError } from '../../client/index.js'
import { DETAIL_FIELDS } from '../../views/orders/order.js'
import { cellText } from '../../views/table/cells.js'
import type { Column } from '../../views/table/column.js'
import { Fields, linesAsFields } from '../components/Fields.js'
import { Notice } from '../components/Notice.js'
import type { LiveDaemon } from '../live/daemon.js'
import { Feed, type Source } from '../live/feed.js'
import { useDaemon, useFeed } from '../live/use-daemon.js'
import { STRATEGY } from '../question/review.js'
import type { Area } from '../terminal/size.js'
import { ThemeContext } from '../terminal/theme.js'
import { useNow } from '../terminal/use-now.js'
import { changesBooks } from './feed.js'

type Order = AnswerOf<'orderstatus'>['data']
type Entry = RouteAnswer<'GET /orders/journal/:ref'>['data']

/** One order with everything that is known about it. */
interface DetailsContent {
  /** The id by which it was asked for. */
  id: string
  order: Order
  fills: readonly TradeRecord[]
  /** The order's own history; undefined for a simulated order, or one of another program. */
  journal: Entry | undefined
}

/** The chosen order, live. */
export class OrderDetailsFeed extends Feed<DetailsContent | undefined> {
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

class DetailsReader implements Source<DetailsContent | undefined> {
  chosen: string | undefined
  readonly isChangedBy = changesBooks
  readonly pauseMs = 5000
  readonly gatherMs = 250

  readonly read = async (client: SvcClient): Promise<DetailsContent | undefined> => {
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

/** Every field of an order, its fills, its history and the raw answers. */
export function OrderDetails({ id, ...area }: Area & { id: string }) {
  const feed = useDaemon().part(OrderDetailsFeed)
  useEffect(() => feed.choose(id), [feed, id])
  const { content, problem } = useFeed(feed)
  const now = useNow(1000)
  const { utc } = useContext(ThemeContext)
  if (content?.id !== id) {
    return (
      <Notice {...area} text={problem === undefined ? `Reading order ${id} …` : `Order ${id}: ${problem}`} />
    )
  }
  return <Fields {...area} now={now} {...detailsRecord(content, { utc, now })} />
}

interface Style {
  utc: boolean
  now: number
}

/** Returns the details as fields: one line for each fill and each event. */
function detailsRecord(details: DetailsContent, style: Style): { record: object; fields: readonly Column[] } {
  const { order, fills, journal } = details
  const text = (value: unknown, kind: 'time' | 'price') =>
    cellText(value, kind, { human: true, zone: true, ...style })
  const doubt = linesAsFields('settle', 'IN DOUBT', settleText(details))
  const filled = linesAsFields(
    'fill',
    'FILLS',
    fills.map(
      (fill) => `${text(fill.timestamp, 'time')}  ${fill.quantity} at ${text(fill.average_price, 'price')}`,
    ),
  )
  const events = linesAsFields(
    'event',
    'EVENTS',
    (journal?.events ?? []).map(({ at, from, to, detail }) => {
      const states = from === null ? to : `${from} → ${to}`
      return `${text(at, 'time')}  ${states}${detail ? `: ${detail}` : ''}`
    }),
  )
  return {
    record: { ...order, ...doubt.record, ...filled.record, ...events.record, raw: order, journal },
    fields: [
      ...doubt.fields,
      ...DETAIL_FIELDS,
      ...filled.fields,
      ...events.fields,
      { key: 'raw', title: 'RAW' },
      { key: 'journal', title: 'JOURNAL' },
    ],
  }
}

/** Returns the commands that end a doubt: a person must look at the broker's own book first. */
function settleText({ journal }: DetailsContent): readonly string[] {
  if (journal?.state !== 'unknown') return []
  const found = journal.candidates.map(({ id, status }) => `it may be ${id} (${status})`)
  return [
    ...found,
    `look at the order book of ${journal.broker}, then run one of`,
    `svc order settle ${journal.order_ref} --outcome accepted --orderid ID --reason TEXT`,
    `svc order settle ${journal.order_ref} --outcome rejected --reason TEXT`,
    `svc order settle ${journal.order_ref} --outcome filled --price PRICE --reason TEXT`,
  ]
}
