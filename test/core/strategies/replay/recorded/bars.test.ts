import { describe, expect, it } from 'vitest'
import { type BarFile, readBars, readSignals } from '../../../../../src/core/strategies/replay/index.js'
import { pathOf } from '../../../../../src/core/strategies/replay/recorded/ticks.js'

const HEADING = 'symbol,exchange,time,open,high,low,close,volume'
const file = (...rows: string[]): BarFile => ({ name: 'bars.csv', text: [HEADING, ...rows].join('\n') })
const sbin = (text: string, heading = 'datetime,close,high,low,open,volume'): BarFile => ({
  name: 'sbin.csv',
  text: `${heading}\n${text}`,
  contract: { symbol: 'SBIN', exchange: 'NSE' },
})

describe('files of bars', () => {
  it.each([
    ['Indian time without a zone', '2026-11-20 09:15'],
    ['Indian time with seconds', '2026-11-20T09:15:00'],
    ['UTC', '2026-11-20 03:45:00+00:00'],
    ['the zone of an export', '2026-11-20T09:15:00+05:30'],
    ['Z', '2026-11-20T03:45:00Z'],
    ['seconds since 1970', '1795146300'],
  ])('may have times in %s', (_form, time) => {
    const { series } = readBars([file(`SBIN,NSE,${time},800,801,799,800.5,10`)])
    expect(series[0]?.bars[0]).toEqual({
      time: Date.parse('2026-11-20T03:45:00Z'),
      open: 800,
      high: 801,
      low: 799,
      close: 800.5,
    })
  })

  it('may be of one contract, with columns in any order and of any program', () => {
    const one = sbin('2026-11-20 03:45:00+00:00,800.5,801,799,800,0.0')
    const other = sbin(
      '2026-11-20T09:15:00+05:30,800,801,799,800.5,10,0',
      'timestamp,open,high,low,close,volume,oi',
    )
    expect(readBars([one])).toEqual(readBars([other]))
  })

  it('may be quoted, end lines with CRLF and begin with a byte order mark', () => {
    const text = `\ufeff${HEADING}\r\n"SBIN","NSE","2026-11-20 09:15","800","801","799","800","1"\r\n\r\n`
    expect(readBars([{ name: 'x.csv', text }]).series).toMatchObject([{ key: 'NSE:SBIN' }])
  })

  it.each([
    [
      'a day that does not exist',
      'SBIN,NSE,2026-02-30 09:15,1,1,1,1,1',
      'column time must be a time such as',
    ],
    [
      'a day with a zone that does not exist',
      'SBIN,NSE,2026-11-31T09:15:00Z,1,1,1,1,1',
      'column time must be a time such as',
    ],
    [
      'a price of zero',
      'SBIN,NSE,2026-11-20 09:15,0,1,1,1,1',
      'column open must be a price above 0; it was "0"',
    ],
    [
      'a price in words',
      'SBIN,NSE,2026-11-20 09:15,1,1,1,x,1',
      'column close must be a price above 0; it was "x"',
    ],
    [
      'a price in hexadecimal',
      'SBIN,NSE,2026-11-20 09:15,1,0x1,1,1,1',
      'column high must be a price above 0',
    ],
    ['a negative price', 'SBIN,NSE,2026-11-20 09:15,1,1,-1,1,1', 'column low must be a price above 0'],
    ['a missing price', 'SBIN,NSE,2026-11-20 09:15,1', 'column high must be a price above 0; it is missing'],
    [
      'a high below the open',
      'SBIN,NSE,2026-11-20 09:15,5,4,1,2,1',
      'column high must not be below open or close',
    ],
    [
      'a low above the close',
      'SBIN,NSE,2026-11-20 09:15,5,6,4,3,1',
      'column low must not be above open or close',
    ],
    ['a date that is none', 'SBIN,NSE,2026-13-20 09:15,1,1,1,1,1', 'column time must be a time such as'],
    ['a date without a time', 'SBIN,NSE,2026-11-20,1,1,1,1,1', 'column time must be a time such as'],
    ['an exchange nobody knows', 'SBIN,LSE,2026-11-20 09:15,1,1,1,1,1', 'column exchange must be one of NSE'],
    [
      'a symbol with a control character',
      'SB\u0007IN,NSE,2026-11-20 09:15,1,1,1,1,1',
      'column symbol must be a symbol',
    ],
  ])('names file, line and column of %s', (_fault, row, message) => {
    const good = 'SBIN,NSE,2026-11-20 09:14,1,1,1,1,1'
    expect(() => readBars([file(good, row)])).toThrow(`bars.csv:3: ${message}`)
  })

  it.each([
    ['an empty file', '', 'bars.csv is empty'],
    ['a heading alone', HEADING, 'The files have no bars'],
    [
      'a heading without a column',
      'symbol,time,open,high,low',
      'bars.csv:1: the heading lacks close, exchange',
    ],
    [
      'a heading with a column twice',
      `${HEADING},high`,
      'bars.csv:1: the heading names the column high twice',
    ],
    [
      'two names of one column',
      `${HEADING},timestamp`,
      'bars.csv:1: the heading names the column time twice',
    ],
  ])('refuses %s', (_what, text, message) => {
    expect(() => readBars([{ name: 'bars.csv', text }])).toThrow(message)
  })

  it('accepts a bar that two files give, and refuses another one of the same time', () => {
    const row = 'SBIN,NSE,2026-11-20 09:15,800,801,799,800,1'
    expect(readBars([file(row), file(row)]).series[0]?.bars).toHaveLength(1)
    expect(() => readBars([file(row), file(row.replace('801', '802'))])).toThrow(
      'bars.csv:2: column time repeats a bar of NSE:SBIN with other prices',
    )
  })

  it('refuses two lot sizes of one contract', () => {
    const text = `${HEADING},lot_size\nX,NFO,2026-11-20 09:15,1,1,1,1,1,75\nX,NFO,2026-11-20 09:16,1,1,1,1,1,65`
    expect(() => readBars([{ name: 'x.csv', text }])).toThrow('x.csv:3: column lot_size must be the same')
  })

  it('refuses bars of two intervals, unless the interval is named', () => {
    const rows = ['A,NSE,2026-11-20 09:15,1,1,1,1,1', 'A,NSE,2026-11-20 09:16,1,1,1,1,1']
    const others = ['B,NSE,2026-11-20 09:15,1,1,1,1,1', 'B,NSE,2026-11-20 09:20,1,1,1,1,1']
    expect(() => readBars([file(...rows, ...others)])).toThrow('The bars of NSE:B are 5 min apart')
    expect(readBars([file(...rows, ...others)], 60_000).intervalMs).toBe(60_000)
    expect(() => readBars([file(...rows)], 300_000)).toThrow('The bars of NSE:A are 1 min apart, less than')
  })

  it('refuses bars of a day: they do not tell when a price was', () => {
    const rows = ['A,NSE,2026-11-19 09:15,1,1,1,1,1', 'A,NSE,2026-11-20 09:15,1,1,1,1,1']
    expect(() => readBars([file(...rows)])).toThrow('a replay takes bars of at most 1 hour')
  })
})

describe('files of signals', () => {
  const read = (text: string) => readSignals([{ name: 's.csv', text }])

  it('are sorted by time', () => {
    const signals = read('time,signal,leg_id\n2026-11-20 10:00,LONG_EXIT,1\n2026-11-20 09:30,long_entry,1')
    expect(signals.map(({ signal }) => signal)).toEqual(['long_entry', 'long_exit'])
  })

  it.each([
    ['time,signal\n2026-11-20 10:00,buy', 's.csv:2: column signal must be one of long_entry'],
    [
      'time,signal,leg_id\n2026-11-20 10:00,long_entry,11',
      's.csv:2: column leg_id must be a number from 1 to 10',
    ],
    ['time,signal\nsoon,long_entry', 's.csv:2: column time must be a time'],
    ['time,leg_id\n', 's.csv:1: the heading lacks signal'],
  ])('name file, line and column of a fault: %j', (text, message) => {
    expect(() => read(text)).toThrow(message)
  })
})

describe('the path of a bar', () => {
  const bar = (open: number, high: number, low: number, close: number) => ({
    time: 0,
    open,
    high,
    low,
    close,
  })

  it.each([
    ['the high first when it is nearer the open', bar(100, 101, 90, 95), [100, 101, 90, 95]],
    ['the low first when it is nearer the open', bar(100, 110, 99, 105), [100, 99, 110, 105]],
    ['the low first in a rising bar with both as near', bar(100, 105, 95, 101), [100, 95, 105, 101]],
    ['the high first in a falling bar with both as near', bar(100, 105, 95, 99), [100, 105, 95, 99]],
  ])('visits %s', (_rule, given, path) => {
    expect(pathOf(given, 1)).toEqual(path)
  })

  it('moves in even steps of whole paise, and never beyond the bar', () => {
    expect(pathOf(bar(100, 100.1, 99.9, 100), 3)).toEqual([
      ...[100, 99.97, 99.93, 99.9],
      ...[99.97, 100.03, 100.1],
      ...[100.07, 100.03, 100],
    ])
  })
})
