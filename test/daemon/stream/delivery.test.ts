import { describe, expect, test } from 'vitest'
import { type SymbolRef, symbolKey } from '../../../src/core/market/index.js'
import { eventually } from '../../support/eventually.js'
import { type Client, type Frame, follow, INFY, openRig, SBIN, tickOf, USER } from './rig.js'

const modes = (frames: Frame[]) => frames.map(({ mode }) => mode)
const prices = (frames: Frame[]) => frames.map(({ data }) => (data as { ltp: number }).ltp)
const manySymbols = (count: number): SymbolRef[] =>
  Array.from({ length: count }, (_, i) => ({ symbol: `S${i}`, exchange: 'NSE' }))

describe('a tick', () => {
  test('goes to each client once for every mode it holds and the tick carries', async () => {
    const { hub, signIn } = await openRig()
    const [all, depth, quote] = [await signIn(), await signIn(), await signIn()]
    for (const mode of [1, 2, 3]) await follow(all, SBIN, mode)
    await follow(depth, SBIN, 3)
    await follow(quote, SBIN, 2)
    await follow(quote, SBIN, 2)
    const heard = async () => Promise.all([all, depth, quote].map(async (c) => modes(await c.drained())))

    hub.publish(tickOf(SBIN, {}, 5))
    expect(await heard()).toEqual([[1, 2, 3], [3], [2]])
    hub.publish(tickOf(SBIN))
    expect(await heard()).toEqual([[1, 2], [], [2]])
    hub.publish(tickOf(SBIN, { open: 0, prevClose: 0 }))
    expect(await heard()).toEqual([[1], [], []])
    hub.publish(tickOf(INFY))
    expect(await heard()).toEqual([[], [], []])

    await all.ask({ action: 'unsubscribe', ...SBIN, mode: 'quote' })
    hub.publish(tickOf(SBIN, {}, 5))
    expect(await heard()).toEqual([[1, 3], [3], [2]])
  })

  test('that came before is sent once on subscribing, behind the answer, if it carries the mode', async () => {
    const { clock, hub, signIn } = await openRig()
    const [first, second] = [await signIn(), await signIn()]
    await follow(first, SBIN, 2)
    hub.publish(tickOf(SBIN, { ltp: 801 }))
    hub.publish(tickOf(SBIN, { ltp: 802 }))
    await clock.advance(1_200_000)
    second.send({ action: 'subscribe', ...SBIN, mode: 2 })
    second.send({ action: 'subscribe', ...SBIN, mode: 2 })
    second.send({ action: 'subscribe', ...SBIN, mode: 3 })
    const frames = await second.drained()
    expect(frames.map(({ type }) => type)).toEqual(['subscribe', 'market_data', 'subscribe', 'subscribe'])
    // It may be of a feed that has been silent since.
    expect(frames[1]).toMatchObject({ mode: 2, data: { ltp: 802, age_ms: 1_200_000 } })
    const live = await first.drained()
    expect(prices(live)).toEqual([801, 802])
    expect(live[1]?.data).not.toHaveProperty('age_ms')
  })

  test('is asked of the feed once in the highest mode, and let go with the last client', async () => {
    const { asked, hub, signIn } = await openRig()
    const [a, b] = [await signIn(), await signIn()]
    await follow(a, SBIN, 1)
    await follow(b, SBIN, 1)
    await follow(b, SBIN, 3)
    await a.ask({ action: 'unsubscribe', ...SBIN })
    expect(asked).toEqual(['+NSE:SBIN 1', '+NSE:SBIN 3'])
    b.socket.close()
    await eventually(() => hub.symbols().length === 0)
    expect(asked).toEqual(['+NSE:SBIN 1', '+NSE:SBIN 3', '-NSE:SBIN'])
  })

  test('comes to every one of 50 clients that follow it, to no other, whole and in order', async () => {
    const symbols = manySymbols(150)
    const { hub, signIn } = await openRig({ symbols })
    const clients = await Promise.all(Array.from({ length: 50 }, () => signIn()))
    const wanted = clients.map((_, i) => symbols.filter((_, s) => (s * 7 + i * 13) % 150 < 100))
    await Promise.all(
      clients.map((client, i) => client.ask({ action: 'subscribe', symbols: wanted[i], mode: 1 })),
    )
    for (const ltp of [1, 2, 3, 4]) for (const ref of symbols) hub.publish(tickOf(ref, { ltp }))
    for (const [i, client] of clients.entries()) {
      const frames = await client.drained()
      const expected = [1, 2, 3, 4].flatMap((ltp) =>
        (wanted[i] ?? []).map(({ symbol }) => `${symbol} ${ltp}`),
      )
      expect(frames.map(({ symbol, data }) => `${symbol} ${(data as { ltp: number }).ltp}`)).toEqual(expected)
    }
  })
})

describe('a client that does not read', () => {
  /** Publishes until the client's connection accepts no more, and far beyond that. */
  async function flood(rig: Awaited<ReturnType<typeof openRig>>, symbols: SymbolRef[], rounds: number) {
    let most = 0
    for (let ltp = 1; ltp <= rounds; ltp++) {
      for (const ref of symbols) rig.hub.publish(tickOf(ref, { ltp }))
      await new Promise((resolve) => setImmediate(resolve))
      for (const transport of rig.transports) most = Math.max(most, transport.writableLength)
    }
    return most
  }

  test('costs a bounded amount, holds nobody up, and gets the newest of each symbol when it reads again', async () => {
    const symbols = manySymbols(100)
    const rig = await openRig({ symbols })
    const [slow, quick] = [await rig.signIn(), await rig.signIn()]
    for (const client of [slow, quick]) await client.ask({ action: 'subscribe', symbols, mode: 2 })
    slow.socket.pause()
    const rounds = 300
    const most = await flood(rig, symbols, rounds)
    expect(most).toBeGreaterThan(200_000)
    expect(most).toBeLessThan(1_400_000)
    expect(await quick.drained()).toHaveLength(rounds * symbols.length)

    slow.socket.resume()
    const seen = new Map<unknown, number[]>()
    const isUpToDate = () => {
      for (const { symbol, data } of slow.frames.splice(0)) {
        seen.set(symbol, [...(seen.get(symbol) ?? []), (data as { ltp: number }).ltp])
      }
      return seen.size === symbols.length && [...seen.values()].every((ltps) => ltps.at(-1) === rounds)
    }
    await eventually(isUpToDate)
    for (const ltps of seen.values()) {
      expect(ltps.length).toBeLessThan(rounds)
      expect(ltps).toEqual([...new Set(ltps)].sort((a, b) => a - b))
    }
  }, 40_000)

  test('gets nothing of symbols it has unsubscribed from since', async () => {
    const symbols = manySymbols(50)
    const rig = await openRig({ symbols })
    const slow = await rig.signIn()
    await slow.ask({ action: 'subscribe', symbols, mode: 2 })
    slow.socket.pause()
    await flood(rig, symbols, 400)
    slow.send({ action: 'unsubscribe_all' })
    await eventually(() => rig.hub.symbols().length === 0)
    slow.socket.resume()
    const frames = await slow.drained()
    expect(frames.at(-1)?.type).toBe('unsubscribe')
    expect(Math.max(...prices(frames.slice(0, -1)))).toBeLessThan(400)
  }, 40_000)

  test('is cut off when it lets answers pile up', async () => {
    const rig = await openRig()
    const slow = await rig.signIn()
    slow.socket.pause()
    const bad = Array.from({ length: 3000 }, (_, i) => ({ symbol: `${'X'.repeat(50)}${i}`, exchange: 'NSE' }))
    for (let i = 0; i < 40; i++) slow.send({ action: 'subscribe', symbols: bad })
    await eventually(async () => {
      await rig.clock.advance(1000)
      return rig.sockets.count === 0
    })
  })
})

describe('order updates', () => {
  const order = {
    orderid: '26112000000001',
    symbol: 'SBIN',
    exchange: 'NSE',
    action: 'BUY',
    quantity: 10,
    price: 0,
    trigger_price: 0,
    pricetype: 'MARKET',
    product: 'MIS',
    order_status: 'complete',
    filled_quantity: 10,
    pending_quantity: 0,
    average_price: 802.5,
    rejection_reason: '',
  }

  test('live and simulated ones reach the subscribers of the same account', async () => {
    const { bus, signIn } = await openRig()
    const [wants, not] = [await signIn(), await signIn()]
    await wants.ask({ action: 'subscribe_orders' })
    bus.publish('order.update', { mode: 'live', broker: 'simulated', ...order })
    bus.publish('order.update', { mode: 'analyze', user_id: USER, broker: 'sandbox', ...order })
    bus.publish('order.update', { mode: 'analyze', user_id: 'other', broker: 'sandbox', ...order })
    await bus.idle()
    expect(await wants.drained()).toEqual([
      { type: 'order_update', user_id: USER, mode: 'live', broker: 'simulated', ...order },
      { type: 'order_update', user_id: USER, mode: 'analyze', broker: 'sandbox', ...order },
    ])
    expect(await not.drained()).toEqual([])
  })

  test('end with unsubscribe_orders, and not with unsubscribe_all', async () => {
    const { bus, signIn } = await openRig()
    const client = await signIn()
    const heard = async () => {
      bus.publish('order.update', { mode: 'live', broker: 'simulated', ...order })
      await bus.idle()
      return (await client.drained()).length
    }
    await client.ask({ action: 'subscribe_orders' })
    await client.ask({ action: 'unsubscribe_all' })
    expect(await heard()).toBe(1)
    await client.ask({ action: 'unsubscribe_orders' })
    expect(await heard()).toBe(0)
  })
})

test('a restored feed is subscribed to all symbols again, and clients notice nothing else', async () => {
  const { asked, hub, signIn } = await openRig()
  const client: Client = await signIn()
  await follow(client, SBIN, 3)
  await follow(client, INFY, 1)
  asked.length = 0
  hub.attach({
    subscribe: (refs, mode) => asked.push(`again +${refs.map(symbolKey).join()} ${mode}`),
    unsubscribe: () => undefined,
  })
  expect(asked).toEqual(['again +NSE:SBIN 3', 'again +NSE:INFY 1'])
  hub.publish(tickOf(SBIN, {}, 5))
  expect(modes(await client.drained())).toEqual([3])
})
