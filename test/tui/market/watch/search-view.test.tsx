import { describe, expect, test } from 'vitest'
import { queryOf } from '../../../../src/tui/market/watch/search-view.js'
import { DOWN, ENTER, ESC, UP } from '../../support/shown.js'
import { fits, marketDesk, marketScreen } from '../rig.js'

async function searching(list: readonly string[] = ['NSE:INFY']) {
  const desk = await marketDesk()
  const screen = await marketScreen(desk, { list })
  await screen.shows(/INFY|is empty/)
  await screen.press('a')
  await screen.shows(/^Add:/m)
  return { ...screen, desk }
}

describe('the search', () => {
  test('follows the typing; enter adds the symbol under the cursor', async () => {
    const { press, shows, saved, screen } = await searching()
    await press('sbin')
    await shows(/^ 2 found +\d of 2$/m)
    expect(fits(screen())).toBe(true)
    expect(screen()).toMatch(/^> {2}\w+:SBIN +STATE BANK OF INDIA +EQ/m)
    await press(DOWN)
    const chosen = /^> {2}(\S+)/m.exec(screen())?.[1]
    await press(ENTER)
    await shows(`${chosen} is added to the watch list.`)
    await expect.poll(saved).toEqual(['NSE:INFY', chosen])
    await shows(new RegExp(`^> {2}${chosen}`, 'm'))
  })

  test('the arrows move while the text stays', async () => {
    const { press, shows, screen } = await searching()
    await press('nifty')
    await shows(/found +\d+ of \d+$/m)
    const first = /^> {2}(\S+)/m.exec(screen())?.[1] ?? ''
    await press(DOWN)
    expect(screen()).not.toMatch(new RegExp(`^> {2}${first} `, 'm'))
    await press(UP)
    expect(screen()).toMatch(new RegExp(`^> {2}${first} `, 'm'))
    expect(screen()).toMatch(/^Add: nifty/m)
  })

  test('esc first clears the text, and then leaves', async () => {
    const { press, shows, screen } = await searching()
    await shows('esc cancel')
    await press('sbin')
    await shows('esc clear the text')
    await press(ESC)
    await shows('Type parts of a symbol')
    expect(screen()).toMatch(/^Add: *$/m)
    await press(ESC)
    await shows(/1 symbol/)
  })

  test('an exchange before the words looks there only', async () => {
    const { press, shows, screen } = await searching()
    await press('bse:sbin')
    await shows(/^ 1 found +\d of 1$/m)
    expect(screen()).toMatch(/^> {2}BSE:SBIN/m)
  })

  test('enter adds nothing before the results belong to the text', async () => {
    const { press, shows, saved } = await searching()
    await press('sbin')
    await shows(/^ 2 found +\d of 2$/m)
    await press('zzqq')
    await press(ENTER)
    await shows('Nothing matches "sbinzzqq".')
    await press(ENTER)
    await shows('Nothing matches')
    expect(await saved()).toEqual(['NSE:INFY'])
  })

  test('a symbol of the list is not added twice', async () => {
    const { press, shows, saved } = await searching()
    await press('infy')
    await shows(/^ 1 found +\d of 1$/m)
    await press(ENTER)
    await shows('NSE:INFY is in the watch list already.')
    expect(await saved()).toEqual(['NSE:INFY'])
  })

  test('esc leaves, and an empty text finds nothing', async () => {
    const { press, shows } = await searching()
    await press('sbin')
    await shows(/^ 2 found +\d of 2$/m)
    await press('\u0015')
    await shows('Type parts of a symbol')
    await press(ESC)
    await shows('1 symbol')
  })

  test('says why it has no results', async () => {
    const { desk, press, shows } = await searching()
    await desk.lose()
    await press('sbin')
    await shows(/The connection broke|No answer/)
  })

  test('hostile text is escaped', async () => {
    const { press, shows, screen } = await searching()
    await press('\u202eevil')
    await shows(/Nothing matches "\\u202eevil"/)
    expect(screen()).not.toContain('\u202e')
  })
})

test.each([
  [' nifty 26000 ce ', { query: 'nifty 26000 ce' }],
  ['nse:sbin', { query: 'sbin', exchange: 'NSE' }],
  ['xyz:sbin', { query: 'xyz:sbin' }],
])('%j is the search %j', (text, query) => {
  expect(queryOf(text)).toEqual(query)
})
