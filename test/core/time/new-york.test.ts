import { expect, test } from 'vitest'
import { addDays, isNewYorkSummer } from '../../../src/core/time/index.js'

/** Commodities close around noon in New York. */
const NOON = 'T12:00:00-05:00'
const zone = new Intl.DateTimeFormat('en-US', { timeZone: 'America/New_York', timeZoneName: 'short' })

test('daylight-saving time in New York is that of the time zone database, on every day of twelve years', () => {
  const wrong = []
  for (let date = '2024-01-01'; date < '2036-01-01'; date = addDays(date, 1)) {
    const isSummer = zone.format(Date.parse(`${date}${NOON}`)).endsWith('EDT')
    if (isSummer !== isNewYorkSummer(date)) wrong.push(date)
  }
  expect(wrong).toEqual([])
})
