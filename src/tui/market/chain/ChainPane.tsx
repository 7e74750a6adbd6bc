import { Text } from 'ink'
import { useEffect } from 'react'
import { visible } from '../../../views/table/cells.js'
import { symbolKey } from '../../../views/text/symbol.js'
import { Table, windowOf } from '../../components/list/Table.js'
import { type Cursor, type CursorState, cursorOf, NO_CURSOR } from '../../components/list/use-list.js'
import { type Binding, type Moves, moves } from '../../keys/bindings.js'
import { Kept, useKept } from '../../live/kept.js'
import { useQuotes } from '../../live/prices/quotes.js'
import { useDaemon, useFeed } from '../../live/use-daemon.js'
import { FRAME_LINES, ScreenFrame } from '../../screen/ScreenFrame.js'
import { useNow } from '../../terminal/use-now.js'
import { figure } from '../symbol/lines.js'
import {
  backKey,
  type ChainPlace,
  orderKey,
  type PaneProps,
  type SymbolState,
  useSymbolActs,
} from '../symbol-acts.js'
import { type Underlying, underlyingOf } from '../symbol-key.js'
import { type ChainRow, COLUMNS, chainRows, expiryStrip, legText, symbolsOf } from './chain.js'
import { type Chain, ChainFeed } from './chain-feed.js'

interface ChainState extends SymbolState, Moves {
  place: ChainPlace
  moveExpiry(by: -1 | 1): void
}

/** The keys of the chain, in the order in which the last line names them. */
export const CHAIN_KEYS: readonly Binding<'chain', ChainState>[] = [
  {
    id: 'market.details',
    in: ['chain'],
    keys: ['enter'],
    does: 'details',
    explained: 'show facts, order book and chart of the option',
    command: 'svc depth <symbol>',
    act: ({ ways, withSymbol }) => withSymbol((symbol) => ways.open({ kind: 'symbol', symbol })),
  },
  {
    id: 'chain.side',
    in: ['chain'],
    keys: ['right', 'left', 'l', 'h'],
    shown: '←→',
    does: 'side',
    explained: 'take the call or the put of the strike (also h and l)',
    act: ({ ways, place }) => ways.replace({ ...place, side: place.side === 'ce' ? 'pe' : 'ce' }),
  },
  {
    id: 'chain.next-expiry',
    in: ['chain'],
    keys: ['tab', ']'],
    shown: 'tab',
    does: 'expiry',
    explained: 'the next expiry (also ])',
    act: ({ moveExpiry }) => moveExpiry(1),
  },
  {
    id: 'chain.previous-expiry',
    in: ['chain'],
    keys: ['shift-tab', '['],
    explained: 'the expiry before (also [)',
    act: ({ moveExpiry }) => moveExpiry(-1),
  },
  orderKey('chain'),
  {
    id: 'market.watch',
    in: ['chain'],
    keys: ['a'],
    does: 'add',
    explained: 'add the option to the watch list',
    act: ({ acts, withSymbol }) => withSymbol(acts.watch),
  },
  backKey('chain'),
  ...moves<'chain'>(['chain']),
]

interface ChainPaneProps extends PaneProps {
  place: ChainPlace
}

/** The option chain of an underlying: calls left, puts right, one expiry at a time. */
export function ChainPane({ width, height, ways, place }: ChainPaneProps) {
  const daemon = useDaemon()
  const underlying = underlyingOf(place.symbol)
  const { chain, problem, expiries } = useChain(underlying, place.expiry)
  const now = useNow(60_000)
  const acts = useSymbolActs()
  const { rows, cursor, quotes } = useStrikes(chain, underlying, height - FRAME_LINES - 1)
  const strike = chain?.answer?.chain.find((one) => one.strike === cursor.selected?.id)
  const leg = strike?.[place.side]
  const symbol = leg ? `${underlying.venue}:${leg.symbol}` : undefined
  const note = strike
    ? legText(strike, place.side, symbol === undefined ? undefined : quotes.get(symbol))
    : ''
  const state: ChainState = {
    move: cursor.move,
    ways,
    acts,
    place,
    withSymbol: (act) => (symbol === undefined ? daemon.changes.say(note) : act(symbol)),
    moveExpiry(by) {
      const expiry = expiries[expiries.indexOf(place.expiry ?? expiries[0] ?? '') + by]
      if (expiry !== undefined) ways.replace({ ...place, expiry })
    },
  }
  const money = chain?.answer?.atm_strike
  return (
    <ScreenFrame
      width={width}
      height={height}
      keys={CHAIN_KEYS}
      pane="chain"
      state={state}
      note={note}
      summary={chainFigures({ underlying, chain, problem, expiries, chosen: place.expiry, width })}
    >
      {(area) =>
        rows.length === 0 ? (
          <Text>{emptyText(underlying, chain, problem)}</Text>
        ) : (
          <Table
            {...area}
            rows={rows}
            columns={COLUMNS}
            selected={cursor.selected?.id}
            now={now}
            marked={new Set(money === undefined ? [] : [money])}
            isStale={problem !== undefined}
          />
        )
      }
    </ScreenFrame>
  )
}

/** Returns the chain of an expiry; undefined while it is not read. */
function useChain(underlying: Underlying, expiry: string | undefined) {
  const feed = useDaemon().part(ChainFeed)
  const key = symbolKey(underlying)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for the underlying
  useEffect(() => feed.choose(underlying, expiry), [feed, key, expiry])
  const { content, problem } = useFeed(feed)
  const isIts = content?.key === key
  const chain = isIts && (expiry ?? content.expiries[0] ?? '') === content.expiry ? content : undefined
  return { chain, problem, expiries: isIts ? content.expiries : [] }
}

/** The cursor of the last chain, by its underlying and expiry. */
const CURSOR = new Kept<{ of: string; state: CursorState }>({ of: '', state: NO_CURSOR })

/** Returns the strikes with a cursor, which begins at the money. The prices of the rows on the screen are live. */
function useStrikes(chain: Chain | undefined, { venue }: Underlying, height: number) {
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
    height,
  )
  const quotes = useQuotes(symbolsOf(shown, venue))
  const rows = chainRows(strikes, venue, quotes)
  const cursor: Cursor<ChainRow> = { ...moves, selected: rows.find(({ id }) => id === selected?.id) }
  return { rows, cursor, quotes }
}

interface ShownChain {
  underlying: Underlying
  chain: Chain | undefined
  problem: string | undefined
  expiries: readonly string[]
  chosen: string | undefined
  width: number
}

function chainFigures({ underlying, chain, problem, expiries, chosen, width }: ShownChain): string {
  const name = symbolKey(underlying)
  if (problem !== undefined) return `${name}: no new prices: ${problem}`
  const answer = chain?.answer
  const money =
    answer === undefined
      ? ''
      : ` ${figure(answer.underlying_ltp, 'price')}  * at the money ${figure(answer.atm_strike, 'quantity')}`
  const head = `${name}${money}  `
  return `${head}${expiryStrip(expiries, chosen ?? expiries[0] ?? '', width - head.length - 1)}`
}

function emptyText(underlying: Underlying, chain: Chain | undefined, problem: string | undefined): string {
  const name = visible(symbolKey(underlying))
  if (chain !== undefined) return `${name} has no options on ${underlying.venue}.`
  return problem === undefined ? `Reading the options of ${name} …` : 'The option chain cannot be read now.'
}
