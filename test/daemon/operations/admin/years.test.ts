import { expect, test } from 'vitest'
import { VirtualClock } from '../../../../src/core/time/index.js'
import { bearer } from '../../../support/desk/http-desk.js'
import { adminRig } from './admin-rig.js'

/* The exchanges publish the holidays of a year in December. Until then, the service says that it does not have them. */
const WARNING_2027 =
  'The calendar does not have all holidays of 2027: a holiday that is missing counts as a trading day.'
const WARNING_2028 =
  'The calendar has no holidays of 2028: a holiday that is missing counts as a trading day.'

test('of 2027 only the fixed holidays are known, and every answer about it says so', async () => {
  const rig = await adminRig()
  const { body } = await rig.call('GET', 'holidays?year=2027')
  expect(body).toMatchObject({ coverage: 'partial', warning: WARNING_2027 })
  // The other fixed holidays of 2027 fall on weekends.
  expect((body.data as { date: string }[]).map(({ date }) => date)).toEqual(['2027-01-26'])
  expect(await rig.api('market/holidays', { year: 2027 })).toMatchObject({ warning: WARNING_2027 })
  expect(await rig.api('market/timings', { date: '2027-03-22' })).toMatchObject({ warning: WARNING_2027 })
  expect(await rig.api('checkholiday', { date: '2027-01-26', exchange: 'MCX' })).toMatchObject({
    data: { is_holiday: true },
    warning: WARNING_2027,
  })
  expect((await rig.call('POST', 'timings/check', { date: '2027-03-22' })).body.warning).toBe(WARNING_2027)
  expect(await rig.call('GET', 'holidays?year=2028')).toMatchObject({
    body: { data: [], coverage: 'none', warning: WARNING_2028 },
  })
  expect(await rig.api('market/timings', { date: '2028-03-22' })).toMatchObject({ warning: WARNING_2028 })
  expect(await rig.api('market/holidays', { year: 2026 })).not.toHaveProperty('warning')
})

test('a year is complete when the owner says so, and no longer when he takes it back', async () => {
  const rig = await adminRig()
  expect((await rig.call('PUT', 'holidays/years/2027', { complete: true })).body).toEqual({
    status: 'success',
    message: 'The holidays of 2027 are complete',
    data: { year: 2027, coverage: 'complete' },
  })
  expect(await rig.api('market/holidays', { year: 2027 })).not.toHaveProperty('warning')
  expect((await rig.call('PUT', 'holidays/years/2027', { complete: false })).body).toMatchObject({
    data: { coverage: 'partial' },
    warning: WARNING_2027,
  })
  expect(await rig.call('PUT', 'holidays/years/2028', { complete: true })).toMatchObject({
    status: 400,
    body: { message: 'The calendar has no holiday of 2028: add them first' },
  })
  for (const year of ['2019', '2051', 'abc', '2026.5', '%00', '__proto__']) {
    expect((await rig.call('PUT', `holidays/years/${year}`, { complete: true })).status).toBe(400)
  }
  expect((await rig.call('PUT', 'holidays/years/2027', { complete: 'yes' })).status).toBe(400)
})

test('the status warns of a year without a list from 60 days before it begins', async () => {
  const gapsAt = async (at: string) => {
    const { http } = await adminRig({ clock: new VirtualClock(`${at}T11:00:00+05:30`) })
    const { body } = await http.request('GET', '/status', { headers: bearer(await http.tokenOf('read')) })
    return (Object(body.data).calendar_gaps as object[]).map((gap) => [
      Object(gap).year,
      Object(gap).coverage,
    ])
  }
  expect(await gapsAt('2026-11-01')).toEqual([])
  expect(await gapsAt('2026-11-02')).toEqual([[2027, 'partial']])
  expect(await gapsAt('2027-02-01')).toEqual([[2027, 'partial']])
  expect(await gapsAt('2028-02-01')).toEqual([[2028, 'none']])
})
