import { NoAnswerError, StreamError } from '../../../client/errors.js'
import { followMarket, type MarketFrame, type TickMode } from '../../../client/market.js'
import type { Column } from '../../../views/table/column.js'
import type { NounSpec } from '../../framework/command/command.js'
import type { Context } from '../../framework/context.js'
import { CliError, usageError } from '../../framework/errors.js'
import { EXIT, type ExitStatus } from '../../framework/exit-codes.js'
import { noAnswerError } from '../../http/no-answer.js'
import { repaint } from '../../output/watch.js'
import { instrumentsOf, symbolsArgument } from './symbols.js'

const MODES: readonly TickMode[] = ['ltp', 'quote', 'depth']
const REPAINT_MS = 250
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 10_000

const TICKS = [
  { key: 'symbol' },
  { key: 'exchange', title: 'EXCH' },
  { key: 'ltp', title: 'LAST', kind: 'price' },
  { key: 'change', kind: 'change' },
  { key: 'change_percent', title: 'CHANGE %', kind: 'signed' },
  { key: 'bid_price', title: 'BID', kind: 'price' },
  { key: 'ask_price', title: 'ASK', kind: 'price' },
  { key: 'volume', kind: 'quantity' },
  { key: 'timestamp', title: 'TIME', kind: 'time' },
  { key: 'ltt', title: 'LAST TRADE', kind: 'time', wide: true },
] as const satisfies readonly Column[]

/** The exit status for the close code or HTTP status that ended the stream. */
const ENDS: Readonly<Record<number, ExitStatus>> = {
  4401: EXIT.denied,
  401: EXIT.denied,
  403: EXIT.denied,
  404: EXIT.notFound,
}

export const stream: NounSpec = {
  summary:
    'Shows live prices: a table on a terminal, one JSON object per line in a pipe. Reconnects automatically.',
  examples: ['stream SBIN INFY', 'stream NSE_INDEX:NIFTY --mode ltp', 'stream SBIN --jsonl --count 100'],
  arguments: [symbolsArgument('NSE')],
  columns: TICKS,
  options: [
    { flags: '--mode <mode>', summary: 'ltp, quote (default) or depth', choices: MODES },
    { flags: '--count <n>', summary: 'stop after this many prices' },
  ],
  async run(context, input) {
    const count = input.number('count') ?? Infinity
    if (count < 1) throw usageError('--count must be at least 1.')
    const mode = MODES.find((known) => known === input.text('mode')) ?? 'quote'
    const show = context.out.isHuman ? table(context) : await line(context)
    let shown = 0
    for await (const frame of prices(context, input.words(0), mode)) {
      shown += 1
      await show(frame, shown >= count)
      if (shown >= count) break
    }
    return EXIT.done
  },
}

/** Yields prices endlessly; reconnects when the connection breaks. */
async function* prices(
  context: Context,
  words: readonly string[],
  mode: TickMode,
): AsyncGenerator<MarketFrame> {
  const { trust } = context
  const { url } = context.target
  const options = { symbols: instrumentsOf(words), mode, trust, signal: context.io.interrupts() }
  let [everConnected, pause] = [false, FIRST_PAUSE_MS]
  for (;;) {
    try {
      for await (const frame of followMarket(url, context.apiKey, options)) {
        ;[everConnected, pause] = [true, FIRST_PAUSE_MS]
        yield frame
      }
    } catch (thrown) {
      if (thrown instanceof StreamError)
        throw new CliError(ENDS[thrown.status] ?? EXIT.failed, thrown.message)
      if (!(thrown instanceof NoAnswerError)) throw thrown
      if (!everConnected) throw noAnswerError(context.askedWith('key'), thrown)
    }
    context.out.note(`Connection lost; reconnecting in ${(pause / 1000).toFixed(1)} s …`)
    await context.io.sleep(pause)
    pause = Math.min(pause * 2, LONGEST_PAUSE_MS)
  }
}

/** A tick. Its mode decides which fields it has. */
type TickRow = { readonly [Key in (typeof TICKS)[number]['key']]?: unknown }

type Show = (frame: MarketFrame, last: boolean) => Promise<void>

async function line(context: Context): Promise<Show> {
  const { write } = await context.out.begin({ columns: TICKS, id: 'ltp', record: 'tick' })
  return ({ symbol, exchange, data }) => write({ symbol, exchange, ...data })
}

/** Shows the last price of each symbol, repainted a few times a second, however fast prices arrive. */
function table(context: Context): Show {
  const paint = repaint(context)
  const rows = new Map<string, TickRow>()
  let painted = 0
  return async ({ symbol, exchange, data }, last) => {
    rows.set(`${exchange}:${symbol}`, { symbol, exchange, ...data })
    const now = context.io.now()
    if (!last && now - painted < REPAINT_MS) return
    painted = now
    await paint({ rows: [...rows.values()], columns: TICKS, id: 'ltp', empty: '', record: 'tick' })
  }
}
