import { type AnswerOf, type SvcClient, SvcError } from '../../../client/index.js'
import { messageOf } from '../../../core/errors/index.js'
import { istDate } from '../../../core/time/index.js'
import type { Point } from '../../components/chart/braille.js'
import type { LiveDaemon } from '../../live/daemon.js'
import { Feed } from '../../live/feed.js'
import { type Quote, quoteOf } from '../../live/prices/quote.js'
import { parsedSymbol } from '../symbol-key.js'

export type Facts = AnswerOf<'symbol'>['data']

/** The facts, the prices and the last session of one symbol. */
export interface SymbolDetails {
  /** The symbol that all of this belongs to: `NSE:SBIN`. */
  key: string
  facts: Facts
  quote: Quote | undefined
  bars: readonly Bar[]
  /** The time of the bars in milliseconds. */
  barsAt: number
  /** The reason why prices are missing. */
  problem: string | undefined
}

/** The bars of a session are far apart; the last price comes live. */
const BARS_MS = 60_000
const INTERVAL = '5m'
/** The last session began at most so long ago: a weekend and holidays may lie between. */
const SESSION_WITHIN_MS = 5 * 86_400_000

type Content = SymbolDetails | undefined

/** The symbol whose details are on the screen. */
export class SymbolFeed extends Feed<Content> {
  #chosen: string | undefined

  constructor(daemon: LiveDaemon) {
    super(
      daemon,
      {
        read: (client, before) => this.#read(client, before),
        isChangedBy: ({ event }) => event === 'active_sessions_update',
        pauseMs: 10_000,
        gatherMs: 250,
      },
      undefined,
    )
  }

  choose(key: string): void {
    if (key === this.#chosen) return
    this.#chosen = key
    void this.refresh()
  }

  async #read(client: SvcClient, shown: Content): Promise<Content> {
    const key = this.#chosen
    if (key === undefined) return undefined
    const before = shown?.key === key ? shown : undefined
    const facts = before?.facts ?? (await client.call('symbol', parsedSymbol(key))).data
    const [book, session] = await Promise.all([readBook(client, key, before), readBars(client, key, before)])
    return { key, facts, ...session, ...book }
  }
}

type BookPart = Pick<SymbolDetails, 'quote' | 'problem'>

/** Without a broker there is no book; the facts are still there. */
async function readBook(client: SvcClient, key: string, before: Content): Promise<BookPart> {
  try {
    return { quote: quoteOfBook((await client.call('depth', parsedSymbol(key))).data), problem: undefined }
  } catch (thrown) {
    if (!(thrown instanceof SvcError)) throw thrown
    return { quote: before?.quote, problem: messageOf(thrown) }
  }
}

function quoteOfBook(data: AnswerOf<'depth'>['data']): Quote {
  const { bids, asks, totalbuyqty, totalsellqty, ...prices } = data
  const [bid, ask] = [bids[0]?.price ?? 0, asks[0]?.price ?? 0]
  return {
    ...quoteOf({ ...prices, bid, ask }, Date.now()),
    totalBuy: totalbuyqty,
    totalSell: totalsellqty,
    depth: { buy: bids, sell: asks },
  }
}

type BarsPart = Pick<SymbolDetails, 'bars' | 'barsAt'>

/** Some symbols have no bars, and some brokers sell them separately. */
async function readBars(client: SvcClient, key: string, before: Content): Promise<BarsPart> {
  const now = Date.now()
  if (before !== undefined && now - before.barsAt < BARS_MS)
    return { bars: before.bars, barsAt: before.barsAt }
  const days = { start_date: istDate(now - SESSION_WITHIN_MS), end_date: istDate(now) }
  try {
    const { data } = await client.call('history', { ...parsedSymbol(key), interval: INTERVAL, ...days })
    return { bars: lastSession(data), barsAt: now }
  } catch (thrown) {
    if (!(thrown instanceof SvcError)) throw thrown
    return { bars: before?.bars ?? [], barsAt: now }
  }
}

export type Bar = Pick<AnswerOf<'history'>['data'][number], 'timestamp' | 'close'>

/** Returns the bars of the last day among them. */
export function lastSession<One extends Bar>(bars: readonly One[]): readonly One[] {
  const last = bars.at(-1)
  return last === undefined ? [] : bars.filter((bar) => barDate(bar) === barDate(last))
}

/** Returns the points of a session, the live price last while the session lasts. */
export function pointsOf(bars: readonly Bar[], quote: Quote | undefined): readonly Point[] {
  const points = bars.map(({ timestamp, close }) => ({ time: timestamp * 1000, value: close }))
  const last = bars.at(-1)
  const isOf = quote !== undefined && last !== undefined && istDate(quote.at) === barDate(last)
  return isOf ? [...points, { time: Math.max(quote.at, last.timestamp * 1000), value: quote.ltp }] : points
}

const barDate = ({ timestamp }: Bar) => istDate(timestamp * 1000)
