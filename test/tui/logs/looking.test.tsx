import { describe, expect, it } from 'vitest'
import { ENTER, ESC } from '../support/shown.js'
import { type LogDesk, type LogName, logDesk, opened } from './log-desk.js'

describe('a filter', () => {
  it('shows only the rows that were read and have the text', async () => {
    const desk = await logDesk()
    for (const symbol of ['SBIN', 'TCS']) desk.request('live', { symbol })
    const { shows, press, screen } = await opened(desk, 'orders')
    await shows('TCS')
    await press('/')
    await shows('Filter:')
    await press('sbi')
    await shows('1 of 2 with "sbi"')
    expect(screen()).not.toContain('TCS')
    await press('x')
    await shows('No row has "sbix".')
    await press(ESC)
    await shows('TCS')
  })
})

describe('a search', () => {
  it.each<[LogName, (desk: LogDesk, name: string) => void]>([
    ['orders', (desk, name) => desk.request('live', { symbol: name })],
    ['analyzer', (desk, name) => desk.request('analyze', { symbol: name })],
    ['traffic', (desk, name) => desk.traffic(`/${name}`)],
    ['latency', (desk, name) => desk.latency(name)],
    ['errors', (desk, name) => desk.error(name)],
  ])('of %s asks the daemon for rows of any age', async (tab, add) => {
    const desk = await logDesk()
    add(desk, 'NEEDLE')
    for (let row = 0; row < 201; row += 1) add(desk, `S${row}`)
    const { shows, press, screen } = await opened(desk, tab, { width: 160 })
    await shows('S200')
    expect(screen()).not.toContain('NEEDLE')
    await press('s')
    await shows('Search the whole log:')
    await press('needle')
    await press(ENTER)
    await shows(/1 row {2}with "needle"[\s\S]*NEEDLE/)
    add(desk, 'NEEDLE2')
    await shows(/2 rows[\s\S]*NEEDLE2/)
    await press('s')
    await shows('Search the whole log: needle')
    await press('\u0015')
    await press(ENTER)
    await shows('S200')
  })

  it('is left by esc, and says that nothing was found', async () => {
    const desk = await logDesk()
    desk.request('live', { symbol: 'SBIN' })
    const { shows, press } = await opened(desk, 'orders')
    await shows('SBIN')
    await press('s')
    await shows('Search the whole log:')
    await press('zzz')
    await press(ESC)
    await shows('s search')
    await shows('SBIN')
    await press('s')
    await shows('Search the whole log:')
    await press('zzz')
    await press(ENTER)
    await shows('The log has no "zzz".')
  })
})

describe('the details', () => {
  it.each([
    [ENTER, ESC],
    ['d', ENTER],
    ['d', 'q'],
  ])('of a row have request and answer as JSON (opened by %j, left by %j)', async (open, leave) => {
    const desk = await logDesk()
    desk.request('live', { symbol: 'SBIN', quantity: 5 }, { orderid: '26112000001' })
    const { shows, press } = await opened(desk, 'orders')
    await shows('SBIN')
    await press(open)
    await shows(/SENT +\{[\s\S]*"quantity": 5/)
    await shows(/ANSWERED +\{[\s\S]*"orderid": "26112000001"/)
    await press(leave)
    await shows('f follow')
  })

  it('stay while newer rows come', async () => {
    const desk = await logDesk()
    desk.request('live', { symbol: 'OLD' })
    const { shows, press } = await opened(desk, 'orders')
    await shows('OLD')
    await press(ENTER)
    await shows('"symbol": "OLD"')
    desk.request('live', { symbol: 'NEW' })
    await shows('2 rows')
    await shows('"symbol": "OLD"')
  })

  it('of an error have its stack', async () => {
    const desk = await logDesk()
    desk.error('boom', { stack: 'Error: boom\n    at place (orders.ts:7)' })
    const { shows, press } = await opened(desk, 'errors')
    await shows('boom')
    await press(ENTER)
    await shows('at place (orders.ts:7)')
  })
})

describe('x shows the command that exports the rows', () => {
  it.each<[LogName, string]>([
    ['orders', 'svc log export --since 2026-11-20 --until 2026-11-20 --file orders.csv'],
    ['analyzer', 'svc log export --log analyzer --since 2026-11-20 --until 2026-11-20 --file analyzer.csv'],
    ['latency', 'svc log latency --limit 1 -o csv'],
    ['errors', 'svc admin errors list --limit 1 -o csv'],
  ])('of %s', async (tab, command) => {
    const desk = await logDesk()
    desk.request('live', { symbol: 'SBIN' })
    desk.request('analyze', { symbol: 'SBIN' })
    desk.latency('SBIN')
    desk.error('boom')
    const { shows, press } = await opened(desk, tab, { width: 120 })
    await shows('1 row')
    await press('x')
    await shows(command)
    await press('x')
    await shows('enter details')
  })

  it('with the search in quotes', async () => {
    const { shows, press } = await opened(await logDesk(), 'traffic', { width: 120 })
    await press('s')
    await shows('Search the whole log:')
    await press("it's")
    await press(ENTER)
    await shows('The log has no "it\'s".')
    await press('x')
    await shows("svc log traffic --search 'it'\\''s' --limit 1 -o csv")
  })
})

const CONTROLS = ['\u001b', '\u202e', '\u0007']

describe('any state', () => {
  it('escapes control characters of a logged request, in the list and in the details', async () => {
    const desk = await logDesk()
    desk.request('live', { symbol: 'E\u001b[2J\u202e', note: '\u001b]0;x\u0007' }, { message: 'm\u001b[31m' })
    const { shows, press, screen } = await opened(desk, 'orders', { width: 120 })
    await shows('E\\u001b[2J\\u202e')
    const isClean = () => expect(CONTROLS.filter((one) => screen().includes(one))).toEqual([])
    isClean()
    await press(ENTER)
    await shows('ANSWERED')
    isClean()
  })

  it('keeps the rows with their age while the daemon is away', async () => {
    const desk = await logDesk()
    desk.request('live', { symbol: 'SBIN' })
    const { shows } = await opened(desk, 'orders', { width: 120 })
    await shows('SBIN')
    desk.down()
    await shows(/\d+s old: [\s\S]*SBIN/)
  })

  it('says why nothing is read', async () => {
    const desk = await logDesk()
    desk.down()
    const { shows } = await desk.show()
    await shows('Not read: ')
  })
})
