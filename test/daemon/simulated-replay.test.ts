import { writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { FRIDAY_11, TestDesk } from '../support/desk/desk.js'
import { tempFile } from '../support/files/temp.js'

const MINUTE_MS = 60_000

/** Three bars that rise from 100 by ten per minute; the first starts at this instant. */
function recording(from: string): string {
  const rows = [100, 110, 120].map((open, i) => {
    const time = new Date(Date.parse(from) + i * MINUTE_MS).toISOString()
    return `${time},${open},${open + 10},${open},${open + 10},1000`
  })
  const file = tempFile('bars.csv')
  writeFileSync(file, ['datetime,open,high,low,close,volume', ...rows, ''].join('\n'))
  return file
}

/** The price of NIFTY at the start and after each of four minutes. */
async function prices(env: Record<string, string>): Promise<(number | undefined)[]> {
  const desk = await TestDesk.open({ env })
  const begun = desk.clock.now()
  const seen: (number | undefined)[] = []
  for (let minute = 0; minute <= 4; minute++) {
    await desk.clock.advanceTo(begun + minute * MINUTE_MS)
    const [quote] = await desk.service.brokers
      .client()
      .market.quotes([{ symbol: 'NIFTY', exchange: 'NSE_INDEX' }])
    seen.push(quote && 'ltp' in quote ? quote.ltp : undefined)
  }
  return seen
}

const PLAYED = [100, 110, 120, 130, 130]
const LAST_YEAR = '2025-11-20T09:15:00+05:30'
const NEXT_MINUTE = '2026-11-20T11:01:00+05:30'

describe('recorded bars', () => {
  const cases: [string, string, string | undefined, number[]][] = [
    ['of the past play at once', LAST_YEAR, undefined, PLAYED],
    ['that begin now play', FRIDAY_11, undefined, PLAYED],
    ['to come wait for their time', NEXT_MINUTE, undefined, [100, 100, 110, 120, 130]],
    ['to come play at once with now', NEXT_MINUTE, 'now', PLAYED],
    ['of the past are over with recorded', LAST_YEAR, 'recorded', [130, 130, 130, 130, 130]],
    ['play from an instant to come', LAST_YEAR, NEXT_MINUTE, [100, 100, 110, 120, 130]],
    [
      'have played since an instant before',
      LAST_YEAR,
      '2026-11-20T10:59:00+05:30',
      [110, 120, 130, 130, 130],
    ],
  ]
  test.each(cases)('%s', async (_name, from, start, wanted) => {
    const env = { SIM_REPLAY: recording(from), ...(start === undefined ? {} : { SIM_REPLAY_START: start }) }
    expect((await prices(env)).map((price) => Math.round(price ?? 0))).toEqual(wanted)
  })

  test.each(['soon', '2026-11-20', '2026-11-20T09:15:00'])('cannot start at %s', async (start) => {
    const env = { SIM_REPLAY: recording(LAST_YEAR), SIM_REPLAY_START: start }
    await expect(TestDesk.open({ env })).rejects.toThrow('SIM_REPLAY_START')
  })
})
