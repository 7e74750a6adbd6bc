import { expect, it } from 'vitest'
import { accessOf } from '../support/access.js'
import { DOWN, ENTER, ESC, LEFT, RIGHT } from '../support/shown.js'
import { CLEAR, openSystem, sizeOf } from './system-desk.js'

async function openFreeze() {
  const desk = await openSystem()
  const app = await desk.open('freeze')
  await app.shows(/\d+ freeze quantities/)
  const filter = async (text: string) => {
    await app.press('/')
    await app.shows('Filter:')
    await app.press(text)
    await app.shows(`with "${text}"`)
    await app.press(ENTER)
  }
  const entries = async () => (await desk.client.request('GET /admin/api/freeze', {})).data
  return { ...desk, app, filter, entries }
}

it('n adds a freeze quantity, and shows what the daemon refuses with its field', async () => {
  const { app, entries, filter } = await openFreeze()
  await app.press('n')
  await app.shows('> Exchange')
  await app.press(DOWN)
  await app.shows('an underlying, such as NIFTY or M&M')
  await app.press('newco')
  await app.press(DOWN)
  await app.press('0')
  await app.shows('a whole number from 1 to 1000000000')
  await app.press(CLEAR)
  await app.press('2500')
  await app.press(ENTER)
  await app.shows('Freeze quantity of NFO:NEWCO: it is 2500.')
  expect(await entries()).toContainEqual(expect.objectContaining({ symbol: 'NEWCO', freeze_qty: 2500 }))
  await filter('newco')
  await app.shows(/> +\d+ +NFO +NEWCO +2,500/)
  await app.press('n')
  await app.press(DOWN)
  await app.press('NEWCO')
  await app.press(DOWN)
  await app.press('1')
  await app.press(ENTER)
  await app.shows('Symbol: NEWCO already exists for NFO')
  await app.shows(/Symbol +NEWCO/)
  await app.press(ESC)
})

it('e changes a freeze quantity and d deletes it after a question', async () => {
  const { app, client, entries, filter } = await openFreeze()
  await client.request('POST /admin/api/freeze', {
    body: { exchange: 'MCX', symbol: 'NEWCO', freeze_qty: 10 },
  })
  await app.press('\t')
  await app.press('\u001b[Z')
  await filter('newco')
  await app.shows(/> +\d+ +MCX +NEWCO +10/)
  await app.press('e')
  await app.shows(/> Quantity +10/)
  await app.press(CLEAR)
  await app.press('12')
  await app.press(ENTER)
  await app.shows('Freeze quantity of MCX:NEWCO: it is 12.')
  await app.shows(/NEWCO +12/)
  await app.press('d')
  await app.shows('Delete the freeze quantity 12 of MCX:NEWCO?')
  await app.shows('The underlying then has no known limit.')
  await app.press('n')
  await app.shows(/NEWCO +12/)
  await app.press('d')
  await app.shows('Delete the freeze')
  await app.press('y')
  await app.shows('Freeze quantity of MCX:NEWCO: deleted.')
  await app.shows('No row has this text.')
  expect((await entries()).some(({ symbol }) => symbol === 'NEWCO')).toBe(false)
})

it('a freeze quantity that someone else deleted is refused', async () => {
  const { app, client, entries } = await openFreeze()
  const [first] = await entries()
  await app.shows('> ')
  await app.press('e')
  await app.shows('> Quantity')
  for (const { id } of await entries()) {
    await client.request('DELETE /admin/api/freeze/:id', { params: { id: String(id) } })
  }
  await app.press(ENTER)
  await app.shows(new RegExp(`Freeze quantity of ${first?.exchange}:\\S+: refused\\.`))
})

it('holidays of the year, and of others by the arrows', async () => {
  const { open } = await openSystem()
  const app = await open('holidays')
  await app.shows(/2026: \d+ days/)
  await app.shows(/2026-\d\d-\d\d/)
  expect(sizeOf(app.screen()).widest).toBeLessThanOrEqual(80)
  await app.press(RIGHT)
  await app.shows(/2027: \d+ day/)
  await app.press(LEFT)
  await app.press(LEFT)
  await app.shows(/2025: \d+ day/)
})

it('n adds a holiday: each field is checked while one types', async () => {
  const { client, open } = await openSystem()
  const app = await open('holidays')
  await app.shows('2026:')
  await app.press('n')
  await app.shows(/> Date +2026-/)
  await app.press('13-01')
  await app.shows('a date: YYYY-MM-DD')
  await app.press(CLEAR)
  await app.press('2026-12-30')
  await app.press(DOWN)
  await app.shows('the name of the day')
  await app.press('A day off')
  await app.press(DOWN)
  await app.shows('[trading]')
  await app.press(DOWN)
  await app.shows('the exchanges that do not trade')
  await app.press('NSE,XYZ')
  await app.shows('XYZ is none of NSE')
  await app.press(CLEAR)
  await app.press('NSE,BSE')
  await app.press(DOWN)
  await app.press('MCX=17:00')
  await app.shows('MCX=17:00 is not like MCX=17:00-23:55')
  await app.press('-23:55')
  await app.press(ENTER)
  await app.shows('Entry of 2026-12-30: ')
  const { data } = await client.request('GET /admin/api/holidays', { query: { year: 2026 } })
  expect(data.find(({ date }) => date === '2026-12-30')).toMatchObject({
    description: 'A day off',
    holiday_type: 'TRADING_HOLIDAY',
    closed_exchanges: ['NSE', 'BSE'],
    open_exchanges: [{ exchange: 'MCX' }],
  })
  await app.press('n')
  await app.press(CLEAR)
  await app.press('2026-12-30')
  await app.press(DOWN)
  await app.press('Again')
  await app.press(DOWN)
  await app.press(DOWN)
  await app.press('NSE')
  await app.press(DOWN)
  await app.press(ENTER)
  await app.shows('NSE has an entry on 2026-12-30 already')
})

it('a special session needs hours, and a settlement holiday has none', async () => {
  const { client, open } = await openSystem()
  const app = await open('holidays')
  await app.shows('2026:')
  await app.press('n')
  await app.press('12-29')
  await app.press(DOWN)
  await app.press('Evening')
  await app.press(DOWN)
  await app.press('ss')
  await app.shows('[special]')
  expect(app.screen()).not.toContain('Closed')
  await app.press(DOWN)
  await app.shows('at least one exchange with its hours')
  await app.press('NSE=18:00-19:15')
  await app.press(ENTER)
  await app.shows('Entry of 2026-12-29: ')
  await app.press('n')
  await app.press('12-28')
  await app.press(DOWN)
  await app.press('Bank holiday')
  await app.press(DOWN)
  await app.press('s')
  await app.shows('[settlement]')
  expect(app.screen()).not.toMatch(/Closed|Open {2}/)
  await app.press(ENTER)
  await app.shows('Entry of 2026-12-28: ')
  const { data } = await client.request('GET /admin/api/holidays', { query: { year: 2026 } })
  const types = data.filter(({ date }) => date >= '2026-12-28').map(({ holiday_type: type }) => type)
  expect(types).toEqual(['SETTLEMENT_HOLIDAY', 'SPECIAL_SESSION'])
})

it('d deletes an entry after a question', async () => {
  const { client, open } = await openSystem()
  const before = (await client.request('GET /admin/api/holidays', {})).data
  const app = await open('holidays')
  await app.shows(/> +\d+ +2026/)
  await app.press('d')
  await app.shows(`Delete ${before[0]?.date}`)
  await app.press('y')
  await app.shows('deleted.')
  expect((await client.request('GET /admin/api/holidays', {})).data).toEqual(before.slice(1))
})

it('e changes the usual hours of an exchange', async () => {
  const { client, open } = await openSystem()
  const app = await open('hours')
  await app.shows('NSE')
  await app.press('G')
  await app.shows(/> +NSE +09:15 +15:30/)
  await app.press('e')
  await app.shows('Usual hours of NSE, in Indian time.')
  await app.press(CLEAR)
  await app.press('9:00')
  await app.shows('a time: HH:MM')
  await app.press(CLEAR)
  await app.press('09:00')
  await app.press(DOWN)
  await app.press(CLEAR)
  await app.press('08:00')
  await app.shows('later than it opens')
  await app.press(CLEAR)
  await app.press('15:45')
  await app.press(ENTER)
  await app.shows('Hours of NSE: 09:00 to 15:45.')
  await app.shows(/> +NSE +09:00 +15:45/)
  const { data } = await client.request('GET /admin/api/timings', {})
  expect(data.find(({ exchange }) => exchange === 'NSE')).toMatchObject({
    start_time: '09:00',
    end_time: '15:45',
  })
})

it('hours that the daemon fixes are refused with its words', async () => {
  const { open } = await openSystem()
  const app = await open('hours')
  await app.shows('CRYPTO')
  await app.press('jjjj')
  await app.shows(/> +CRYPTO/)
  await app.press('e')
  await app.shows('Usual hours of CRYPTO')
  await app.press(CLEAR)
  await app.press('01:00')
  await app.press(DOWN)
  await app.press(ENTER)
  await app.shows('exchange: CRYPTO trades around the clock')
})

it.each([
  ['freeze', 'e'],
  ['hours', 'e'],
  ['holidays', 'd'],
])('a token that may only read changes nothing in %s', async (tab, key) => {
  const desk = await openSystem()
  const app = await desk.open(tab, await accessOf(desk, 'read'))
  await app.shows(/^>/m)
  await app.press(key)
  if (key === 'd') {
    await app.shows('Delete')
    await app.press('y')
  } else {
    await app.shows(/^> (Opens|Quantity)/m)
    await app.press(ENTER)
    if (tab === 'hours') await app.press(ENTER)
  }
  await app.shows(/refused\. .*admin/)
})
