import { useContext, useEffect } from 'react'
import { DETAIL_FIELDS } from '../../views/orders/order.js'
import { cellText } from '../../views/table/cells.js'
import type { Column } from '../../views/table/column.js'
import { Fields } from '../components/Fields.js'
import { Notice } from '../components/Notice.js'
import { useDaemon, useFeed } from '../live/use-daemon.js'
import type { Area } from '../terminal/size.js'
import { ThemeContext } from '../terminal/theme.js'
import { useNow } from '../terminal/use-now.js'
import { type OrderDetails as Details, OrderDetailsFeed } from './details.js'

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
  return <Fields {...area} {...{ now, ...detailsRecord(content, { utc, now }) }} />
}

interface Style {
  utc: boolean
  now: number
}

/** Returns the details as fields: one line for each fill and each event. */
export function detailsRecord(details: Details, style: Style): { record: object; fields: readonly Column[] } {
  const { order, fills, journal } = details
  const text = (value: unknown, kind: 'time' | 'price') =>
    cellText(value, kind, { human: true, zone: true, ...style })
  const lines = {
    ...named('settle', 'IN DOUBT', settleText(details)),
    ...named(
      'fill',
      'FILLS',
      fills.map(
        (fill) => `${text(fill.timestamp, 'time')}  ${fill.quantity} at ${text(fill.average_price, 'price')}`,
      ),
    ),
    ...named(
      'event',
      'EVENTS',
      (journal?.events ?? []).map(({ at, from, to, detail }) => {
        const states = from === null ? to : `${from} → ${to}`
        return `${text(at, 'time')}  ${states}${detail ? `: ${detail}` : ''}`
      }),
    ),
  }
  const first = Object.entries(lines).filter(([key]) => key.startsWith('settle'))
  const rest = Object.entries(lines).filter(([key]) => !key.startsWith('settle'))
  const columns = (entries: typeof first): readonly Column[] =>
    entries.map(([key, { title }]) => ({ key, title, kind: 'text' }))
  return {
    record: {
      ...order,
      ...Object.fromEntries(Object.entries(lines).map(([key, { value }]) => [key, value])),
      raw: order,
      journal,
    },
    fields: [
      ...columns(first),
      ...DETAIL_FIELDS,
      ...columns(rest),
      { key: 'raw', title: 'RAW' },
      { key: 'journal', title: 'JOURNAL' },
    ],
  }
}

/** Returns lines as fields, of which only the first has the title. */
function named(
  key: string,
  title: string,
  values: readonly string[],
): Record<string, { title: string; value: string }> {
  return Object.fromEntries(
    values.map((value, index) => [`${key}${index}`, { title: index === 0 ? title : '', value }]),
  )
}

/** Returns the commands that end a doubt: a person must look at the broker's own book first. */
function settleText({ journal }: Details): readonly string[] {
  if (journal?.state !== 'unknown') return []
  return [
    `look at the order book of ${journal.broker}, then run one of`,
    `svc order settle ${journal.order_ref} --outcome accepted --orderid ID --reason TEXT`,
    `svc order settle ${journal.order_ref} --outcome rejected --reason TEXT`,
    `svc order settle ${journal.order_ref} --outcome filled --price PRICE --reason TEXT`,
  ]
}
