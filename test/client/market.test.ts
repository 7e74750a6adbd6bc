import { expect, onTestFinished, test } from 'vitest'
import {
  type MarketFollowing,
  type MarketFrame,
  type MarketOptions,
  StreamError,
  SvcClient,
} from '../../src/client/index.js'
import { HttpDesk } from '../support/desk/http-desk.js'

const SBIN = { symbol: 'SBIN', exchange: 'NSE' }
const INFY = { symbol: 'INFY', exchange: 'NSE' }
const NOPE = { symbol: 'NOPE', exchange: 'NSE' }

async function opened({ apikey }: { apikey?: string } = {}) {
  const http = await HttpDesk.open()
  const { port } = await http.listen()
  const url = `http://127.0.0.1:${port}`
  const client = new SvcClient({ url, apikey: apikey ?? http.apikey })
  const { hub } = http.desk.service
  /** Opens a stream; returns its following, and the way to wait for a frame. */
  const stream = async (options: MarketOptions = {}) => {
    const ended = new AbortController()
    onTestFinished(() => ended.abort())
    const frames: MarketFrame[] = []
    const opened = new Promise<{ following: MarketFollowing; end: Promise<void> }>((resolve) => {
      const onOpen = (following: MarketFollowing) => resolve({ following, end })
      const end = gather(client.ticks({ ...options, signal: ended.signal, onOpen }), frames)
      end.catch(() => undefined)
    })
    /** Lets the market go on until such a frame has come. */
    const comes = (wanted: (frame: MarketFrame) => boolean) =>
      expect
        .poll(async () => {
          await http.desk.clock.advance(1000)
          return frames.some(wanted)
        })
        .toBe(true)
    return { ...(await opened), frames, comes }
  }
  return { http, hub, stream }
}

async function gather(ticks: AsyncGenerator<MarketFrame>, frames: MarketFrame[]): Promise<void> {
  for await (const frame of ticks) frames.push(frame)
}

const of = (one: typeof SBIN, mode: number) => (frame: MarketFrame) =>
  frame.symbol === one.symbol && frame.mode === mode

test('the caller follows symbols on the open connection, each in its mode', async () => {
  const { hub, stream } = await opened()
  const { following, comes } = await stream({ symbols: [SBIN] })
  await comes(of(SBIN, 2))
  following.follow([INFY], 'depth')
  await comes(of(INFY, 3))
  following.follow([SBIN], 'ltp')
  await comes(of(SBIN, 1))
  following.unfollow([SBIN], 'quote')
  await expect.poll(() => hub.mode(SBIN)).toBe(2)
  following.unfollow([SBIN], 'ltp')
  following.unfollow([INFY], 'depth')
  await expect.poll(() => [hub.mode(SBIN), hub.mode(INFY)]).toEqual([undefined, undefined])
})

test('a connection without symbols stays open and silent', async () => {
  const { http, stream } = await opened()
  const { frames, following, comes } = await stream()
  await http.desk.clock.advance(2000)
  expect(frames).toEqual([])
  following.follow([SBIN], 'ltp')
  await comes(of(SBIN, 1))
})

test('a refused symbol ends the stream of a caller that does not ask for refusals', async () => {
  const { stream } = await opened()
  const { end } = await stream({ symbols: [SBIN, NOPE] })
  await expect(end).rejects.toThrow(new StreamError('Symbol NOPE not found for exchange NSE', 404))
})

test('a refused symbol leaves the others alone for a caller that asks for refusals', async () => {
  const { stream } = await opened()
  const refused: unknown[] = []
  const { comes } = await stream({
    symbols: [NOPE, SBIN],
    onRefused: (symbol, reason) => refused.push({ ...symbol, reason }),
  })
  await comes(of(SBIN, 2))
  expect(refused).toEqual([{ ...NOPE, reason: 'Symbol NOPE not found for exchange NSE' }])
})

test('a refused key ends the stream', async () => {
  const { stream } = await opened({ apikey: 'nobody' })
  const { end } = await stream({ symbols: [SBIN], onRefused: () => undefined })
  await expect(end).rejects.toMatchObject({ status: 4401, message: 'Invalid API key' })
})
