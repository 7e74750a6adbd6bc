import { expect, it } from 'vitest'
import { accessOf } from '../support/access.js'
import { heldAccount } from '../support/held-account.js'
import { ENTER, ESC } from '../support/shown.js'
import { openSystem } from './system-desk.js'

async function openIn(mode: 'live' | 'analyze', orderMode: 'auto' | 'semi_auto' = 'auto') {
  const desk = await openSystem()
  await desk.settings.setAnalyzeMode(mode === 'analyze')
  await desk.client.request('POST /apikey/mode', { body: { user_id: 'asha', mode: orderMode } })
  return desk
}

it('m goes to LIVE after a review and the typed word', async () => {
  const { account, open } = await openIn('analyze')
  const app = await open()
  await app.shows(/MODE +ANALYZE/)
  await app.press('m')
  await app.shows('Switch to LIVE: orders reach the broker simulated from now on?')
  await app.shows('Order mode auto: orders are executed without approval.')
  await app.shows(/The broker is signed (in|out)/)
  await app.shows('Active workflows: none')
  await app.shows('Strategies with live orders: none')
  await app.press('y')
  await app.press(ENTER)
  await app.shows(/MODE +ANALYZE/)
  expect((await account()).analyze_mode).toBe(true)
  await app.press('m')
  await app.shows('Type live to confirm:')
  await app.press('live')
  await app.press(ENTER)
  await app.shows('Switch to LIVE: done. Orders reach the broker simulated from now on.')
  await app.shows(/MODE +LIVE: orders reach simulated/)
  expect((await account()).analyze_mode).toBe(false)
})

it('a review that the user leaves before it is there does not open later', async () => {
  const { open } = await openIn('live')
  const app = await open()
  await app.shows(/MODE +LIVE/)
  const answers = heldAccount(app.desk)
  await app.press('m')
  await app.shows('Asking the daemon …')
  await app.press(ESC)
  await app.shows(/MODE +LIVE/)
  await answers()
  expect(app.screen()).not.toContain('Switch to')
})

it('a review that the user has left says nothing when it cannot be read', async () => {
  const { lose, open } = await openIn('live')
  const app = await open()
  await app.shows(/MODE +LIVE/)
  const answers = heldAccount(app.desk)
  await app.press('m')
  await app.shows('Asking the daemon …')
  await app.press(ESC)
  await app.shows(/MODE +LIVE/)
  await lose()
  await answers()
  expect(app.desk.changes.message.get()).toBe('')
})

it('the review names what would trade', async () => {
  const { client, open } = await openIn('analyze', 'semi_auto')
  await client.request('POST /risk/kill-switch', { body: { on: true } })
  const app = await open()
  await app.press('m')
  await app.shows('Order mode semi_auto: orders wait for approval.')
  await app.shows('The kill switch is ON: no new order is sent.')
})

it('LIVE is not switched on when the order mode has changed since the review', async () => {
  const { account, client, open } = await openIn('analyze', 'semi_auto')
  const app = await open()
  await app.press('m')
  await app.shows('Type live to confirm:')
  await client.request('POST /apikey/mode', { body: { user_id: 'asha', mode: 'auto' } })
  await app.press('live')
  await app.press(ENTER)
  await app.shows('Switch to LIVE: not sent. The mode or the broker has changed.')
  expect((await account()).analyze_mode).toBe(true)
})

it('m goes to ANALYZE after a question', async () => {
  const { account, open } = await openIn('live')
  const app = await open()
  await app.shows(/MODE +LIVE/)
  await app.press('m')
  await app.shows('Switch to ANALYZE: orders are simulated from now on?')
  await app.shows('Open orders and positions at the broker simulated stay there as they are.')
  await app.press('n')
  await app.shows(/MODE +LIVE/)
  await app.press('m')
  await app.shows('Switch to ANALYZE')
  await app.press('y')
  await app.shows('Switch to ANALYZE: done.')
  await app.shows(/MODE +ANALYZE/)
  expect((await account()).analyze_mode).toBe(true)
})

it('o makes orders wait for approval', async () => {
  const { account, open } = await openIn('live')
  const app = await open()
  await app.press('o')
  await app.shows('Order mode semi_auto: new orders wait for approval?')
  await app.press('y')
  await app.shows('Order mode semi_auto: done.')
  await app.shows(/ORDER MODE +semi_auto/)
  expect((await account()).order_mode).toBe('semi_auto')
})

it('o lets live orders through only after the typed word', async () => {
  const { account, open } = await openIn('live', 'semi_auto')
  const app = await open()
  await app.press('o')
  await app.shows('Order mode auto: execute new orders at once in LIVE mode?')
  await app.shows('Orders reach the broker simulated without approval.')
  await app.press('yes')
  await app.press(ENTER)
  await app.shows(/ORDER MODE +semi_auto/)
  expect((await account()).order_mode).toBe('semi_auto')
  await app.press('o')
  await app.shows('Type live to confirm:')
  await app.press('live')
  await app.press(ENTER)
  await app.shows('Order mode auto: done.')
  expect((await account()).order_mode).toBe('auto')
})

it('o in ANALYZE needs no word, and is not sent when the service has gone LIVE meanwhile', async () => {
  const { account, open, settings } = await openIn('analyze', 'semi_auto')
  const app = await open()
  await app.press('o')
  await app.shows('Order mode auto: execute new orders at once in ANALYZE mode?')
  await settings.setAnalyzeMode(false)
  await app.press('y')
  await app.shows('Order mode auto: not sent. The mode or the broker has changed.')
  expect((await account()).order_mode).toBe('semi_auto')
  await settings.setAnalyzeMode(true)
  await app.press('o')
  await app.shows('Order mode auto: execute new orders at once in ANALYZE mode?')
  await app.press('y')
  await app.shows('Order mode auto: done.')
  expect((await account()).order_mode).toBe('auto')
})

it.each([
  ['m', 'risk'],
  ['o', 'risk'],
  ['m', 'diagnostics'],
  ['o', 'diagnostics'],
])('%s works on %s too, and a token without the scope is refused', async (key, tab) => {
  const desk = await openIn('live')
  const app = await desk.open(tab, await accessOf(desk, 'read', 'flows', 'strategies'))
  await app.press(key)
  await app.shows(/\?$/m)
  await app.press('y')
  await app.shows(/refused\. .*settings/)
  expect(await desk.account()).toMatchObject({ analyze_mode: false, order_mode: 'auto' })
})

it('a review that cannot be read does not open', async () => {
  const desk = await openIn('analyze')
  const app = await desk.open('overview', await accessOf(desk, 'settings'))
  await app.press('m')
  await app.shows(/Not sent: .*read/)
  expect(app.screen()).not.toContain('Type live')
})
