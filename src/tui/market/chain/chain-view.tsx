import { Text } from 'ink'
import { useLayoutEffect, useRef } from 'react'
import { visible } from '../../../views/table/cells.js'
import { symbolKey } from '../../../views/text/symbol.js'
import { windowOf } from '../../components/list/Table.js'
import { type Cursor, type CursorState, cursorOf, NO_CURSOR } from '../../components/list/use-list.js'
import { Kept, useKept } from '../../live/kept.js'
import { useQuotes } from '../../live/prices/quotes.js'
import { Doubts, FORGET_DOUBTS } from '../../question/Doubts.js'
import { drawnView } from '../../screen/fields-view.js'
import { FIGURES_ALONE } from '../../screen/first-line.js'
import { MOVE_KEYS } from '../../screen/list-view.js'
import type { Shown, ViewKey, WithOwn } from '../../screen/record.js'
import { figure } from '../symbol/lines.js'
import {
  BACK_KEY,
  type ChainPlace,
  LADDER_KEY,
  ORDER_KEY,
  type SymbolOwn,
  showAsked,
  usePanes,
  useSymbolActs,
} from '../symbol-acts.js'
import { type Underlying, underlyingOf } from '../symbol-key.js'
import { ChainBody } from './ChainBody.js'
import { type ChainRow, chainRows, expiryStrip, legText, symbolsOf } from './chain.js'
import { type Chain, ChainFeed } from './chain-feed.js'
import { entryOf, type Legs, type MarkedLeg, marked, since, sized } from './legs.js'
import { type ChainPayoff, chainPayoff } from './payoff.js'
import { tradeMarked } from './trade.js'

interface ChainOwn extends SymbolOwn {
  place: ChainPlace
  underlying: Underlying
  chain: Chain | undefined
  expiries: readonly string[]
  rows: readonly ChainRow[]
  cursor: Cursor<ChainRow>
  /** The side under the cursor in full. */
  note: string
  /** The payoff of the marked options; undefined without a mark. */
  payoff: ChainPayoff | undefined
  moveExpiry(by: -1 | 1): void
  /** Asks for the marked options as one basket. */
  trade(shown: Pick<Shown, 'daemon' | 'dialogs'>): void
  mark(): void
  /** Gives the option under the cursor more lots or fewer, if it is marked. */
  size(by: -1 | 1): void
  unmark(): void
}

type ChainSeen = Shown<Chain | undefined, ChainFeed>

/** The keys of the chain, in the order in which the last line names them. */
const CHAIN_KEYS: readonly ViewKey<Pick<Shown, 'daemon' | 'dialogs'> & WithOwn<ChainOwn>>[] = [
  {
    id: 'market.details',
    keys: ['enter'],
    does: 'details',
    explained: 'show facts, order book and chart of the option',
    command: 'svc depth <symbol>',
    act: ({ own }) => own.withSymbol((symbol) => own.panes.open({ kind: 'symbol', symbol })),
  },
  {
    id: 'chain.side',
    keys: ['right', 'left', 'l', 'h'],
    shown: '←→',
    does: 'side',
    explained: 'take the call or the put of the strike (also h and l)',
    act: ({ own: { panes, place } }) => panes.replace({ ...place, side: place.side === 'ce' ? 'pe' : 'ce' }),
  },
  {
    id: 'chain.next-expiry',
    keys: ['tab', ']'],
    shown: 'tab',
    does: 'expiry',
    explained: 'the next expiry (also ])',
    act: ({ own }) => own.moveExpiry(1),
  },
  {
    id: 'chain.previous-expiry',
    keys: ['shift-tab', '['],
    explained: 'the expiry before (also [)',
    act: ({ own }) => own.moveExpiry(-1),
  },
  {
    id: 'chain.mark',
    keys: ['space'],
    does: 'mark',
    explained: 'mark the option to buy, to sell, or not: shows the payoff',
    act: ({ own }) => own.mark(),
  },
  {
    id: 'chain.trade',
    keys: ['t'],
    does: 'trade',
    explained: 'review the marked options, and place them as one basket',
    command: 'svc order basket <file>',
    act: (shown) => shown.own.trade(shown),
  },
  BACK_KEY,
  ORDER_KEY,
  LADDER_KEY,
  {
    id: 'chain.more',
    keys: ['}'],
    shown: '{}',
    does: 'lots',
    explained: 'a lot more of the marked option',
    act: ({ own }) => own.size(1),
  },
  {
    id: 'chain.less',
    keys: ['{'],
    explained: 'a lot less of the marked option',
    act: ({ own }) => own.size(-1),
  },
  { ...FORGET_DOUBTS, id: 'chain.forget' },
  { id: 'chain.unmark', keys: ['x'], explained: 'remove all marks', act: ({ own }) => own.unmark() },
  {
    id: 'market.watch',
    keys: ['a'],
    does: 'add',
    explained: 'add the option to the watch list',
    act: ({ own }) => own.withSymbol(own.acts.watch),
  },
  ...MOVE_KEYS.map(({ act, when: _, ...key }) => ({
    ...key,
    act: ({ own }: WithOwn<ChainOwn>) => act({ move: own.cursor.move }),
  })),
]

/** A hook: returns the option chain of the top pane. */
function useChainOwn(seen: ChainSeen): ChainOwn {
  const { panes, top } = usePanes()
  if (top?.kind !== 'chain') throw new Error('No option chain is open')
  const place = top
  const underlying = underlyingOf(place.symbol)
  const { chain, expiries } = useChain(seen, underlying, place.expiry)
  const marks = useMarks(symbolKey(underlying))
  const { readAt } = seen.live
  const { rows, cursor, quotes } = useStrikes(chain, underlying, seen, marks.legs)
  const payoff = usePayoff(marks.legs, chain, underlying.venue, readAt)
  const strike = chain?.answer?.chain.find((one) => one.strike === cursor.selected?.id)
  const leg = strike?.[place.side]
  const symbol = leg ? `${underlying.venue}:${leg.symbol}` : undefined
  const note = strike
    ? legText(strike, place.side, symbol === undefined ? undefined : since(readAt, quotes.get(symbol)))
    : ''
  const say = (text: string) => seen.daemon.changes.say(text)
  const priced = useRef(payoff)
  useLayoutEffect(() => {
    priced.current = payoff
  })
  return {
    place,
    underlying,
    chain,
    expiries,
    rows,
    cursor,
    note,
    payoff,
    panes,
    acts: useSymbolActs(),
    withSymbol: (act) => (symbol === undefined ? say(note) : act(symbol)),
    moveExpiry(by) {
      const expiry = expiries[expiries.indexOf(place.expiry ?? expiries[0] ?? '') + by]
      if (expiry !== undefined) panes.replace({ ...place, expiry })
    },
    trade: (shown) =>
      tradeMarked({ ...marks, shownExpiry: chain?.expiry }, () => priced.current?.legs ?? [], shown),
    mark() {
      if (chain === undefined || strike === undefined || !leg || symbol === undefined) return say(note)
      const { side } = place
      const { lotsize } = leg
      const option = { symbol, side, strike: strike.strike, expiry: chain.expiry, lotsize }
      marks.keep(marked(marks.legs, option))
      say('')
    },
    size(by) {
      const isMarked = symbol !== undefined && marks.legs.some((one) => one.symbol === symbol)
      if (isMarked) marks.keep(sized(marks.legs, symbol, by))
      else say('The option under the cursor is not marked.')
    },
    unmark: () => marks.keep([]),
  }
}

/** The marked options by their underlying. */
const MARKS = new Kept<ReadonlyMap<string, Legs>>(new Map())
const NO_LEGS: Legs = []

/** Returns the marked options of an underlying. */
function useMarks(key: string) {
  const [all, keepAll] = useKept(MARKS)
  return {
    of: key,
    legs: all.get(key) ?? NO_LEGS,
    keep: (legs: Legs) => keepAll(new Map(all).set(key, legs)),
  }
}

/** Returns the payoff of the marked options, whose prices are live, also of those that the screen does not show. */
function usePayoff(
  legs: Legs,
  chain: Chain | undefined,
  venue: string,
  readAt: number,
): ChainPayoff | undefined {
  const quotes = useQuotes(legs.map(({ symbol }) => symbol))
  const readOf = ({ side, strike, symbol }: MarkedLeg) => {
    const read = chain?.answer?.chain.find((one) => one.strike === strike)?.[side] ?? null
    return read !== null && symbolKey({ exchange: venue, symbol: read.symbol }) === symbol ? read : null
  }
  const priced = legs.map((leg) => ({
    ...leg,
    entry: entryOf(leg, readOf(leg), quotes.get(leg.symbol), readAt),
  }))
  return chainPayoff(priced, venue, chain?.answer?.underlying_ltp)
}

/** The option chain of an underlying: calls left, puts right, one expiry at a time. */
export const chainView = drawnView({
  name: 'chain',
  feed: ChainFeed,
  use: useChainOwn,
  summary: ({ own, live, area }) => chainFigures(own, live.problem, area.width),
  firstLine: FIGURES_ALONE,
  place: ({ own }) => own.cursor.place,
  note: ({ own }) => own.note,
  // A price that grows old is dimmed.
  redrawMs: () => 1000,
  Draw({ shown: { live, now, own }, ...area }) {
    const { rows, cursor, chain, payoff, underlying } = own
    if (rows.length === 0) return <Text>{emptyText(underlying, chain, live.problem)}</Text>
    return (
      <ChainBody
        {...area}
        rows={rows}
        selected={cursor.selected?.id}
        money={chain?.answer?.atm_strike}
        payoff={payoff}
        venue={underlying.venue}
        now={now}
        isStale={live.problem !== undefined}
      />
    )
  },
  keys: CHAIN_KEYS,
  commonKeys: [],
  asked: showAsked,
  prepare: Doubts.watchedBy,
})

/** Returns the chain of an expiry; undefined while it is not read. */
function useChain({ content, feed }: ChainSeen, underlying: Underlying, expiry: string | undefined) {
  const key = symbolKey(underlying)
  // A layout effect comes before the feed is held, so that its first read is of the chosen one.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for the underlying
  useLayoutEffect(() => feed.choose(underlying, expiry), [feed, key, expiry])
  const isIts = content?.key === key
  const chain = isIts && (expiry ?? content.expiries[0] ?? '') === content.expiry ? content : undefined
  return { chain, expiries: isIts ? content.expiries : [] }
}

/** The cursor of the last chain, by its underlying and expiry. */
const CURSOR = new Kept<{ of: string; state: CursorState }>({ of: '', state: NO_CURSOR })

/** Returns the strikes with a cursor, which begins at the money. The prices of the rows on the screen are live. */
function useStrikes(chain: Chain | undefined, { venue }: Underlying, seen: ChainSeen, legs: Legs) {
  const { area, live, now } = seen
  const [kept, keep] = useKept(CURSOR)
  const strikes = chain?.answer?.chain ?? []
  const money = chain?.answer?.atm_strike
  const of = `${chain?.key} ${chain?.expiry}`
  const begun = { ...NO_CURSOR, chosen: money, at: strikes.findIndex(({ strike }) => strike === money) }
  const state = kept.of === of ? kept.state : begun
  const ids = strikes.map(({ strike }) => ({ id: strike }))
  const { selected, ...moves } = cursorOf(ids, state, (next) => keep({ of, state: next }))
  const shown = windowOf(
    strikes,
    strikes.findIndex(({ strike }) => strike === selected?.id),
    area.height - 1,
  )
  const quotes = useQuotes(symbolsOf(shown, venue))
  const rows = chainRows(strikes, venue, { quotes, readAt: live.readAt, now }, legs)
  const cursor: Cursor<ChainRow> = { ...moves, selected: rows.find(({ id }) => id === selected?.id) }
  return { rows, cursor, quotes }
}

function chainFigures(own: ChainOwn, problem: string | undefined, width: number): string {
  const { underlying, chain, expiries, place } = own
  const name = symbolKey(underlying)
  if (problem !== undefined) return `${name}: no new prices: ${problem}`
  const answer = chain?.answer
  const money =
    answer === undefined
      ? ''
      : ` ${figure(answer.underlying_ltp, 'price')}  * ATM ${figure(answer.atm_strike, 'quantity')}`
  const head = `${name}${money}  `
  // The line begins with a space, and ends with the place of the cursor after two more.
  const room = width - own.cursor.place.length - 3 - head.length
  return `${head}${expiryStrip(expiries, place.expiry ?? expiries[0] ?? '', room)}`
}

function emptyText(underlying: Underlying, chain: Chain | undefined, problem: string | undefined): string {
  const name = visible(symbolKey(underlying))
  if (chain !== undefined) return `${name} has no options on ${underlying.venue}.`
  return problem === undefined ? `Reading the options of ${name} …` : 'The option chain cannot be read now.'
}
