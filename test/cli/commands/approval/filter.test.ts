import { expect, test } from 'vitest'
import { LightDaemon } from '../../../support/daemons/light-daemon.js'
import { CliDesk } from '../../../support/desk/cli-desk.js'

/* The list that a filter shows before its question: nothing is approved that it does not have. */

test('every order that would be approved is in the list', async () => {
  const desk = await CliDesk.open()
  await desk.svc('mode set semi_auto')
  for (let quantity = 1; quantity <= 55; quantity++)
    await desk.svc(`order place SBIN NSE BUY ${quantity} --product MIS --strategy many`)
  const { stderr } = await desk.svc('approval approve --strategy many', { answers: ['n'] })
  expect(stderr).toContain('these 55 orders')
  const listed = [...stderr.matchAll(/^ *(\d+) /gm)].map(([, id]) => Number(id))
  expect(listed.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 55 }, (_, at) => at + 1))
})

test('--max-drift leaves out an order of which no leg is known now', async () => {
  const row = { id: 7, api_type: 'optionsorder', status: 'pending', symbol: 'NIFTY', value: 10 }
  const planned = { id: 7, api_type: 'optionsorder', strategy: '', legs: [], note: 'no quote', one_of: false }
  const daemon = await LightDaemon.open({
    routes: {
      'GET /action-center/api/data': { status: 'success', data: { orders: [row], next_before: null } },
      'POST /action-center/plan': { status: 'success', data: { orders: [planned], totals: {} } },
    },
  })
  const desk = await CliDesk.open()
  const env = { SVC_URL: daemon.url }
  const { exit, stderr } = await desk.svc('approval approve --max-drift 0.5 --yes', { env })
  expect([exit, stderr]).toEqual([0, 'No waiting order matches.\n'])
})
