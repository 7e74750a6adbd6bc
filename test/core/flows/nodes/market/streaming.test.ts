import { describe, expect, it } from 'vitest'
import { STREAMING_NODES } from '../../../../../src/core/flows/nodes/market/streaming.js'
import { recordingPorts, runNode } from '../../support.js'

const node = (type: string) => {
  const found = STREAMING_NODES.find((one) => one.type === type)
  if (!found) throw new Error(`no node ${type}`)
  return found
}

const SBIN = { symbol: 'SBIN', exchange: 'NSE' }
const TICK = {
  ltp: 812.4,
  open: 800,
  high: 815,
  low: 799,
  volume: 1200,
  prev_close: 805.5,
  bids: [{ price: 812.35, quantity: 10 }],
  asks: [{ price: 812.45, quantity: 20 }],
  totalbuyqty: 10,
  totalsellqty: 20,
}
const { bids, asks, totalbuyqty, totalsellqty, ...QUOTE } = TICK
const DEPTH = { bids, asks, totalbuyqty, totalsellqty, ltp: 812.4 }

const ROWS = [
  { type: 'subscribeLtp', call: 'quotes', kind: 'ltp', mode: 1, waits: 5000, gives: { ltp: 812.4 } },
  {
    type: 'subscribeQuote',
    call: 'quotes',
    kind: 'quote',
    mode: 2,
    waits: 5000,
    gives: { ltp: 812.4, data: { ...QUOTE, close: 805.5 } },
  },
  { type: 'subscribeDepth', call: 'depth', kind: 'depth', mode: 3, waits: 3000, gives: { data: DEPTH } },
] as const

describe.each(ROWS)('$type', ({ type, call, kind, mode, waits, gives }) => {
  it('takes the next tick', async () => {
    const { result, ports } = await runNode(node(type), SBIN, { tick: TICK })

    expect(result).toMatchObject({ status: 'success', type: kind, ...SBIN, ...gives, source: 'websocket' })
    expect(ports.asked).toEqual([])
  })

  it('calls the endpoint if no tick arrives', async () => {
    const { result, ports } = await runNode(node(type), SBIN, { reads: { [call]: { data: TICK } } })

    expect(result).toMatchObject({ status: 'success', type: kind, ...gives, source: 'rest_api' })
    expect(ports.asked).toEqual([{ call, body: SBIN }])
  })

  it('waits for its documented time, in its mode', async () => {
    const ports = recordingPorts({ tick: TICK })
    const waited: unknown[] = []
    ports.stream.next = async (ref, wanted, timeoutMs) => {
      waited.push([ref, wanted, timeoutMs])
      return TICK
    }
    await runNode(node(type), { ...SBIN, exchange: 'nse' }, { ports })

    expect(waited).toEqual([[SBIN, mode, waits]])
  })

  it('returns the refusal of the endpoint', async () => {
    const { result } = await runNode(node(type), SBIN, {
      reads: { [call]: { status: 'error', message: 'not listed', code: 400 } },
    })

    expect(result).toMatchObject({ status: 'error', message: 'not listed', code: 400 })
  })

  it('needs a symbol', async () => {
    expect((await runNode(node(type), { symbol: ' ' })).failure).toBe('No symbol specified')
  })

  it('stores the whole object under a default name', () => {
    expect(node(type)).toMatchObject({ storesOutput: true, defaultOutput: kind })
  })
})

describe('unsubscribe', () => {
  it.each([
    [{}, 'Unsubscribed from all symbols (all)'],
    [{ symbol: 'SBIN', streamType: 'LTP' }, 'Unsubscribed from SBIN@NSE (ltp)'],
  ])('%j always succeeds', async (data, message) => {
    const { result, logs } = await runNode(node('unsubscribe'), data)

    expect(result).toMatchObject({ status: 'success' })
    expect(logs).toEqual([{ level: 'info', message }])
  })

  it('refuses an unknown stream', async () => {
    expect((await runNode(node('unsubscribe'), { streamType: 'news' })).failure).toMatch(/^streamType 'news'/)
  })

  it('stores nothing', () => {
    expect(node('unsubscribe').storesOutput).toBe(false)
  })
})
