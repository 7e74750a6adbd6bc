import { expect, it } from 'vitest'
import { barTime, intervalOf } from '../../../../../src/core/brokers/kit/market/bars.js'

it('an interval has the word of the broker, and another one is refused unsent', () => {
  expect(intervalOf({ '5m': '5minute', D: 'day' }, 'D')).toBe('day')
  for (const unknown of ['7m', 'toString']) {
    expect(() => intervalOf({ '5m': '5minute', D: 'day' }, unknown)).toThrow(
      expect.objectContaining({
        kind: 'validation',
        sent: 'never',
        message: `Interval ${unknown} is not one of 5m, D.`,
      }),
    )
  }
})

it('the zone of a bar’s time may have a colon', () => {
  const seconds = Date.UTC(2017, 11, 15, 3, 45) / 1000
  for (const text of ['2017-12-15T09:15:00+0530', '2017-12-15T09:15:00+05:30', '2017-12-15T03:45:00Z'])
    expect(barTime(text)).toBe(seconds)
  // Without a zone it is a time of India, or none: never one of this machine.
  expect(barTime('2017-12-15 09:15:00')).toBe(seconds)
  expect(() => barTime('2017-12-15T09:15:00')).toThrow(expect.objectContaining({ kind: 'protocol' }))
  expect(() => barTime('soon')).toThrow(expect.objectContaining({ kind: 'protocol', sent: 'yes' }))
})
