import { Box, Text } from 'ink'
import { useEffect, useLayoutEffect } from 'react'
import { type OrderRecord, valueAt } from '../../../client/answers/records.js'
import { visible } from '../../../views/table/cells.js'
import { countText } from '../../../views/text/count.js'
import { symbolKey } from '../../../views/text/symbol.js'
import type { Live } from '../../live/feed.js'
import { isOld, newest } from '../../live/prices/quote.js'
import { useQuotes } from '../../live/prices/quotes.js'
import { useDaemon, useFeed, useIsStale } from '../../live/use-daemon.js'
import { IN_DOUBT, OrderFeed } from '../../orders/feed.js'
import type { OrderBody } from '../../orders/form/draft.js'
import { productsOf } from '../../orders/form/fields.js'
import { type TypedSymbol, typedSymbol } from '../../orders/form/instrument.js'
import { PositionFeed, type PositionRow } from '../../positions/feeds.js'
import { Doubts, FORGET_DOUBTS } from '../../question/Doubts.js'
import { drawnView } from '../../screen/fields-view.js'
import { FIGURES_ALONE } from '../../screen/first-line.js'
import { MOVE_KEYS } from '../../screen/list-view.js'
import type { Shown, ViewKey, WithOwn } from '../../screen/record.js'
import { PaintedLine } from '../../terminal/PaintedLine.js'
import { figure } from '../symbol/lines.js'
import { type SymbolDetails, SymbolFeed } from '../symbol/symbol-feed.js'
import { type LadderPlace, type SymbolOwn, showAsked, usePanes, useSymbolActs } from '../symbol-acts.js'
import { LadderTable } from './LadderTable.js'
import { cancelAt, type LadderPoint, moveHere, moveText, orderAt, placeAt, pointText } from './ladder-acts.js'
import {
  crossingAt,
  type LadderFacts,
  nextOrderBelow,
  priceAt,
  type Rung,
  rungsFrom,
  ticksAt,
  ticksOfOrder,
  topFor,
} from './rungs.js'

type Seen = Shown<SymbolDetails | undefined, SymbolFeed>

/** What the ladder shows, and what its keys act on. */
interface Ladder {
  point: LadderPoint
  rungs: readonly Rung[]
  facts: LadderFacts
  top: number
  lot: number
  /** The open positions in the symbol, of all products. */
  positions: readonly PositionRow[]
  /** The order on the move, while it waits. */
  moving: OrderRecord | undefined
  isStale: boolean
}

interface LadderOwn extends SymbolOwn {
  place: LadderPlace
  /** Undefined while the symbol or its price is not known. */
  ladder: Ladder | undefined
}

type LadderShown = Seen & WithOwn<LadderOwn>

/** The lines beside the rungs: the heading, and what the keys would do. */
const AROUND = 2

/** Returns an act on the ladder; without one there is nothing to act on. */
const on =
  (act: (ladder: Ladder, shown: LadderShown) => void) =>
  (shown: LadderShown): void => {
    if (shown.own.ladder === undefined) shown.daemon.changes.say('The ladder has no price yet.')
    else act(shown.own.ladder, shown)
  }

const placed = (change: Partial<LadderPlace>, { own }: LadderShown) =>
  own.panes.replace({ ...own.place, ...change })

/** Puts the cursor on a price, in the middle of the window. */
function centred(at: number, { own }: LadderShown): void {
  const { top: _, ...place } = own.place
  own.panes.replace({ ...place, at })
}

/** The order is left where it is. */
function stayed({ own }: LadderShown): void {
  const { moving: _, ...place } = own.place
  own.panes.replace(place)
}

const sized = (by: number) =>
  on(({ lot, point }, shown) => placed({ quantity: Math.max(lot, point.quantity + by * lot) }, shown))

/** Takes the order under the cursor on the move, or asks for the move of the one that is. */
const moved = on(({ moving, point }, shown) => {
  if (moving !== undefined) return moveHere(moving, point, shown, () => stayed(shown))
  const order = orderAt(point, shown)
  if (order !== undefined) placed({ moving: order.orderid }, shown)
})

/** Moves by a price or by a page; c is the way back to the last price. */
const STEPS = MOVE_KEYS.filter(({ id }) => !['list.first', 'list.last'].includes(id))

const LADDER_KEYS: readonly ViewKey<LadderShown>[] = [
  {
    id: 'ladder.buy',
    keys: ['b'],
    does: 'buy',
    explained: 'a limit order to buy at the cursor',
    command: 'svc order place <symbol>',
    act: on(({ point }, shown) => placeAt(point, 'BUY', shown)),
  },
  {
    id: 'ladder.sell',
    keys: ['s'],
    does: 'sell',
    explained: 'a limit order to sell at the cursor',
    command: 'svc order place <symbol>',
    act: on(({ point }, shown) => placeAt(point, 'SELL', shown)),
  },
  {
    id: 'ladder.move',
    keys: ['enter', 'm'],
    shown: 'enter',
    does: 'move',
    explained: 'take the order, and put it down at another price (also m)',
    command: 'svc order modify <orderid> --price <price>',
    act: moved,
  },
  {
    id: 'ladder.cancel',
    keys: ['x'],
    does: 'cancel',
    explained: 'cancel the order under the cursor',
    command: 'svc order cancel <orderid>',
    act: on(({ point }, shown) => cancelAt(point, shown)),
  },
  { id: 'ladder.more', keys: [']'], shown: '[]', does: 'size', explained: 'a lot more', act: sized(1) },
  { id: 'ladder.less', keys: ['['], explained: 'a lot less', act: sized(-1) },
  { id: 'ladder.ten-more', keys: ['}'], explained: 'ten lots more', act: sized(10) },
  { id: 'ladder.ten-less', keys: ['{'], explained: 'ten lots less', act: sized(-10) },
  {
    id: 'ladder.product',
    keys: ['p'],
    explained: 'the other product of the exchange',
    act: on(({ point }, shown) => {
      const other = productsOf(point.symbol.exchange).find((one) => one !== point.product)
      if (other !== undefined) placed({ product: other }, shown)
    }),
  },
  {
    id: 'ladder.next-order',
    keys: ['o'],
    explained: 'the next own order below, then the highest again',
    act: on(({ facts: { orders, tick }, point }, shown) => {
      const at = nextOrderBelow(orders, point.at, tick)
      if (at === undefined) shown.daemon.changes.say('No own order of this symbol waits.')
      else centred(at, shown)
    }),
  },
  {
    id: 'ladder.centre',
    keys: ['c'],
    explained: 'put the cursor on the last price, in the middle',
    act: on(({ facts: { quote, tick } }, shown) => centred(ticksAt(quote.ltp, tick), shown)),
  },
  {
    id: 'ladder.back',
    keys: ['esc', 'q'],
    does: 'back',
    explained: 'leave a moving order where it is, or back (also q)',
    act: (shown) => (shown.own.place.moving === undefined ? shown.own.panes.back() : stayed(shown)),
  },
  { ...FORGET_DOUBTS, id: 'ladder.forget' },
  ...STEPS.map(({ act, when: _, ...key }) => ({
    ...key,
    // Up is a higher price.
    act: on(({ point, top }, shown) =>
      act({ move: (by: number) => placed({ at: Math.max(1, point.at - by), top }, shown) }),
    ),
  })),
]

/** A hook: returns the ladder of the top pane with its newest prices. */
function useLadderOwn(seen: Seen): LadderOwn {
  const { panes, top } = usePanes()
  if (top?.kind !== 'ladder') throw new Error('No ladder is open')
  const ladder = useLadder(seen, top)
  const at = ladder?.point.at
  // The cursor stays where it was seen first: it does not run with the price.
  useEffect(() => {
    if (top.at === undefined && at !== undefined) panes.replace({ ...top, at })
  }, [panes, top, at])
  return {
    place: top,
    ladder,
    panes,
    acts: useSymbolActs(),
    withSymbol: (act) => act(top.symbol),
  }
}

function useLadder({ area, content, feed, live, now }: Seen, place: LadderPlace): Ladder | undefined {
  const daemon = useDaemon()
  // A layout effect comes before the feed is held, so that its first read is of the chosen one.
  useLayoutEffect(() => feed.choose(place.symbol), [feed, place.symbol])
  const quotes = useQuotes([place.symbol], 'depth')
  const [book, held] = [useFeed(daemon.part(OrderFeed)), useFeed(daemon.part(PositionFeed))]
  const isLost = useIsStale()
  const details = content?.key === place.symbol ? content : undefined
  const quote = newest(details?.quote, quotes.get(place.symbol))
  const symbol = typedSymbol(place.symbol)
  const { tick_size: tick = 0, lotsize: lot = 1 } = details?.facts ?? {}
  if (quote === undefined || symbol === undefined || tick <= 0) return undefined
  const isOf = (row: Pick<OrderRecord, 'symbol' | 'exchange'>) => symbolKey(row) === symbolKey(symbol)
  const positions = held.content.filter((row) => isOf(row) && row.quantity !== 0)
  const product = place.product ?? productFor(symbol, positions)
  const average = positions.find((row) => row.product === product)?.average_price ?? 0
  const facts = { tick, quote, orders: book.content.filter(isOf), average }
  const at = place.at ?? ticksAt(quote.ltp, tick)
  const height = area.height - AROUND
  const top = topFor(at, height, place.top)
  const quantity = place.quantity ?? lot
  const unread = unreadText(book, 'orders') ?? unreadText(held, 'positions')
  return {
    ...{ facts, lot, positions, top },
    point: { symbol, tick, at, quantity, product, orders: facts.orders, unread },
    rungs: rungsFrom(top, height, facts),
    moving: facts.orders.find((one) => one.orderid === place.moving && ticksOfOrder(one, tick) !== undefined),
    isStale: isLost || (live.problem ?? unread) !== undefined || isOld(quote, now),
  }
}

/** Returns the product of the position that is open, if there is one; otherwise the first of the exchange. */
function productFor({ exchange }: TypedSymbol, positions: readonly PositionRow[]): OrderBody['product'] {
  const products = productsOf(exchange)
  const [only, ...others] = positions
  return products.find((one) => others.length === 0 && one === only?.product) ?? products[0]
}

/** Returns why rows may not be those of now; undefined if they are. */
function unreadText({ problem, readAt }: Omit<Live<unknown>, 'content'>, rows: string): string | undefined {
  if (problem !== undefined) return `The ${rows} could not be read: ${problem}`
  return readAt === 0 ? `The ${rows} are being read.` : undefined
}

/** The prices of a symbol as a ladder: the book, the own orders, and the limit orders that keys place, move and cancel. */
export const ladderView = drawnView({
  name: 'ladder',
  feed: SymbolFeed,
  use: useLadderOwn,
  summary: ({ live, own }) => summaryOf(own, live.problem),
  firstLine: FIGURES_ALONE,
  redrawMs: () => 1000,
  Draw({ shown: { live, own }, ...area }) {
    const { ladder, place } = own
    if (ladder === undefined) {
      const name = visible(place.symbol)
      return <Text>{live.problem === undefined ? `Reading ${name} …` : `${name} has no price.`}</Text>
    }
    const { isStale, point, rungs } = ladder
    return (
      <Box flexDirection="column" height={area.height}>
        <LadderTable {...area} height={area.height - 1} rungs={rungs} at={point.at} isStale={isStale} />
        <PaintedLine parts={[{ text: reviewLine(ladder), tone: 'accent' }]} width={area.width} />
      </Box>
    )
  },
  keys: LADDER_KEYS,
  commonKeys: [],
  asked: showAsked,
  prepare: Doubts.watchedBy,
})

function summaryOf({ ladder, place }: LadderOwn, problem: string | undefined): string {
  if (problem !== undefined) return `${place.symbol}: ${problem}`
  if (ladder === undefined) return place.symbol
  const { facts, point, positions } = ladder
  const price = `${place.symbol} * ${figure(facts.quote.ltp, 'price')}`
  if (point.unread !== undefined) return `${price}  ${point.unread}`
  const waiting = facts.orders.filter((one) => ticksOfOrder(one, facts.tick) !== undefined).length
  const doubts = facts.orders.filter(({ order_status }) => order_status === IN_DOUBT).length
  return [
    price,
    positions.length === 0 ? 'no position' : positions.map(positionText).join('  '),
    `${countText(waiting, 'order')} wait${waiting === 1 ? 's' : ''}`,
    ...(doubts === 0 ? [] : [`${doubts} IN DOUBT`]),
  ].join('  ')
}

const positionText = ({ average_price, product, quantity }: PositionRow) =>
  `${product} ${figure(quantity, 'quantity')} @ ${figure(average_price, 'price')}`

function reviewLine({ facts, moving, point }: Ladder): string {
  if (moving !== undefined) return moveText(moving, point)
  // The contracts of this exchange have sizes that their facts do not name; the review knows them.
  const isSized = point.symbol.exchange !== 'CRYPTO'
  const value = isSized ? valueAt(point, priceAt(point.at, facts.tick)) : undefined
  return pointText(point, crossingAt(point.at, facts), value)
}
