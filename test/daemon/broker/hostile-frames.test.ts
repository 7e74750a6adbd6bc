import { expect, onTestFinished, test } from 'vitest'
import { brokenFields } from '../../../src/core/brokers/kit/feed/credible-tick.js'
import type { Tick } from '../../../src/core/market/schema.js'
import { FakeDesk } from '../../support/desk/fake-desk.js'
import { eventually } from '../../support/eventually.js'

const INFY = { symbol: 'INFY', exchange: 'NSE' } as const
/** What the bytes of numbers are overwritten with: zero, -1, NaN, the infinities and the largest numbers of each width. */
const PATTERNS = [
  [0x00],
  [0xff],
  [0x7f],
  [0x80],
  [0x00, 0x00, 0xc0, 0x7f],
  [0x00, 0x00, 0x80, 0x7f],
  [0x00, 0x00, 0x80, 0xff],
  [0xff, 0xff, 0x7f, 0x7f],
  [0, 0, 0, 0, 0, 0, 0xf0, 0x7f],
  [0, 0, 0, 0, 0, 0, 0xf8, 0x7f],
  [0, 0, 0, 0, 0, 0, 0xf0, 0xff],
]

/** Yields a frame that is broken in every way: cut, overwritten at each place, repeated, and made of nothing but noise. */
function* brokenFrames(frame: Uint8Array): Generator<Uint8Array> {
  for (let length = 0; length < frame.length; length++) yield frame.subarray(0, length)
  for (const pattern of PATTERNS) {
    for (let at = 0; at < frame.length; at++) {
      const broken = Uint8Array.from(frame)
      for (const [place, value] of pattern.entries())
        if (at + place < broken.length) broken[at + place] = value
      yield broken
    }
    yield Uint8Array.from({ length: frame.length }, (_, at) => pattern[at % pattern.length] ?? 0)
  }
  yield Buffer.concat([frame, frame.subarray(0, frame.length - 1)])
  yield new Uint8Array(2 * 1024 * 1024).fill(0xff)
  for (const text of ['', '{', 'null', '[]', '{"type":"order","data":{}}', '['.repeat(50_000)])
    yield Buffer.from(text)
}

test.each(['zerodha', 'upstox', 'angel', 'dhan'] as const)(
  'frames of %s that are broken in every way give no price that cannot be, and the next good one counts',
  async (id) => {
    const broker = await FakeDesk.start(id)
    const desk = await broker.desk()
    const ticks: Tick[] = []
    onTestFinished(desk.service.hub.subscribe([INFY], 3, (tick) => ticks.push(tick)))
    await desk.settled(eventually(() => ticks.length > 0))

    for (const broken of brokenFrames(broker.fake.frame())) broker.fake.sendFrame(broken)
    broker.fake.setPrice(1510)
    await desk.settled(eventually(() => ticks.at(-1)?.ltp === 1510, 'the good price arrives'))

    expect(ticks.length).toBeGreaterThan(100)
    expect(ticks.filter((tick) => brokenFields(tick).length > 0)).toEqual([])
    expect(ticks.filter(({ exchange, symbol }) => symbol !== 'INFY' || exchange !== 'NSE')).toEqual([])
    expect(ticks.at(-1)).toMatchObject({ ltp: 1510, prevClose: 1500 })
    expect(Math.abs(Number(ticks.at(-1)?.timestamp) - broker.clock.now())).toBeLessThan(3_600_000)
    expect(desk.service.brokers.sessionStatus().state).toBe('signed_in')
    expect((await desk.settled(desk.place({ ...INFY, product: 'MIS', quantity: 1 }))).code).toBe('ok')
  },
)

test.each(['zerodha', 'upstox', 'angel', 'dhan'] as const)(
  'frames of %s with a good price beside one that cannot be still move the price',
  async (id) => {
    const broker = await FakeDesk.start(id)
    const desk = await broker.desk()
    const ticks: Tick[] = []
    onTestFinished(desk.service.hub.subscribe([INFY], 3, (tick) => ticks.push(tick)))
    await desk.settled(eventually(() => ticks.length > 0))

    broker.fake.sendFrame(broker.fake.frame({ ltp: 1488, open: -5 }))
    await desk.settled(eventually(() => ticks.at(-1)?.ltp === 1488, 'the price arrives'))
    broker.fake.sendFrame(broker.fake.frame({ ltp: -1488, open: 1500 }))
    broker.fake.sendFrame(broker.fake.frame({ ltp: 1487, open: 1490 }))
    await desk.settled(eventually(() => ticks.at(-1)?.ltp === 1487, 'the next one arrives'))

    expect(ticks.filter(({ ltp, open }) => ltp < 0 || open < 0)).toEqual([])
  },
)
