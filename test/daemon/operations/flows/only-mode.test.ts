import { expect, test } from 'vitest'
import { bearer } from '../../../support/desk/http-desk.js'
import { BUY, FlowRig, graphOf, linesOf, order, scheduled } from './flow-rig.js'

/* X-Only-Mode: a run that a person starts sends its orders in the mode that was shown, or none. */

const only = (mode: string) => ({ 'x-only-mode': mode })
const ONCE = { name: 'once', ...BUY, dry_run: false }
/** Waits a minute, then buys. */
const LATER = graphOf(
  { wait: ['delay', { delayValue: 60, delayUnit: 'seconds' }], buy: order },
  't -> wait',
  'wait -> buy',
)

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
  const id = await rig.create(LATER)
  const run = rig.ask('POST', `/workflows/${id}/execute`, undefined, only('analyze'))
  await rig.begun(id)
  await rig.desk.service.settings.setAnalyzeMode(false)
  const { body } = await run
  expect(rig.lines(body).join('\n')).toContain('this request asks for simulated ones alone')
  expect(await rig.desk.ledger()).toEqual([])
})

const REFUSED = {
  analyze: 'Orders are live, and this request asks for simulated ones alone; nothing was sent.',
  live: 'Orders are simulated, and this request asks for live ones alone; nothing was sent.',
}
const EVERY_HOUR = { scheduleType: 'interval', intervalValue: 1, intervalUnit: 'hours' }

test.each(['analyze', 'live'] as const)(
  'a run that nobody started for a mode keeps the one in which it begins: %s',
  async (mode) => {
    const rig = await FlowRig.open({ analyze: mode === 'analyze' })
    if (mode === 'live') await rig.desk.service.sandbox.start()
    const byHand = await rig.create(LATER, 'by hand')
    const byClock = await rig.arm(scheduled(LATER, EVERY_HOUR), 'by the clock')
    const byHook = await rig.arm(LATER, 'by its webhook')
    await rig.ask('POST', `/workflows/${byHook}/webhook/enable`)
    const { webhook_secret: secret, webhook_token: token } = (
      await rig.ask('GET', `/workflows/${byHook}/webhook`)
    ).body
    const headers = bearer(rig.token)
    await rig.pass(3_600_000, 600_000)
    const runs = [
      rig.http.request('POST', `/flow/webhook/${token}`, { body: { secret } }),
      rig.http.request('POST', `/flow/api/workflows/${byHand}/execute`, { headers }),
      rig.http.request('POST', '/flow/api/run', { headers, body: { ...ONCE, ...LATER } }),
    ]
    for (const id of [byHand, byClock, byHook]) await rig.begun(id)
    await rig.desk.service.settings.setAnalyzeMode(mode === 'live')
    await rig.pass(61_000)
    const [, , once] = await Promise.all(runs)
    for (const id of [byHand, byClock, byHook]) {
      expect((await rig.ran(id, 1))[0]).toMatchObject({ error: `placeOrder: ${REFUSED[mode]}` })
    }
    expect(once?.text).toContain(REFUSED[mode])
    expect(await rig.desk.ledger()).toEqual([])
  },
)
