import { describe, expect, test } from 'vitest'
import { parseRateLimit } from '../../../src/core/config/index.js'

describe('a rate limit', () => {
  test.each([
    ['10 per second', [{ count: 10, perMs: 1000 }]],
    ['1 per day', [{ count: 1, perMs: 86_400_000 }]],
    ['200 per 5 minutes', [{ count: 200, perMs: 300_000 }]],
    ['25 per 1 hour', [{ count: 25, perMs: 3_600_000 }]],
    ['10/second', [{ count: 10, perMs: 1000 }]],
    ['10 / 30 seconds', [{ count: 10, perMs: 30_000 }]],
    ['  7 PER Minute ', [{ count: 7, perMs: 60_000 }]],
    [
      '10 per second;200 per minute',
      [
        { count: 10, perMs: 1000 },
        { count: 200, perMs: 60_000 },
      ],
    ],
    [
      '10/second ; 200/minute; 1000/day',
      [
        { count: 10, perMs: 1000 },
        { count: 200, perMs: 60_000 },
        { count: 1000, perMs: 86_400_000 },
      ],
    ],
  ])('%j is parsed', (text, windows) => {
    expect(parseRateLimit(text)).toEqual(windows)
  })

  test.each([
    '',
    '10',
    'per second',
    '0 per second',
    '10 per 0 seconds',
    '-1 per second',
    '1.5 per second',
    '10 per week',
    '10 per second;',
    '10 per second, 5 per minute',
    '10perminute2',
    '10 second',
    '99999999999 per day',
    '10 per second; drop table',
  ])('%j is refused with the expected format', (text) => {
    expect(() => parseRateLimit(text)).toThrow(/not a rate limit: .*write it like "10 per second/)
  })
})
