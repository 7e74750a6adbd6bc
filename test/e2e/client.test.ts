import { NoAnswerError, StreamError, SvcClient, SvcError } from 'svc-desk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DaemonProcess } from '../support/process/daemon-process.js'

let daemon: DaemonProcess
let svc: SvcClient

beforeAll(async () => {
  daemon = await DaemonProcess.ready()
  await daemon.analyze(true)
  svc = new SvcClient({ url: daemon.url, apikey: daemon.apikey, token: daemon.token })
})

afterAll(() => daemon.dispose())

const SBIN = { symbol: 'SBIN', exchange: 'NSE' } as const
const ORDER = { ...SBIN, strategy: 'client', action: 'BUY', quantity: 10, product: 'CNC' } as const

describe('the client package', () => {
  test('places an order and reads it from the books, with every field under its name', async () => {
    const placed = await svc.call('placeorder', ORDER)
    if (!('orderid' in placed)) throw new Error('the order was not executed')
    const { data } = await svc.call('orderbook', {})
    expect(data.orders.map(({ orderid }) => orderid)).toContain(placed.orderid)
    const quote = await svc.call('quotes', SBIN)
    expect(quote.data.ltp).toBeGreaterThan(0)
  })

  test('sends one order for any number of requests with one key', async () => {
    const options = { idempotencyKey: 'client-1' }
    const answers = await Promise.all([1, 2, 3].map(() => svc.call('placeorder', ORDER, options)))
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
  })

  test('throws a refusal with its code and the invalid fields', async () => {
    const refused = await svc.call('placeorder', { ...ORDER, quantity: -1 }).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(SvcError)
    expect(refused).toMatchObject({
      status: 400,
      code: 'validation',
      errors: { quantity: [expect.any(String)] },
    })
    const stranger = new SvcClient({ url: daemon.url, apikey: 'nobody' })
    await expect(stranger.call('ping', {})).rejects.toMatchObject({ status: 403, code: 'invalid_key' })
  })

  test('reports that nothing was sent when no daemon runs', async () => {
    const gone = await DaemonProcess.ready()
    await gone.kill()
    const lost = new SvcClient({ url: gone.url, apikey: gone.apikey })
    const failed = await lost.call('placeorder', ORDER).catch((error: unknown) => error)
    expect(failed).toBeInstanceOf(NoAnswerError)
    expect(failed).toMatchObject({ sent: false })
    await gone.dispose()
  })

  test('calls the routes of a signed-in user', async () => {
    expect(await svc.request('GET /status', {})).toMatchObject({
      status: 'success',
      data: { mode: 'analyze' },
    })
  })

  test('follows events after a given number', async () => {
    const first = svc.events()
    const { value: connected } = await first.next()
    await first.return(undefined)
    const placed = await svc.call('placeorder', { ...ORDER, quantity: 3 })
    if (!('orderid' in placed)) throw new Error('the order was not executed')
    for await (const event of svc.events({ since: connected?.seq ?? 0 })) {
      // Updates of earlier orders may come first.
      if (event.event !== 'order_update' || event.data.orderid !== placed.orderid) continue
      expect(event.data).toMatchObject({ symbol: 'SBIN', quantity: 3 })
      break
    }
  })

  test('follows prices, and reports an unknown symbol at once', async () => {
    for await (const { symbol, data } of svc.ticks({ symbols: [SBIN], mode: 'ltp' })) {
      expect(symbol).toBe('SBIN')
      expect(data.ltp).toBeGreaterThan(0)
      break
    }
    const nothing = svc.ticks({ symbols: [{ symbol: 'NOPE', exchange: 'NSE' }] }).next()
    await expect(nothing).rejects.toBeInstanceOf(StreamError)
  })
})
