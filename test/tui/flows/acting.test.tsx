import { describe, expect, it, vi } from 'vitest'
import { BUY, broken, graphOf, HELLO, HOOK, SLOW } from '../../daemon/operations/flows/flow-rig.js'
import { USER } from '../../support/desk/desk.js'
import { heldAccount } from '../support/held-account.js'
import { heldChange } from '../support/held-change.js'
import { ENTER, ESC, TAB } from '../support/shown.js'
import { flowDesk } from './flow-desk.js'

type Desk = Awaited<ReturnType<typeof flowDesk>>

/** Shows the list with its first workflow selected. */
async function listed(desk: Desk) {
  const screen = await desk.show()
  await screen.shows(/^> +1 /m)
  return screen
}

describe('r runs a workflow', () => {
  it('after a question that names it, the mode and the broker', async () => {
    const desk = await flowDesk()
    const id = await desk.create(HELLO, 'Hello')
    const { shows, press } = await listed(desk)
    await press('r')
    await shows('Run workflow 1 "Hello" now, in ANALYZE mode at ')
    await shows('No step of it sends orders.')
    expect(await desk.runs(id)).toEqual([])
    await press('y')
    await shows(/Run of workflow 1: run \d+ is completed\./)
    await shows(/Hello +inactive +manual +- +completed/)
    expect(await desk.runs(id)).toMatchObject([{ trigger: 'manual', status: 'completed' }])
  })

  it.each([
    ['n', 'n'],
    ['esc', ESC],
  ])('not after %s', async (_, key) => {
    const desk = await flowDesk()
    const id = await desk.create(HELLO, 'Hello')
    const { shows, press } = await listed(desk)
    await press('r')
    await shows('Run workflow 1')
    await press(key)
    await shows('enter open')
    expect(await desk.runs(id)).toEqual([])
  })

  it('not by a question that comes after the user has left it', async () => {
    const desk = await flowDesk()
    await desk.create(HELLO, 'Hello')
    const { desk: tui, shows, screen, press } = await listed(desk)
    const answers = heldAccount(tui)
    await press('a')
    await shows('Asking the daemon …')
    await press(ESC)
    await shows('enter open')
    await answers()
    expect(screen()).toContain('enter open')
  })

  it('once, after a second y before the next drawing', async () => {
    const desk = await flowDesk()
    const id = await desk.create(HELLO, 'Hello')
    const { desk: tui, shows, press } = await listed(desk)
    await press('r')
    await shows('Run workflow 1')
    const accountNow = vi.spyOn(tui, 'accountNow')
    await press('yy')
    await shows(/Run of workflow 1: run \d+ is completed\./)
    expect(accountNow).toHaveBeenCalledTimes(1)
    expect(await desk.runs(id)).toHaveLength(1)
  })

  it('in Live mode only after a typed word, with the steps that send orders', async () => {
    const desk = await flowDesk({ live: true })
    const id = await desk.create(BUY, 'Buy')
    const { shows, press } = await listed(desk)
    await press('r')
    await shows('Run workflow 1 "Buy" now, in LIVE mode at ')
    await shows(/It may send orders \(auto\):\n +buy: placeOrder BUY 1 SBIN/)
    await shows('Type live to confirm:')
    await press('y')
    await press(ENTER)
    await shows('enter open')
    expect(await desk.runs(id)).toEqual([])
    await press('r')
    await shows('Type live to confirm:')
    await press('live')
    await press(ENTER)
    await shows(/Run of workflow 1: run \d+ /)
    await desk.ran(id, 'completed').catch(() => desk.ran(id, 'failed'))
    expect(await desk.runs(id)).toHaveLength(1)
  })

  it('not when the mode has changed since the question', async () => {
    const desk = await flowDesk()
    const id = await desk.create(HELLO, 'Hello')
    const { shows, press } = await listed(desk)
    await press('r')
    await shows('in ANALYZE mode')
    await desk.http.desk.service.settings.setAnalyzeMode(false)
    await press('y')
    await shows('Not sent: the mode or the broker has changed.')
    expect(await desk.runs(id)).toEqual([])
  })

  it('not when orders would no longer wait for approval', async () => {
    const desk = await flowDesk()
    const id = await desk.create(BUY, 'Buy')
    const orderMode = (mode: 'auto' | 'semi_auto') =>
      desk.client.request('POST /apikey/mode', { body: { user_id: USER, mode } })
    await orderMode('semi_auto')
    const { shows, press } = await listed(desk)
    await press('r')
    await shows('It may send orders (semi_auto):')
    await orderMode('auto')
    await press('y')
    await shows('Not sent: the mode or the broker has changed.')
    expect(await desk.runs(id)).toEqual([])
  })

  it('not when the user leaves while the daemon is asked for the mode again', async () => {
    const desk = await flowDesk()
    const id = await desk.create(HELLO, 'Hello')
    const { desk: tui, shows, press } = await listed(desk)
    await press('r')
    await shows('Run workflow 1')
    const answers = heldAccount(tui)
    await press('y')
    await shows('Asking the daemon …')
    await press(ESC)
    await shows('enter open')
    await answers()
    await tui.settled()
    expect(await desk.runs(id)).toEqual([])
  })

  it('not while another change waits: the question stays until it can be sent', async () => {
    const desk = await flowDesk()
    const id = await desk.create(HELLO, 'Hello')
    const { desk: tui, shows, press } = await listed(desk)
    const other = heldChange('Cancel')
    tui.changes.start(other)
    await press('r')
    await shows('Run workflow 1')
    await press('y')
    await shows('Run of workflow 1: not sent. Another change waits for its answer.')
    await shows('Run workflow 1 "Hello" now')
    expect(await desk.runs(id)).toEqual([])
    other.answer()
    await tui.settled()
    await press('y')
    await shows(/Run of workflow 1: run \d+ is completed\./)
    expect(await desk.runs(id)).toHaveLength(1)
  })

  it('not when the workflow has changed since the question', async () => {
    const desk = await flowDesk()
    const id = await desk.create(HELLO, 'Hello')
    const { shows, press } = await listed(desk)
    await press('r')
    await shows('in ANALYZE mode')
    await desk.client.request('PUT /flow/api/workflows/:id', {
      params: { id: String(id) },
      body: { nodes: BUY.nodes, edges: BUY.edges },
    })
    await press('y')
    await shows('Not sent: the workflow has changed.')
    expect(await desk.runs(id)).toEqual([])
  })

  it('not when the daemon is away', async () => {
    const desk = await flowDesk()
    const id = await desk.create(HELLO, 'Hello')
    const { shows, press } = await listed(desk)
    await press('r')
    await shows('in ANALYZE mode')
    desk.down()
    await press('y')
    await shows('Not sent: ')
    await press('r')
    await shows('Not sent: ')
    expect(await desk.runs(id)).toEqual([])
  })

  it('and says that a long one has begun, and later its end; meanwhile others may be changed', async () => {
    const desk = await flowDesk()
    const id = await desk.create(SLOW, 'Slow')
    const { shows, press } = await listed(desk)
    await press('r')
    await shows('Run workflow 1')
    await press('y')
    await shows(/Run of workflow 1: run \d+ has begun\./)
    await shows('1 running')
    await press('r')
    await shows('Workflow 1 runs already.')
    await press('a')
    await shows('Activate workflow 1')
    await press('n')
    await desk.clock.advance(60_000)
    await shows(/Run of workflow 1: run \d+ is completed\./)
    expect(await desk.runs(id)).toHaveLength(1)
  })

  it('and waits for its begin no longer than a few seconds, so that it can be cancelled', async () => {
    const desk = await flowDesk()
    const id = await desk.create(SLOW, 'Slow')
    const { shows, press, desk: tui } = await listed(desk)
    tui.connection.stop()
    await press('r')
    await shows('Run workflow 1')
    await press('y')
    await shows('Run of workflow 1: no answer yet. See: svc flow executions 1')
    await desk.clock.advance(60_000)
    await shows(/Run of workflow 1: run \d+ is completed\./)
    expect(await desk.runs(id)).toHaveLength(1)
  })

  it('and says how one failed', async () => {
    const desk = await flowDesk()
    await desk.create(graphOf({ bad: broken }, 't -> bad'), 'Bad')
    const { shows, press } = await listed(desk)
    await press('r')
    await shows('Run workflow 1')
    await press('y')
    await shows(/Run of workflow 1: run \d+ has failed: /)
    await shows(/Bad +inactive +manual +- +failed/)
  })

  it('from the open workflow too', async () => {
    const desk = await flowDesk()
    await desk.create(HELLO, 'Hello')
    const { shows, press } = await listed(desk)
    await press(ENTER)
    await shows('[graph]')
    await press(TAB)
    await shows('[executions]')
    await press('r')
    await shows('Run workflow 1 "Hello" now')
    await press('y')
    await shows(/\[executions\][\s\S]*> +\d+ +completed/)
  })
})

describe('a', () => {
  it('activates after a question, and deactivates after another', async () => {
    const desk = await flowDesk()
    await desk.create(HELLO, 'Hello')
    const { shows, press } = await listed(desk)
    await press('a')
    await shows('Activate workflow 1 "Hello", in ANALYZE mode at ')
    await shows('Its trigger is manual.')
    await press('y')
    await shows('Activation of workflow 1: ')
    await shows(/Hello +active/)
    await press('a')
    await shows('Deactivate workflow 1 "Hello"?')
    await press('n')
    await shows(/Hello +active/)
    await press('a')
    await shows('Deactivate workflow 1 "Hello"?')
    await press('y')
    await shows('Deactivation of workflow 1: Workflow deactivated.')
    await shows(/Hello +inactive/)
  })

  it('says that the webhook of an activated workflow is off', async () => {
    const desk = await flowDesk()
    await desk.create(HOOK, 'Hook')
    const { shows, press } = await listed(desk)
    await press('a')
    await shows('Its trigger is webhook.')
    await press('y')
    await shows('active, webhook off: svc flow webhook enable 1')
  })

  it('shows why an activation is refused', async () => {
    const desk = await flowDesk()
    await desk.create({ nodes: [], edges: [] }, 'Draft')
    const { shows, press } = await listed(desk)
    await press('a')
    await shows('It has no trigger.')
    await press('y')
    await shows('Activation of workflow 1: refused. ')
  })

  it('does not activate when the mode has changed since the question', async () => {
    const desk = await flowDesk()
    await desk.create(HELLO, 'Hello')
    const { shows, press } = await listed(desk)
    await press('a')
    await shows('in ANALYZE mode')
    await desk.http.desk.service.settings.setAnalyzeMode(false)
    await press('y')
    await shows('Not sent: the mode or the broker has changed.')
    await shows(/Hello +inactive/)
  })

  it('says that the current run goes on', async () => {
    const desk = await flowDesk()
    const id = await desk.arm(SLOW, 'Slow')
    const run = desk.execute(id)
    await desk.ran(id, 'running')
    const { shows, press } = await listed(desk)
    await shows('1 running')
    await press('a')
    await shows('Its current run goes on.')
    await press('y')
    await shows(/Workflow deactivated\. Run \d+ goes on to its end\./)
    await desk.clock.advance(60_000)
    await run
  })
})

describe('c', () => {
  it('cancels the running execution after a question', async () => {
    const desk = await flowDesk()
    const id = await desk.create(SLOW, 'Slow')
    const run = desk.execute(id).catch((thrown: unknown) => thrown)
    await desk.ran(id, 'running')
    const { shows, press } = await listed(desk)
    await press(ENTER)
    await press(TAB)
    await shows(/\[executions\][\s\S]*running/)
    await press('c')
    await shows(/Cancel run \d+ of workflow 1 "Slow"\?/)
    await press('n')
    await shows(/> +\d+ +running/)
    await press('c')
    await shows(/Cancel run \d+ of workflow 1 "Slow"\?/)
    await press('y')
    await shows(/Cancellation of run \d+: Execution is being cancelled\./)
    await shows(/> +\d+ +failed/)
    await run
    await press('c')
    await shows(/Run \d+ has ended\./)
  })

  it('does so in the log too', async () => {
    const desk = await flowDesk()
    const id = await desk.create(SLOW, 'Slow')
    const run = desk.execute(id).catch((thrown: unknown) => thrown)
    await desk.ran(id, 'running')
    const { shows, press } = await listed(desk)
    await press(ENTER)
    await press('l')
    await press('l')
    await shows(/\[log\][\s\S]*running/)
    await press('c')
    await shows(/Cancel run \d+/)
    await press('y')
    await shows(/by manual, version 1: failed: Cancelled by asha/)
    await run
  })
})
