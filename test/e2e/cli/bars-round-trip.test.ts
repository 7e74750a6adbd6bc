import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseBars } from '../../../src/core/brokers/simulated/replay/recording.js'
import { readBars } from '../../../src/core/strategies/replay/recorded/bars.js'
import { commandDesk } from '../../support/desk/command-desk.js'
import { tempDir } from '../../support/files/temp.js'
import { DaemonProcess } from '../../support/process/daemon-process.js'

/* The file that `svc history -o csv` writes is what every replay reads, price for price. */

const desk = commandDesk()

interface Bar {
  timestamp: number
  open: number
  high: number
  low: number
  close: number
  volume: number
}

const DAY_MS = 86_400_000
const day = (at: number) => new Date(at + 5.5 * 3_600_000).toISOString().slice(0, 10)

async function written(symbol: string, interval: string, more = ''): Promise<{ file: string; text: string }> {
  const { exit, stdout, stderr } = await desk.terminal.svc(
    `history ${symbol} --interval ${interval} --start ${START} --end ${END} -o csv${more}`,
  )
  expect([exit, stderr]).toEqual([0, ''])
  const file = join(tempDir(), 'bars.csv')
  writeFileSync(file, stdout)
  return { file, text: stdout }
}

const START = day(Date.now() - 4 * DAY_MS)
const END = day(Date.now() - DAY_MS)

async function asked(interval: string): Promise<Bar[]> {
  const body = { symbol: 'SBIN', exchange: 'NSE', interval, start_date: START, end_date: END }
  return (await desk.daemon.api<{ data: Bar[] }>('history', body)).body.data
}

const pricesOf = ({ close, high, low, open }: Omit<Bar, 'timestamp' | 'volume'>) => [open, high, low, close]

test.each(['1m', '3m', '5m', '10m', '15m', '30m', '1h', 'D'])(
  'bars of %s come back with every price and volume as they were, or are refused',
  async (interval) => {
    const bars = await asked(interval)
    expect(bars.length).toBeGreaterThan(0)
    for (const more of ['', ' --utc', ' --bom']) {
      const { text } = await written('SBIN NSE', interval, more)
      expect(text).not.toMatch(/\d\.\d{5,}/)
      if (interval === '1m') {
        expect(parseBars(text).map((bar) => [bar.timestamp, ...pricesOf(bar), bar.volume])).toEqual(
          bars.map((bar) => [bar.timestamp, ...pricesOf(bar), bar.volume]),
        )
      } else {
        expect(() => parseBars(text)).toThrow('only bars of one minute')
      }
      if (interval === 'D') continue
      const contract = { symbol: 'SBIN', exchange: 'NSE' }
      const [series] = readBars([{ name: 'bars.csv', text, contract }]).series
      expect(series?.bars.map((bar) => [bar.time / 1000, ...pricesOf(bar)])).toEqual(
        bars.map((bar) => [bar.timestamp, ...pricesOf(bar)]),
      )
    }
  },
)

test('flow test --replay and strategy replay --from take the file', async () => {
  const { file } = await written('SBIN NSE', '1m')
  const flow = await desk.terminal.svc(
    `flow test flows/opening-range-breakout.test.yaml --replay NSE:SBIN=${file}`,
  )
  // What the workflow does with other prices is not the subject: only that they were read.
  expect([flow.exit === 2, flow.stderr]).toEqual([false, expect.not.stringContaining('bars.csv')])
  const signals = join(tempDir(), 'signals.csv')
  writeFileSync(signals, `time,signal,symbol\n${day(Date.parse(START))} 10:00,long_entry,SBIN\n`)
  const strategy = await desk.terminal.svc(
    `strategy replay flows/strategies/sbin-signals.yaml --from NSE:SBIN=${file} --signals ${signals} --json`,
  )
  expect([strategy.exit, strategy.stderr]).toEqual([0, expect.not.stringContaining('bars.csv')])
})

test('SIM_REPLAY takes the file', async () => {
  const { file, text } = await written('NIFTY NSE_INDEX', '1m')
  const daemon = DaemonProcess.prepared({ SIM_REPLAY: file, SIM_REPLAY_START: 'now' })
  await daemon.start()
  try {
    const first = parseBars(text)[0]
    const { body } = await daemon.api<{ data: { ltp: number } }>('quotes', {
      symbol: 'NIFTY',
      exchange: 'NSE_INDEX',
    })
    expect(body.data.ltp).toBeGreaterThan((first?.low ?? 0) * 0.99)
    expect(body.data.ltp).toBeLessThan((first?.high ?? 0) * 1.01)
  } finally {
    await daemon.dispose()
  }
})
