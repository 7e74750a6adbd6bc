import { expect, test, vi } from 'vitest'
import { eventually } from '../../../support/eventually.js'
import { FlowRig, graphOf, note } from './flow-rig.js'

const alert = (price: number) =>
  graphOf(
    {
      t: ['priceAlert', { symbol: 'SBIN', exchange: 'NSE', condition: 'greater_than', price }],
      told: note('told'),
    },
    't -> told',
  )

test('a workflow whose alert fires while its trigger is changed stays active with the new trigger', async () => {
  const rig = await FlowRig.open()
  const { hub, listed } = rig.desk.service
  const { workflows } = rig.flows
  let ltp = 800
  hub.last = () => undefined
  listed.quotes = async (refs) =>
    refs.map((ref) => ({
      ...ref,
      ltp,
      bid: ltp,
      ask: ltp,
      open: ltp,
      high: ltp,
      low: ltp,
      prevClose: ltp,
      bidSize: 1,
      askSize: 1,
      volume: 1,
      oi: 0,
      timestamp: 0,
    }))
  const id = await rig.arm(alert(900))
  await rig.pass(1000)
  const change = workflows.change.bind(workflows)
  vi.spyOn(workflows, 'change').mockImplementationOnce(async (...call) => {
    const changed = await change(...call)
    ltp = 910
    await rig.pass(5000)
    await rig.ran(id, 1)
    return changed
  })
  const reply = await rig.ask('PUT', `/workflows/${id}`, alert(1000))
  expect(reply).toMatchObject({ status: 200, body: { is_active: true, needs_reactivate: false } })
  ltp = 1010
  await rig.pass(10_000)
  await eventually(async () => (await rig.runs(id)).length === 2)
})
