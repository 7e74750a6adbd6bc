import type { Body, ReadCall, StreamedTick } from '../../ports.js'
import { defineNode, type NodeDefinition, NodeError, succeeded } from '../definition.js'
import { dataOf } from '../mirrored.js'
import { list, number, numbers, type Outputs, object, optionals, text } from '../output.js'
import { exchangeField, symbolField } from '../shared.js'

/**
 * Streaming nodes. Each reads one value of a stream: the next tick, or the endpoint if no tick arrives in
 * time. No subscription stays open between nodes.
 */

const streaming = { family: 'streaming', effect: 'stream' } as const

interface StreamSpec {
  type: string
  kind: 'ltp' | 'quote' | 'depth'
  mode: 1 | 2 | 3
  timeoutMs: number
  /** Called if no tick arrives. */
  call: ReadCall
  summary: string
  output: Outputs
  /** Returns the result from a tick or from the `data` of the endpoint. */
  view(tick: Readonly<StreamedTick> | Body): Body
}

const COMMON_OUTPUT = {
  type: text('ltp, quote or depth.'),
  symbol: text('Symbol.'),
  exchange: text('Exchange.'),
  source: text('websocket, or rest_api if no tick arrived in time.'),
} as const

const QUOTE_KEYS = ['ltp', 'open', 'high', 'low', 'close', 'volume', 'prev_close'] as const
const DEPTH_KEYS = ['bids', 'asks', 'totalbuyqty', 'totalsellqty', 'ltp'] as const

const LEVELS = list(object(numbers('price', 'quantity')))

/** A tick lacks the values that its stream has not sent yet. */
const QUOTE = { ltp: number('Last price.'), ...optionals(numbers(...QUOTE_KEYS.slice(1))) }
const DEPTH = {
  bids: { ...LEVELS, description: 'Bid levels, best first.' },
  asks: { ...LEVELS, description: 'Ask levels, best first.' },
  ltp: number('Last price.'),
  ...optionals(numbers('totalbuyqty', 'totalsellqty')),
}

const STREAMS: readonly StreamSpec[] = [
  {
    type: 'subscribeLtp',
    kind: 'ltp',
    mode: 1,
    timeoutMs: 5000,
    call: 'quotes',
    summary: 'Reads the last price of a symbol from the stream.',
    output: { ltp: number('Last price.') },
    view: ({ ltp }) => ({ ltp }),
  },
  {
    type: 'subscribeQuote',
    kind: 'quote',
    mode: 2,
    timeoutMs: 5000,
    call: 'quotes',
    summary: 'Reads the quote of a symbol from the stream.',
    output: { ...QUOTE, data: object(QUOTE, 'The same members.') },
    view: (tick) => withData({ close: tick.prev_close, ...tick }, QUOTE_KEYS),
  },
  {
    type: 'subscribeDepth',
    kind: 'depth',
    mode: 3,
    timeoutMs: 3000,
    call: 'depth',
    summary: 'Reads five levels of the order book of a symbol from the stream.',
    output: { ...DEPTH, data: object(DEPTH, 'The same members.') },
    view: (tick) => withData({ ...tick }, DEPTH_KEYS),
  },
]

/** Returns the existing members, and a copy of them as `data`. */
function withData(all: Body, keys: readonly string[]): Body {
  const data = Object.fromEntries(keys.flatMap((key) => (all[key] === undefined ? [] : [[key, all[key]]])))
  return { ...data, data }
}

function streamNode({ type, kind, mode, timeoutMs, call, summary, output, view }: StreamSpec) {
  return defineNode({
    ...streaming,
    type,
    summary,
    storesOutput: true,
    defaultOutput: kind,
    fields: { symbol: symbolField, exchange: exchangeField },
    output: { ...COMMON_OUTPUT, ...output },
    run: async (run) => {
      const ref = { symbol: run.text('symbol').trim(), exchange: run.text('exchange') }
      if (ref.symbol === '') throw new NodeError('No symbol specified')
      const tick = await run.ports.stream.next(ref, mode, timeoutMs, run.signal)
      if (tick) return succeeded({ type: kind, ...ref, ...view(tick), source: 'websocket' })
      const answer = await run.read(call, ref)
      if (answer.status === 'error') return answer
      return succeeded({ type: kind, ...ref, ...view(dataOf(answer)), source: 'rest_api' })
    },
  })
}

const unsubscribe = defineNode({
  ...streaming,
  type: 'unsubscribe',
  summary: 'Logs the end of subscriptions. The subscriptions of nodes end by themselves.',
  fields: {
    symbol: { ...symbolField, required: false, default: '', description: 'Symbol. Default: all symbols.' },
    exchange: { ...exchangeField, required: false },
    streamType: {
      kind: 'text',
      default: 'all',
      choices: ['ltp', 'quote', 'depth', 'all'],
      description: 'Kind of stream.',
    },
  },
  output: { streamType: text('The kind of stream.') },
  run: (run) => {
    const [symbol, streamType] = [run.text('symbol').trim(), run.text('streamType')]
    run.log(
      `Unsubscribed from ${symbol === '' ? 'all symbols' : `${symbol}@${run.text('exchange')}`} (${streamType})`,
    )
    return succeeded({ streamType })
  },
})

export const STREAMING_NODES: readonly NodeDefinition[] = [...STREAMS.map(streamNode), unsubscribe]
