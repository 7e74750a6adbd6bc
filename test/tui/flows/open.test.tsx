import { describe, expect, it } from 'vitest'
import { RunLogFeed } from '../../../src/tui/flows/run-log.js'
import { graphOf, HELLO, HOOK, SLOW } from '../../daemon/operations/flows/flow-rig.js'
import { ENTER, ESC, LEFT, RIGHT, TAB } from '../support/shown.js'
import { flowDesk } from './flow-desk.js'

const SHIFT_TAB = '\u001b[Z'

/** Opens the only workflow of a daemon. */
async function opened(desk: Awaited<ReturnType<typeof flowDesk>>) {
  const screen = await desk.show()
  await screen.shows(/^> +1 /m)
  await screen.press(ENTER)
  await screen.shows('[graph]')
  return screen
}

describe('an open workflow', () => {
  it('shows its graph first: the steps in order, their kinds and connections', async () => {
    const desk = await flowDesk()
    await desk.create(SLOW, 'Slow')
    const { shows, screen } = await opened(desk)
    await shows(/t: start[\s\S]*↓ before: log before[\s\S]*↓ wait: delay 60 seconds[\s\S]*↓ after: log after/)
    expect(screen()).toContain('1 Slow: inactive, manual, version 1')
    expect(
      Math.max(
        ...screen()
          .split('\n')
          .map(({ length }) => length),
      ),
    ).toBeLessThanOrEqual(80)
  })

  it.each([
    ['tab', TAB, ['executions', 'log', 'details', 'graph']],
    ['l', 'l', ['executions', 'log']],
    ['right', RIGHT, ['executions', 'log']],
    ['shift-tab', SHIFT_TAB, ['details', 'log', 'executions', 'graph']],
    ['h', 'h', ['details', 'log']],
    ['left', LEFT, ['details', 'log']],
  ])('turns to another tab by %s', async (_, key, tabs) => {
    const desk = await flowDesk()
    await desk.create(HELLO, 'Hello')
    const { shows, press } = await opened(desk)
    for (const tab of tabs) {
      await press(key)
      await shows(`[${tab}]`)
    }
  })

  it.each([
    ['esc', ESC],
    ['q', 'q'],
  ])('goes back to the list by %s, and opens at the same tab again', async (_, key) => {
    const desk = await flowDesk()
    await desk.create(HELLO, 'Hello')
    const { shows, press } = await opened(desk)
    await press(TAB)
    await shows('[executions]')
    await press(key)
    await shows('1 workflow, 0 active, 0 running')
    await press('d')
    await shows('[executions]')
  })

  it('says that it has never run, in the executions and the log', async () => {
    const desk = await flowDesk()
    await desk.create(HELLO, 'Hello')
    const { shows, press } = await opened(desk)
    await press(TAB)
    await shows('The workflow has never run. r runs it.')
    await press(TAB)
    await shows(/\[log\][\s\S]*The workflow has never run/)
  })

  it.each([
    ['e', 'e'],
    ['enter', ENTER],
  ])('lists its executions, newest first, and opens the log of one by %s', async (_, key) => {
    const desk = await flowDesk()
    const id = await desk.create(HELLO, 'Hello')
    for (let run = 0; run < 3; run += 1) await desk.execute(id)
    const [newest, , oldest] = await desk.runs(id)
    const { shows, press } = await opened(desk)
    await press(TAB)
    await shows(new RegExp(`> +${newest?.id} +completed +manual +1 +2026-11-20 11:00:00`))
    await press('G')
    await shows(new RegExp(`^> +${oldest?.id} +completed`, 'm'))
    await press(key)
    await shows(`Run ${oldest?.id} 2026-11-20 11:00:00 IST by manual, version 1: completed`)
    await shows('hello: [LOG] hello')
  })

  it('shows the newest run in the log until another one is chosen', async () => {
    const desk = await flowDesk()
    const id = await desk.create(HELLO, 'Hello')
    await desk.execute(id)
    await desk.execute(id)
    const [newest] = await desk.runs(id)
    const { shows, press } = await opened(desk)
    await press('l')
    await press('l')
    await shows(`Run ${newest?.id} 2026`)
  })

  it('filters the executions', async () => {
    const desk = await flowDesk()
    await desk.execute(await desk.create(HELLO, 'Hello'))
    const { shows, press } = await opened(desk)
    await press(TAB)
    await shows('completed')
    await press('/')
    await shows('Filter:')
    await press('failed')
    await shows('No execution has "failed".')
  })

  it('shows the lines of a running execution as they come, to its end', async () => {
    const desk = await flowDesk()
    const id = await desk.create(SLOW, 'Slow')
    const run = desk.execute(id)
    await desk.ran(id, 'running')
    const { shows, press, screen } = await opened(desk)
    await press(TAB)
    await press(TAB)
    await shows(/by manual, version 1: running[\s\S]*11:00:00 before: \[LOG\] before/)
    expect(screen()).not.toContain('[LOG] after')
    await desk.clock.advance(60_000)
    await shows(/11:01:00 after: \[LOG\] after/)
    await shows('version 1: completed')
    await run
  })

  it('takes each line from the daemon as it is written', async () => {
    const desk = await flowDesk()
    const delay = ['delay', { delayValue: 60, delayUnit: 'seconds' }] as const
    const steps = { one: delay, middle: ['log', { message: 'middle' }], two: delay } as const
    const id = await desk.create(graphOf(steps, 't -> one', 'one -> middle', 'middle -> two'), 'Slow')
    const run = desk.execute(id)
    await desk.ran(id, 'running')
    const { shows, press, desk: tui } = await opened(desk)
    await press('l')
    await press('l')
    await shows('one: Waiting for 60 seconds')
    const sent = () => tui.part(RunLogFeed).sent.get()?.lines.at(-1)?.message
    await expect.poll(sent).toBe('Waiting for 60 seconds')
    await desk.clock.advance(60_000)
    await shows('middle: [LOG] middle')
    await expect.poll(() => tui.part(RunLogFeed).sent.get()?.lines.length).toBe(5)
    await shows('version 1: running')
    await desk.clock.advance(60_000)
    await shows('version 1: completed')
    await run
  })

  it('says that the webhook is off', async () => {
    const desk = await flowDesk()
    await desk.create(HOOK, 'Hook')
    const { shows } = await opened(desk)
    await shows('1 Hook: inactive, webhook, its webhook is off, version 1')
  })

  it('has every fact and the graph as JSON in the details, but no secret', async () => {
    const desk = await flowDesk()
    const id = await desk.arm(HOOK, 'Hook')
    const params = { id: String(id) }
    await desk.client.request('POST /flow/api/workflows/:id/webhook/enable', { params })
    const secrets = await desk.client.request('GET /flow/api/workflows/:id/webhook', { params })
    const { shows, press, screen } = await opened(desk)
    await shows('1 Hook: active, webhook, its webhook is on, version 1')
    await press(SHIFT_TAB)
    await shows(/STATE +active/)
    expect(screen()).toMatch(/TRIGGER +webhook/)
    expect(screen()).toMatch(/WEBHOOK +true/)
    const token = secrets.webhook_token
    expect(screen()).toContain(`/flow/webhook/${token.slice(0, 4)}…${token.slice(-4)}`)
    await press('G')
    await shows('"source": "t"')
    await press('g')
    for (let page = 0; page < 5; page += 1) {
      expect(screen()).not.toContain(token)
      expect(screen()).not.toContain(secrets.webhook_secret)
      await press('\u001b[6~')
    }
  })

  it('says why a draft cannot be drawn', async () => {
    const desk = await flowDesk()
    await desk.create({ nodes: [], edges: [] }, 'Draft')
    const { shows } = await opened(desk)
    await shows('The workflow has no nodes.')
  })

  it('escapes control characters in labels and in the log', async () => {
    const desk = await flowDesk()
    const evil = graphOf(
      { say: ['log', { message: 'evil\u001b[2J\u202e', label: 'la\u001bbel' }] },
      't -> say',
    )
    await desk.execute(await desk.create(evil, 'Evil'))
    const { shows, press, screen } = await opened(desk)
    await shows('la\\u001bbel')
    expect(screen()).not.toContain('\u001b[2J')
    await press('l')
    await press('l')
    await shows('evil\\u001b[2J\\u202e')
    expect(screen()).not.toContain('\u202e')
    await press('l')
    await press('G')
    expect(screen()).not.toContain('\u202e')
  })

  it('stays on the screen with its age while the daemon is away', async () => {
    const desk = await flowDesk()
    await desk.create(HELLO, 'Hello')
    const { shows } = await opened(desk)
    await shows('hello: log hello')
    desk.down()
    await shows(/\d+s old: [\s\S]*hello: log hello/)
  })
})
