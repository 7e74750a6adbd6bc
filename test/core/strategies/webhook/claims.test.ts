import { expect, test } from 'vitest'
import { StrategyStore } from '../../../../src/core/strategies/store/strategy-store.js'
import { webhookRig } from '../../../daemon/operations/alerts/webhook-rig.js'

test('a deleted strategy leaves no claim: its id may not hold one of another', async () => {
  const rig = await webhookRig()
  expect(await rig.result({ action: 'start', mode: 'sandbox' })).toBe('ok')
  const claims = () => rig.db.queryRaw('select * from strategy_webhook_claims')
  await expect
    .poll(claims)
    .toMatchObject([{ strategy_id: rig.id, action: 'start', mode: 'sandbox', settled: 1 }])
  await rig.db.write((tx) => new StrategyStore(rig.db).removeIn(tx, rig.id))
  expect(await claims()).toEqual([])
})

test('a claim that lies ahead, because the clock was set back meanwhile, ends a minute after the start', async () => {
  const rig = await webhookRig()
  await rig.result({ action: 'stop' })
  await rig.db.write((tx) => tx.exec(`update strategy_webhook_claims set claimed_at = claimed_at + 3600000`))
  await rig.clock.advance(59_000)
  expect(await rig.result({ action: 'stop' })).toBe('rejected_dedupe')
  await rig.clock.advance(1_000)
  expect(await rig.result({ action: 'stop' })).toBe('ok')
})
