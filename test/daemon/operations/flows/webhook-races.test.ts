import { expect, onTestFinished, test, vi } from 'vitest'
import { WebhookKeyStore } from '../../../../src/core/flows/webhook/key-store.js'
import { eventually } from '../../../support/eventually.js'
import { settled } from '../../../support/settled.js'
import { BUY, FlowRig } from './flow-rig.js'

/** Keeps look-ups of keys waiting. @returns a function that lets them go on */
function slowKeys(): { waiting(): boolean; goOn(): void } {
  const { find } = WebhookKeyStore.prototype
  let goOn = () => {}
  const held = new Promise<void>((resolve) => {
    goOn = resolve
  })
  const spy = vi.spyOn(WebhookKeyStore.prototype, 'find').mockImplementation(async function (
    this: WebhookKeyStore,
    ...call
  ) {
    await held
    return find.apply(this, call)
  })
  onTestFinished(() => spy.mockRestore())
  return { waiting: () => spy.mock.calls.length > 0, goOn }
}

test.each<[string, string, string, number]>([
  ['deactivated', 'POST', '/deactivate', 403],
  ['deleted', 'DELETE', '', 404],
  ['closed to its webhook', 'POST', '/webhook/disable', 403],
])('a workflow that was %s starts no run for a call whose key is still looked up', async (...row) => {
  const [, method, path, status] = row
  const rig = await FlowRig.open()
  const id = await rig.arm(BUY, 'Hook')
  await rig.ask('POST', `/workflows/${id}/webhook/enable`)
  const { body: hook } = await rig.ask('GET', `/workflows/${id}/webhook`)
  const keys = slowKeys()
  const call = rig.http.request('POST', `/flow/webhook/${hook.webhook_token}`, {
    body: { secret: hook.webhook_secret },
    headers: { 'idempotency-key': 'alert-1' },
  })
  await eventually(keys.waiting)
  const changed = await rig.ask(method, `/workflows/${id}${path}`)
  expect(changed.status).toBe(200)
  expect(changed.body.running_execution_id).toBeUndefined()
  keys.goOn()
  expect(await settled(rig.clock, call)).toMatchObject({ status })
  expect(await rig.desk.ledger()).toEqual([])
})

test('a workflow that was changed runs as it is now for a call whose key is still looked up', async () => {
  const rig = await FlowRig.open()
  const id = await rig.arm(BUY, 'Hook')
  await rig.ask('POST', `/workflows/${id}/webhook/enable`)
  const { body: hook } = await rig.ask('GET', `/workflows/${id}/webhook`)
  const keys = slowKeys()
  const call = rig.http.request('POST', `/flow/webhook/${hook.webhook_token}`, {
    body: { secret: hook.webhook_secret },
    headers: { 'idempotency-key': 'alert-1' },
  })
  await eventually(keys.waiting)
  const nodes = BUY.nodes.map((node) =>
    node.id === 'buy' ? { ...node, data: { ...node.data, quantity: 3 } } : node,
  )
  expect(await rig.ask('PUT', `/workflows/${id}`, { nodes, edges: BUY.edges })).toMatchObject({ status: 200 })
  keys.goOn()
  expect(await settled(rig.clock, call)).toMatchObject({ status: 200 })
  expect(await rig.desk.ledger()).toMatchObject([{ quantity: 3 }])
})
