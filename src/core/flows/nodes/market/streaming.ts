import type { Body, ReadCall, StreamedTick } from '../../ports.js'
import { defineNode, type NodeDefinition, NodeError, succeeded } from '../definition.js'
import { dataOf } from '../mirrored.js'
import { exchangeField, symbolField } from '../shared.js'

/**
 * One value of a stream each (contract, flow section 2.6): the next tick, or the endpoint where none comes in
 * time. Nothing is held open between nodes.
 */

const streaming = { family: 'streaming', effect: 'stream' } as const

interface StreamSpec {
  type: string
  kind: 'ltp' | 'quote' | 'depth'
  mode: 1 | 2 | 3
  timeoutMs: number
  /** Asked where the stream is silent. */
  call: ReadCall
  summary: string
  output: Readonly<Record<string, string>>
  /** What the node leaves of a tick, or of the `data` of the endpoint. */
  view(tick: Readonly<StreamedTick> | Body): Body
}

const COMMON_OUTPUT = {
  type: 'ltp, quote or depth.',
  symbol: 'Symbol.',
  exchange: 'Exchange.',
  source: 'websocket, or rest_api when no tick came in time.',
} as const

const QUOTE_KEYS = ['ltp', 'open', 'high', 'low', 'close', 'volume', 'prev_close'] as const
const DEPTH_KEYS = ['bids', 'asks', 'totalbuyqty', 'totalsellqty', 'ltp'] as const

const STREAMS: readonly StreamSpec[] = [
  {
    type: 'subscribeLtp',
    kind: 'ltp',
    mode: 1,
    timeoutMs: 5000,
    call: 'quotes',
    summary: 'Reads the last price of a symbol from its stream.',
    output: { ltp: 'Last price.' },
    view: ({ ltp }) => ({ ltp }),
  },
  {
    type: 'subscribeQuote',
    kind: 'quote',
    mode: 2,
    timeoutMs: 5000,
    call: 'quotes',
    summary: 'Reads the quote of a symbol from its stream.',
    output: {
      data: 'ltp, open, high, low, close, volume and prev_close; each is beside it as well.',
      ltp: 'Last price.',
    },
    view: (tick) => withData({ close: tick.prev_close, ...tick }, QUOTE_KEYS),
  },
  {
    type: 'subscribeDepth',
    kind: 'depth',
    mode: 3,
    timeoutMs: 3000,
    call: 'depth',
    summary: 'Reads five levels of the order book of a symbol from its stream.',
    output: {
      data: 'bids, asks, totalbuyqty, totalsellqty and ltp; each is beside it as well.',
      ltp: 'Last price.',
    },
    view: (tick) => withData({ ...tick }, DEPTH_KEYS),
  },
]

/** The members that are there, and the same once more as `data`. */
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
  summary: 'Ends subscriptions; those of nodes end by themselves, so that it only says so.',
  fields: {
    symbol: { ...symbolField, required: false, default: '', description: 'Symbol; all when left out.' },
    exchange: { ...exchangeField, required: false },
    streamType: {
      kind: 'text',
      default: 'all',
      choices: ['ltp', 'quote', 'depth', 'all'],
      description: 'Which stream.',
    },
  },
  output: {},
  run: (run) => {
    const [symbol, streamType] = [run.text('symbol').trim(), run.text('streamType')]
    run.log(
      `Unsubscribed from ${symbol === '' ? 'all symbols' : `${symbol}@${run.text('exchange')}`} (${streamType})`,
    )
    return succeeded({ streamType })
  },
})

export const STREAMING_NODES: readonly NodeDefinition[] = [...STREAMS.map(streamNode), unsubscribe]
