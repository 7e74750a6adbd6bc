import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { bearer, HttpDesk } from '../../support/desk/http-desk.js'
import { settled } from '../../support/settled.js'
import { slowness, watched } from '../../support/turns.js'
import { fan, type Sent, WORKS } from './works.js'

/** The longest turn of the event loop while such work goes on: a stop loss waits no longer. */
const LIMIT_MS = 50

/** A tick without anything but a price. */
const QUIET = {
  open: 0,
  high: 0,
  low: 0,
  prevClose: 0,
  bid: 0,
  ask: 0,
  bidSize: 0,
  askSize: 0,
  volume: 0,
  oi: 0,
  lastQuantity: 0,
  averagePrice: 0,
  totalBuyQuantity: 0,
  totalSellQuantity: 0,
}

/** A desk that trades in Analyzer mode, and a function that sends a request of any size to it. */
async function openDesk() {
  const http = await HttpDesk.open()
  await http.desk.service.sandbox.start()
  await http.desk.service.settings.setAnalyzeMode(true)
  const scopes = ['read', 'orders', 'flows', 'strategies', 'settings', 'admin'] as const
  const headers = bearer(await http.tokenOf(...scopes))
  /** The request is made before anything is measured, and its answer is not put together: both are the client's work. */
  const sender = ({ method, path, body, text, type = 'application/json' }: Sent) => {
    const keyed = path.startsWith('/api/v1/') && body ? { apikey: http.apikey, ...body } : body
    const sent = text ?? (keyed && JSON.stringify(keyed))
    const init = {
      method,
      headers: { ...headers, ...(sent !== undefined && { 'content-type': type }) },
      ...(sent !== undefined && { body: Buffer.from(sent) }),
    }
    return async () => {
      const response = await http.app.request(path, init, {})
      const chunks: Uint8Array[] = []
      for await (const chunk of response.body ?? []) chunks.push(chunk)
      return { status: response.status, chunks }
    }
  }
  return { http, sender, settled: <T>(work: Promise<T>) => settled(http.desk.clock, work) }
}

/** The collector may clear the memory of other tests in a turn; it does not do so in each of these attempts. */
const ATTEMPTS = 12

/**
 * Does a work, on a new desk. Returns its longest turn, and the request that had it. The milliseconds are those of the usual
 * machine: other programs may slow this one down at any time, so its speed is taken before and after the work.
 */
async function longestTurn(works: readonly Sent[]): Promise<{ ms: number; what: string }> {
  const { sender, settled: answered } = await openDesk()
  const slownessBefore = slowness()
  let longest = { ms: 0, what: '' }
  for (const one of works) {
    const send = sender(one)
    const { result, longestMs } = await watched(() => answered(send()))
    const text = Buffer.concat(result.chunks).toString()
    const what = `${one.path} ${text.slice(0, 200)}`
    expect(result.status, what).toBe(one.status)
    if (one.says !== undefined) expect(text).toContain(one.says)
    if (longestMs > longest.ms) longest = { ms: longestMs, what }
  }
  return { ms: longest.ms / Math.max(slownessBefore, slowness()), what: longest.what }
}

describe('work whose size a user chooses', () => {
  it.each(WORKS)(
    'delays a stop loss by less than 50 ms, and is refused above its bound: $name',
    async ({ sent }) => {
      let longest = await longestTurn(sent)
      for (let attempt = 1; attempt < ATTEMPTS && longest.ms >= LIMIT_MS; attempt++) {
        longest = await longestTurn(sent)
      }
      expect(longest.ms, longest.what).toBeLessThan(LIMIT_MS)
    },
  )

  it('lets a stop loss fire before it ends', async () => {
    const { http, sender, settled: answered } = await openDesk()
    const { hub, listed } = http.desk.service
    const { ltp } = await listed.quote({ symbol: 'SBIN', exchange: 'NSE' })
    const stop = { symbol: 'SBIN', exchange: 'NSE', action: 'SELL', quantity: 10, product: 'MIS' }
    const order = { ...stop, strategy: 'stop', pricetype: 'SL-M', trigger_price: Math.round(ltp * 0.99) }
    const placed = await http.request('POST', '/api/v1/placeorder', {
      body: { apikey: http.apikey, ...order },
    })
    expect(placed.body).toMatchObject({ status: 'success' })
    const happened: string[] = []
    http.desk.service.bus.subscribe('sandbox.order_filled', 'stop', () => {
      happened.push('stop filled')
    })
    const graph = fan(400, ['log', { message: ' {{webhook.text}}' }])
    const body = { ...graph, payload: { text: 'x'.repeat(900_000) } }
    const run = sender({ method: 'POST', path: '/flow/api/run', body, status: 200 })
    const answer = answered(run()).then(() => happened.push('run ended'))
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
    hub.publish({
      ...QUIET,
      timestamp: http.desk.clock.now(),
      symbol: 'SBIN',
      exchange: 'NSE',
      ltp: ltp * 0.98,
    })
    await answer
    expect(happened).toEqual(['stop filled', 'run ended'])
  })

  it('is listed with its bound in docs/reliability.md', () => {
    const page = readFileSync('docs/reliability.md', 'utf8')
    const [, section = ''] = page.split('\n## Work whose size a user chooses\n')
    const listed = [...(section.split('\n## ')[0] ?? '').matchAll(/^\| ([^|]+?) \|/gm)].map(
      ([, name]) => name,
    )
    expect(listed.slice(2)).toEqual(WORKS.map(({ name }) => name))
  })
})
