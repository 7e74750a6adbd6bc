import { describe, expect, it } from 'vitest'
import { parseDay, parseInstant } from '../../../../src/cli/output/text/instant.js'

const NOW = Date.parse('2026-11-20T23:30:00+05:30')
const since = (text: string) => new Date(parseInstant(text, '--since', NOW)).toISOString()
const until = (text: string) => new Date(parseInstant(text, '--until', NOW, true)).toISOString()

describe('parseInstant', () => {
  it.each([
    ['90s', '2026-11-20T17:58:30.000Z'],
    ['30m', '2026-11-20T17:30:00.000Z'],
    ['2h', '2026-11-20T16:00:00.000Z'],
    ['3d', '2026-11-17T18:00:00.000Z'],
    ['1w', '2026-11-13T18:00:00.000Z'],
    ['today', '2026-11-19T18:30:00.000Z'],
    ['yesterday', '2026-11-18T18:30:00.000Z'],
    ['09:15', '2026-11-20T03:45:00.000Z'],
    ['9:15', '2026-11-20T03:45:00.000Z'],
    ['09:15:30', '2026-11-20T03:45:30.000Z'],
    ['00:00', '2026-11-19T18:30:00.000Z'],
    ['2026-11-01', '2026-10-31T18:30:00.000Z'],
    ['2026-11-20T09:15', '2026-11-20T03:45:00.000Z'],
    ['2026-11-20 09:15:30', '2026-11-20T03:45:30.000Z'],
    ['2026-11-20T09:15:00+05:30', '2026-11-20T03:45:00.000Z'],
    ['2026-11-20T03:45:00Z', '2026-11-20T03:45:00.000Z'],
  ])('%s', (text, instant) => {
    expect(since(text)).toBe(instant)
  })

  it('a date at the end of a period includes its day', () => {
    expect(until('2026-11-01')).toBe('2026-11-01T18:30:00.000Z')
    expect(until('today')).toBe('2026-11-20T18:30:00.000Z')
    expect(until('2h')).toBe(since('2h'))
  })

  it.each([
    '',
    'soon',
    '2',
    '3 d',
    '-2h',
    '2026-11-31',
    '2026-13-01',
    '20-11-2026',
    '2026-11-20T25:00',
    '24:00',
    '09:60',
    '915',
    '9'.repeat(20),
  ])('"%s" is refused with the forms that exist', (text) => {
    expect(() => since(text)).toThrow(
      /^--since must be a duration such as 2h or 3d, a date such as .* 09:15 \(of today\)/,
    )
  })
})

describe('parseDay', () => {
  it('is the Indian day of a time, but takes no time of today', () => {
    expect(parseDay('yesterday', '--since', NOW)).toBe('2026-11-19')
    expect(parseDay('2026-11-20T01:00:00Z', '--since', NOW)).toBe('2026-11-20')
    for (const text of ['09:15', 'soon', '', '2026-13-01']) {
      expect(() => parseDay(text, '--until', NOW)).toThrow(
        `--until must be a day: today, yesterday, 3d or 2026-11-20, was "${text}".`,
      )
    }
  })
})
