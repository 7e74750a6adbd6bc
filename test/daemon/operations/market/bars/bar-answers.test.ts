import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import type { Candle } from '../../../../../src/core/market/index.js'
import { Pace, VirtualClock } from '../../../../../src/core/time/index.js'
import { sendJson } from '../../../../../src/daemon/http/response/ready-bytes.js'
import { BarAnswers } from '../../../../../src/daemon/operations/market/bars/bar-answers.js'
import type { AppEnv } from '../../../../../src/daemon/process/env.js'

const MIDNIGHT = Date.parse('2026-11-23T00:00:00+05:30') / 1000
const DAY_SECONDS = 86_400

/** Returns the one-minute bars of a session of that week. */
function barsOf(day: number, count = 375): Candle[] {
  const open = MIDNIGHT + day * DAY_SECONDS + 9.25 * 3600
  return Array.from({ length: count }, (_, minute) => ({
    timestamp: open + minute * 60,
    open: 970.4,
    high: 971.05,
    low: 969.2,
    close: 970.4,
    volume: 1200 + minute,
    oi: 0,
  }))
}

const copied = (bars: readonly Candle[]) => bars.map((bar) => ({ ...bar }))

describe('an answer with bars', () => {
  it('is the same one made in turns, in which others go first between the days', async () => {
    const answers = new BarAnswers()
    const bars = [0, 1, 2, 3].flatMap((day) => barsOf(day))
    let turns = 0
    const count = () => {
      turns += 1
      timer = setImmediate(count)
    }
    let timer = setImmediate(count)
    const answer = await answers.inTurns('NSE:SBIN:1m', bars, new Pace(new VirtualClock(MIDNIGHT * 1000), 1))
    clearImmediate(timer)
    expect(answer).toEqual({ status: 'success', data: bars })
    expect(turns).toBeGreaterThan(3)
    expect(answers.of('NSE:SBIN:1m', copied(bars))).toBe(answer)
  })

  it('is the same one for the same numbers, though the broker sends new bars', () => {
    const answers = new BarAnswers()
    const bars = [...barsOf(0), ...barsOf(1, 20)]
    const first = answers.of('NSE:SBIN:1m', bars)
    expect(first).toEqual({ status: 'success', data: bars })
    expect(answers.of('NSE:SBIN:1m', copied(bars))).toBe(first)
  })

  it('is sent in one piece when it is short, and day by day when it is long', async () => {
    for (const days of [1, 60]) {
      const bars = Array.from({ length: days }, (_, day) => barsOf(day)).flat()
      const answer = new BarAnswers().of('NSE:SBIN:1m', bars)
      const app = new Hono<AppEnv>().get('/', (c) => sendJson(c, answer, 200))
      for (const time of ['first', 'second']) {
        const response = await app.request('/')
        const pieces: Uint8Array[] = []
        for await (const piece of response.body ?? []) pieces.push(piece)
        const whole = Buffer.concat(pieces)
        expect(JSON.parse(whole.toString()), time).toEqual({ status: 'success', data: bars })
        expect(Math.max(...pieces.map(({ byteLength }) => byteLength))).toBeLessThan(100_000)
        if (days > 1) expect(response.headers.get('content-length')).toBe(String(whole.byteLength))
      }
    }
  })

  it('is another one when the last bar has another price or another bar follows', () => {
    const answers = new BarAnswers()
    const bars = [...barsOf(0), ...barsOf(1, 20)]
    answers.of('NSE:SBIN:1m', bars)
    const traded = copied(bars).map((bar, place) =>
      place === bars.length - 1 ? { ...bar, close: 971 } : bar,
    )
    expect(answers.of('NSE:SBIN:1m', traded)).toEqual({ status: 'success', data: traded })
    const later = [...barsOf(0), ...barsOf(1, 21)]
    expect(answers.of('NSE:SBIN:1m', later)).toEqual({ status: 'success', data: later })
  })

  it('is separate for each symbol, and for each range of days', () => {
    const answers = new BarAnswers()
    const other = barsOf(0).map((bar) => ({ ...bar, close: 1 }))
    for (const [series, bars] of [
      ['NSE:SBIN:1m', barsOf(0)],
      ['NSE:INFY:1m', other],
      ['NSE:SBIN:1m', [...barsOf(0), ...barsOf(1)]],
      ['NSE:SBIN:1m', []],
    ] as const) {
      expect(answers.of(series, bars).data).toEqual(bars)
    }
  })

  it('is found by a frozen list alone, also after many others', () => {
    const answers = new BarAnswers()
    const bars = Object.freeze(barsOf(0))
    const first = answers.of('NSE:SBIN:1m', bars)
    for (let symbol = 0; symbol < 300; symbol++) answers.of(`NSE:S${symbol}:1m`, barsOf(0))
    expect(answers.of('NSE:SBIN:1m', bars)).toBe(first)
    expect(answers.of('NSE:SBIN:1m', copied(bars)), 'its bytes were dropped').not.toBe(first)
  })
})
