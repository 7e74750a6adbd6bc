import { Text } from 'ink'
import { useState } from 'react'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { DaemonAccess } from '../../../../src/client/daemon-access.js'
import { SvcClient, type TickMode } from '../../../../src/client/index.js'
import { useKeyLayer } from '../../../../src/tui/keys/KeysProvider.js'
import { LiveDaemon } from '../../../../src/tui/live/daemon.js'
import { type Quote, QuoteBook, useQuotes } from '../../../../src/tui/live/prices/quotes.js'
import { liveDesk } from '../../support/live-desk.js'
import { shown } from '../../support/shown.js'

const SBIN = { symbol: 'SBIN', exchange: 'NSE' }
const INFY = { symbol: 'INFY', exchange: 'NSE' }

/** A daemon, and the prices of a program without a screen. */
async function opened(wrapped: (access: DaemonAccess) => DaemonAccess = (access) => access) {
  const live = await liveDesk()
  const { http } = live
  const desk = new LiveDaemon(wrapped(live.access))
  const { hub } = http.desk.service
  desk.start()
  onTestFinished(() => desk.stop())
  const book = desk.part(QuoteBook)
  /** Watches symbols; counts how often it hears of new prices. */
  const watch = (symbols: readonly string[], mode: TickMode = 'quote') => {
    const watched = book.watch(symbols, mode)
    let told = 0
    const release = watched.subscribe(() => {
      told += 1
    })
    onTestFinished(release)
    return { quotes: watched.quotes, told: () => told, release }
  }
  const modes = () => [hub.mode(SBIN), hub.mode(INFY)]
  const follows = (...expected: (1 | 2 | 3 | undefined)[]) => expect.poll(modes).toEqual(expected)
  /** The daemon sends a price. */
  const trade = (price: number, one = SBIN) =>
    hub.publish({
      ...one,
      ltp: price,
      timestamp: http.desk.clock.now(),
      open: 800,
      high: 820,
      low: 790,
      prevClose: 795,
      volume: 1000,
      oi: 0,
      lastQuantity: 1,
      averagePrice: 800,
      bid: price - 1,
      ask: price + 1,
      bidSize: 5,
      askSize: 6,
      totalBuyQuantity: 10,
      totalSellQuantity: 12,
      depth: {
        buy: [{ price: price - 1, quantity: 5, orders: 2 }],
        sell: [{ price: price + 1, quantity: 6, orders: 1 }],
      },
    })
  return { ...live, desk, book, watch, follows, trade }
}

describe('the prices of all screens', () => {
  test('are followed in the highest mode that somebody wants, and no longer than that', async () => {
    const { watch, follows, trade } = await opened()
    const price = watch(['NSE:SBIN'], 'ltp')
    await follows(1, undefined)
    const depth = watch(['NSE:SBIN'], 'depth')
    const quote = watch(['NSE:SBIN', 'NSE:INFY'])
    await follows(3, 2)
    const members = () => Object.keys(price.quotes().get('NSE:SBIN') ?? {})
    const membersAfter = (ltp: number) => () => {
      trade(ltp)
      return members()
    }
    trade(800)
    await expect.poll(members).toContain('depth')
    depth.release()
    await expect.poll(membersAfter(801)).not.toContain('depth')
    expect(members()).toContain('high')
    quote.release()
    await expect.poll(membersAfter(802)).toEqual(['ltp', 'at'])
    price.release()
    await follows(undefined, undefined)
  })

  test('have the members that the stream sends, and the time of their arrival', async () => {
    const { watch, follows, trade } = await opened()
    const { quotes } = watch(['NSE:SBIN'], 'depth')
    await follows(3, undefined)
    const before = Date.now()
    trade(810.5)
    await expect.poll(() => quotes().get('NSE:SBIN')?.ltp).toBe(810.5)
    const { at = 0, ...quote }: Partial<Quote> = quotes().get('NSE:SBIN') ?? {}
    expect(quote).toEqual({
      ltp: 810.5,
      open: 800,
      high: 820,
      low: 790,
      close: 795,
      volume: 1000,
      bid: 809.5,
      ask: 811.5,
      totalBuy: 10,
      totalSell: 12,
      depth: {
        buy: [{ price: 809.5, quantity: 5, orders: 2 }],
        sell: [{ price: 811.5, quantity: 6, orders: 1 }],
      },
    })
    expect(at).toBeGreaterThanOrEqual(before)
    expect(at).toBeLessThanOrEqual(Date.now())
  })

  test('of a feed that was silent before somebody watched are as old as they are', async () => {
    const { book, http, trade, watch } = await opened()
    const { hub } = http.desk.service
    // A feed that goes silent after its first price.
    hub.attach(undefined)
    hub.subscribe([SBIN], 2, () => undefined)
    trade(800)
    await http.desk.clock.advance(60_000)
    const { quotes } = watch(['NSE:SBIN'])
    await expect.poll(() => quotes().get('NSE:SBIN')?.ltp).toBe(800)
    const { at = Number.POSITIVE_INFINITY } = quotes().get('NSE:SBIN') ?? {}
    expect(at).toBeLessThanOrEqual(Date.now() - 60_000)
    expect(book.tickedAt).toBe(at)
  })

  test('of another broker are no prices of this one', async () => {
    const { http, follows, trade, watch } = await opened()
    const { quotes } = watch(['NSE:SBIN', 'NSE:INFY'])
    await follows(2, 2)
    trade(800)
    await expect.poll(() => quotes().get('NSE:SBIN')?.ltp).toBe(800)
    await http.desk.service.brokers.use('zerodha')
    trade(1500, INFY)
    await expect.poll(() => quotes().get('NSE:INFY')?.ltp).toBe(1500)
    expect(quotes().get('NSE:SBIN')).toBeUndefined()
  })

  test('reach a listener at most ten times a second, and the last one always does', async () => {
    const { watch, follows, trade } = await opened()
    const { quotes, told } = watch(['NSE:SBIN'])
    await follows(2, undefined)
    trade(800)
    await expect.poll(() => quotes().get('NSE:SBIN')?.ltp).toBe(800)
    const [started, before] = [Date.now(), told()]
    for (let price = 801; price <= 1000; price += 1) {
      trade(price)
      // The stream sends what it has at the end of a turn.
      await new Promise((resolve) => setImmediate(resolve))
    }
    await expect.poll(() => quotes().get('NSE:SBIN')?.ltp).toBe(1000)
    expect(told() - before).toBeLessThanOrEqual(Math.ceil((Date.now() - started) / 100) + 1)
  })

  test('go on when the clock is set back', async () => {
    const { watch, follows, trade } = await opened()
    const { quotes } = watch(['NSE:SBIN'])
    await follows(2, undefined)
    trade(800)
    await expect.poll(() => quotes().get('NSE:SBIN')?.ltp).toBe(800)
    const now = Date.now
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() - 3_600_000)
    onTestFinished(() => clock.mockRestore())
    trade(801)
    await expect.poll(() => quotes().get('NSE:SBIN')?.ltp).toBe(801)
  })

  test('do not disturb a listener of other symbols', async () => {
    const { watch, follows, trade } = await opened()
    const sbin = watch(['NSE:SBIN'])
    const infy = watch(['NSE:INFY'])
    await follows(2, 2)
    trade(1500, INFY)
    await expect.poll(infy.told).toBeGreaterThan(0)
    const [quotes, told] = [sbin.quotes(), sbin.told()]
    trade(1501, INFY)
    await expect.poll(() => infy.quotes().get('NSE:INFY')?.ltp).toBe(1501)
    expect(sbin.told()).toBe(told)
    expect(sbin.quotes()).toBe(quotes)
  })

  test('come for the others when a symbol is unknown', async () => {
    const { watch, follows, trade } = await opened()
    const { quotes } = watch(['NSE:NOPE', 'NSE:SBIN'])
    await follows(2, undefined)
    trade(800)
    await expect.poll(() => [...quotes().keys()]).toEqual(['NSE:SBIN'])
  })

  test('are forgotten with their last listener', async () => {
    const { book, watch, follows, trade } = await opened()
    const { quotes, release } = watch(['NSE:SBIN'])
    watch(['NSE:INFY'])
    await follows(2, 2)
    trade(800)
    await expect.poll(() => quotes().size).toBe(1)
    release()
    await follows(undefined, 2)
    expect(book.watch(['NSE:SBIN'], 'quote').quotes().size).toBe(0)
  })

  test('stay, and go on, after the connection broke', async () => {
    const { watch, follows, trade, lose, comeBack } = await opened()
    const { quotes } = watch(['NSE:SBIN'])
    await follows(2, undefined)
    trade(800)
    await expect.poll(() => quotes().get('NSE:SBIN')?.ltp).toBe(800)
    await lose()
    await follows(undefined, undefined)
    expect(quotes().get('NSE:SBIN')?.ltp).toBe(800)
    await comeBack()
    await follows(2, undefined)
    trade(801)
    await expect.poll(() => quotes().get('NSE:SBIN')?.ltp).toBe(801)
  })

  test('send a refused key only once, and the key of the next sign-in', async () => {
    const { watch, follows, trade, lose, comeBack, sent, keys, desk } = await withKeys('revoked')
    // Each new connection tries the key again.
    await expect.poll(() => desk.connection.state.get().kind).toBe('connected')
    const { quotes } = watch(['NSE:SBIN'])
    await expect.poll(() => desk.changes.message.get()).toContain('the daemon refused the API key')
    await lose()
    keys.good()
    await comeBack()
    await follows(2, undefined)
    trade(801)
    await expect.poll(() => quotes().get('NSE:SBIN')?.ltp).toBe(801)
    expect(sent).toEqual(['revoked', 'good'])
  })
})

/** A program whose key is refused until `keys.good()`. It records the keys that open the market stream. */
async function withKeys(first: string) {
  const sent: string[] = []
  let isGood = false
  const live = await opened((access) => ({
    client(timeoutMs) {
      const client = access.client(timeoutMs)
      const used = isGood ? client : new SvcClient({ url: client.url, apikey: first })
      const ticks = used.ticks.bind(used)
      client.ticks = (options) => {
        sent.push(isGood ? 'good' : first)
        return ticks(options)
      }
      return client
    },
  }))
  const good = () => {
    isGood = true
  }
  return { ...live, sent, keys: { good } }
}

/** Shows the price of a symbol, and the other one after a press of `o`. */
function Prices({ onDraw }: { onDraw(): void }) {
  const [symbol, setSymbol] = useState('NSE:SBIN')
  const [, draw] = useState(0)
  const quotes = useQuotes([symbol], 'ltp')
  onDraw()
  useKeyLayer('screen', ({ name }) => {
    if (name === 'o') setSymbol('NSE:INFY')
    if (name === 'd') draw((count) => count + 1)
    return true
  })
  return <Text>{`${symbol} ${quotes.get(symbol)?.ltp ?? '-'}`}</Text>
}

describe('useQuotes', () => {
  test('shows the prices of the symbols that the screen asks for now', async () => {
    const { access, follows, trade } = await opened()
    const { shows, press, unmount } = await shown(access, <Prices onDraw={() => undefined} />)
    await shows('NSE:SBIN -')
    await follows(1, undefined)
    trade(810)
    await shows('NSE:SBIN 810')
    await press('o')
    await shows('NSE:INFY -')
    await follows(undefined, 1)
    trade(1500, INFY)
    await shows('NSE:INFY 1500')
    unmount()
    await follows(undefined, undefined)
  })

  test('subscribes once for the same symbols in a new array', async () => {
    const { access, follows, trade, http } = await opened()
    const asked: string[] = []
    const { hub } = http.desk.service
    const { shows, press } = await shown(access, <Prices onDraw={() => asked.push(String(hub.mode(SBIN)))} />)
    await follows(1, undefined)
    trade(810)
    await shows('NSE:SBIN 810')
    const drawn = asked.length
    await press('d')
    await press('d')
    await expect.poll(() => asked.length).toBe(drawn + 2)
    await shows('NSE:SBIN 810')
    expect(hub.mode(SBIN)).toBe(1)
  })

  test('draws nothing for a symbol that the screen does not ask for', async () => {
    const { access, watch, follows, trade } = await opened()
    let drawn = 0
    const { shows } = await shown(
      access,
      <Prices
        onDraw={() => {
          drawn += 1
        }}
      />,
    )
    const infy = watch(['NSE:INFY'])
    await follows(1, 2)
    trade(810)
    await shows('NSE:SBIN 810')
    const before = drawn
    trade(1500, INFY)
    await expect.poll(() => infy.quotes().get('NSE:INFY')?.ltp).toBe(1500)
    expect(drawn).toBe(before)
  })
})
