import { expect, test } from 'vitest'
import { BUY, FlowRig, graphOf, linesOf, order } from './flow-rig.js'

/* X-Only-Mode: a run that a person starts sends its orders in the mode that was shown, or none. */

const only = (mode: string) => ({ 'x-only-mode': mode })
const ONCE = { name: 'once', ...BUY, dry_run: false }

test.each([
  ['live', 'analyze'],
  ['analyze', 'live'],
] as const)('a run for another mode than %s does not begin', async (mode, other) => {
  const rig = await FlowRig.open({ analyze: mode === 'analyze' })
  const id = await rig.create(BUY)
  for (const [path, body] of [
    [`/workflows/${id}/execute`, undefined],
    ['/run', ONCE],
  ] as const) {
    const reply = await rig.ask('POST', path, body, only(other))
    expect([reply.status, reply.body.message]).toEqual([
      409,
      expect.stringMatching(/this request asks for .* ones alone; nothing was sent/),
    ])
    expect((await rig.ask('POST', path, body, only('both'))).status).toBe(400)
  }
  expect(await rig.runs(id)).toEqual([])
  expect(await rig.desk.ledger()).toEqual([])
})

test('runs for the mode of now send their orders', async () => {
  const rig = await FlowRig.open()
  const id = await rig.create(BUY)
  expect((await rig.ask('POST', `/workflows/${id}/execute`, undefined, only('live'))).body.status).toBe(
    'success',
  )
  expect(linesOf(await rig.ask('POST', '/run', ONCE, only('live'))).at(-1)).toMatchObject({
    status: 'completed',
  })
  expect(await rig.desk.ledger()).toHaveLength(2)
})

test('a run sends nothing after the mode was switched', async () => {
  const rig = await FlowRig.open({ analyze: true })
  const id = await rig.create(
    graphOf(
      { wait: ['delay', { delayValue: 60, delayUnit: 'seconds' }], buy: order },
      't -> wait',
      'wait -> buy',
    ),
  )
  const run = rig.ask('POST', `/workflows/${id}/execute`, undefined, only('analyze'))
  await rig.begun(id)
  await rig.desk.service.settings.setAnalyzeMode(false)
  const { body } = await run
  expect(rig.lines(body).join('\n')).toContain('this request asks for simulated ones alone')
  expect(await rig.desk.ledger()).toEqual([])
})
