import { describe, expect, it } from 'vitest'
import { HELLO, HOOK, SLOW, scheduled } from '../../daemon/operations/flows/flow-rig.js'
import { DOWN, ENTER, ESC } from '../support/shown.js'
import { flowDesk } from './flow-desk.js'

describe('the list', () => {
  it('has state, trigger, next run, last result and its time, in 80 by 21', async () => {
    const desk = await flowDesk()
    const hello = await desk.create(HELLO, 'Hello')
    await desk.execute(hello)
    await desk.arm(scheduled(HELLO, { scheduleType: 'daily', time: '09:15' }), 'Opening')
    await desk.arm(HOOK, 'Hook')
    const { shows, screen, press } = await desk.show()
    await shows('3 workflows, 2 active, 0 running')
    expect(screen()).toMatch(/^> +3 +Hook +active +webhook /m)
    expect(screen()).toMatch(/^ +2 +Opening +active +schedule +2026-11-21 09:15:00 +-/m)
    expect(screen()).toMatch(/^ +1 +Hello +inactive +manual +- +completed/m)
    const lines = screen().split('\n')
    expect(lines.length).toBeLessThanOrEqual(21)
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80)
    await press('G')
    await shows(/^1 Hello: manual, completed 2026-11-20 11:00:00/m)
    await press('k')
    await shows(/^2 Opening: schedule, never run, next 2026-11-21 09:15:00/m)
  })

  it('cuts a long name before a fact leaves', async () => {
    const desk = await flowDesk()
    await desk.arm(scheduled(HELLO, { scheduleType: 'daily', time: '09:15' }), `Opening ${'x'.repeat(100)}`)
    const { shows } = await desk.show()
    await shows(/^> +1 +Opening x+… +active +schedule +2026-11-21 09:15:00 +-$/m)
  })

  it('shows the time of the last run in the pane of a wide terminal', async () => {
    const desk = await flowDesk()
    await desk.execute(await desk.create(HELLO, 'Hello'))
    const { shows } = await desk.show({ width: 120 })
    await shows(/Hello +inactive +manual +- +completed/)
    await shows(/│ STARTED +2026-11-20 11:00:00 IST/)
  })

  it('says how to add workflows when there are none', async () => {
    const { shows } = await (await flowDesk()).show()
    await shows('There are no workflows. Apply some: svc flow apply flows')
  })

  it('shows a run that begins and ends elsewhere, by its events', async () => {
    const desk = await flowDesk()
    const id = await desk.create(SLOW, 'Slow')
    const { shows } = await desk.show()
    await shows(/Slow +inactive +manual +- +-/)
    const run = desk.execute(id)
    await shows(/Slow +inactive +manual +- +running/)
    await shows('1 running')
    await desk.clock.advance(60_000)
    await run
    await shows(/Slow +inactive +manual +- +completed/)
  })

  it('escapes control characters in a name', async () => {
    const desk = await flowDesk()
    await desk.create(HELLO, 'evil\u001b[2J\u202e')
    const { shows, screen, press } = await desk.show({ width: 120 })
    await shows('evil\\u001b[2J\\u202e')
    await press('r')
    await shows(/Run workflow 1 "evil\\u001b\[2J\\u202e" now/)
    await press('n')
    await press(ENTER)
    await shows('[graph]')
    expect(screen()).not.toContain('\u001b[2J')
    expect(screen()).not.toContain('\u202e')
  })

  it('filters, sorts and reverses, and keeps the cursor when it is shown again', async () => {
    const desk = await flowDesk()
    for (const name of ['alpha', 'beta', 'gamma']) await desk.create(HELLO, name)
    const { shows, press, screen } = await desk.show()
    await shows(/^> +3 +gamma/m)
    await press('/')
    await shows('Filter:')
    await press('et')
    await shows('1 of 3 with "et"')
    expect(screen()).not.toContain('gamma')
    await press(ESC)
    await shows('gamma')
    await press('o')
    await shows(/by id[\s\S]*alpha[\s\S]*beta[\s\S]*gamma/)
    await press('O')
    await shows(/by -id[\s\S]*gamma[\s\S]*beta[\s\S]*alpha/)
    await press('/')
    await shows('Filter:')
    await press('zzz')
    await shows('No workflow has "zzz".')
  })

  it('moves by j, k and the arrows', async () => {
    const desk = await flowDesk()
    for (const name of ['alpha', 'beta', 'gamma']) await desk.create(HELLO, name)
    const { shows, press } = await desk.show()
    await shows(/^> +3 +gamma/m)
    await press('j')
    await shows(/^> +2 +beta/m)
    await press(DOWN)
    await shows(/^> +1 +alpha/m)
    await press('g')
    await shows(/^> +3 +gamma/m)
  })

  it('keeps the last rows with their age while the daemon is away', async () => {
    const desk = await flowDesk()
    await desk.create(HELLO, 'Hello')
    const { shows, desk: tui } = await desk.show()
    await shows(/^> +1 +Hello/m)
    desk.down()
    await shows(/\d+s old: /)
    await shows(/^> +1 +Hello/m)
    expect(tui.connection.state.get().kind).not.toBe('connecting')
  })

  it('says why nothing is read', async () => {
    const desk = await flowDesk()
    desk.down()
    const { shows } = await desk.show()
    await shows('Not read: ')
  })
})

describe('an asked workflow', () => {
  it.each(['1', 'Hello'])('opens by %s', async (id) => {
    const desk = await flowDesk()
    await desk.create(HELLO, 'Hello')
    const { shows } = await desk.show({ asked: { target: { kind: 'workflow', id }, count: 1 } })
    await shows('[graph]')
    await shows('1 Hello: inactive, manual, version 1')
  })

  it('that does not exist leaves the list', async () => {
    const desk = await flowDesk()
    await desk.create(HELLO, 'Hello')
    const { shows } = await desk.show({ asked: { target: { kind: 'workflow', id: '9' }, count: 1 } })
    await shows('There is no workflow "9".')
    await shows(/^> +1 +Hello/m)
  })
})
