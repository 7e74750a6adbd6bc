import { Text } from 'ink'
import { useEffect } from 'react'
import { visible } from '../../../views/table/cells.js'
import { Table, windowOf } from '../../components/list/Table.js'
import { type Cursor, type CursorState, cursorOf, NO_CURSOR } from '../../components/list/use-cursor.js'
import { useBindings } from '../../keys/bindings.js'
import { Kept, useKept } from '../../live/kept.js'
import { useQuotes } from '../../live/prices/use-quotes.js'
import { useDaemon, useFeed } from '../../live/use-daemon.js'
import { FRAME_LINES, ScreenFrame } from '../../screen/ScreenFrame.js'
import { useNow } from '../../terminal/use-now.js'
import { CHAIN_KEYS } from '../keys.js'
import type { ChainPlace, PaneProps } from '../pane.js'
import { figure } from '../symbol/lines.js'
import { keyOf } from '../symbol-key.js'
import { useSymbolActs } from '../use-symbol-acts.js'
import { type ChainRow, COLUMNS, chainRows, expiryStrip, legText, symbolsOf } from './chain.js'
import { type Chain, ChainFeed } from './chain-feed.js'
import { type Underlying, underlyingOf } from './underlying.js'

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
  const onLeg = (act: (symbol: string) => void) => () =>
    symbol === undefined ? daemon.changes.say(note) : act(symbol)
  useBindings(CHAIN_KEYS, 'chain', {
    move: cursor.move,
    details: onLeg((one) => ways.open({ kind: 'symbol', symbol: one })),
    order: onLeg(acts.order),
    add: onLeg(acts.watch),
    side: () => ways.replace({ ...place, side: place.side === 'ce' ? 'pe' : 'ce' }),
    expiry(by) {
      const expiry = expiries[expiries.indexOf(place.expiry ?? expiries[0] ?? '') + by]
      if (expiry !== undefined) ways.replace({ ...place, expiry })
    },
    back: ways.back,
  })
  const money = chain?.answer?.atm_strike
  return (
    <ScreenFrame
      {...{ width, height, bindings: CHAIN_KEYS, pane: 'chain', note }}
      summary={summaryOf({ underlying, chain, problem, expiries, chosen: place.expiry, width })}
    >
      {(area) =>
        rows.length === 0 ? (
          <Text>{emptyText(underlying, chain, problem)}</Text>
        ) : (
          <Table
            {...{ ...area, rows, columns: COLUMNS, selected: cursor.selected?.id, now }}
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
  const key = keyOf(underlying)
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

interface SummaryParts {
  underlying: Underlying
  chain: Chain | undefined
  problem: string | undefined
  expiries: readonly string[]
  chosen: string | undefined
  width: number
}

function summaryOf({ underlying, chain, problem, expiries, chosen, width }: SummaryParts): string {
  const name = keyOf(underlying)
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
  const name = visible(keyOf(underlying))
  if (chain !== undefined) return `${name} has no options on ${underlying.venue}.`
  return problem === undefined ? `Reading the options of ${name} …` : 'The option chain cannot be read now.'
}
