import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { RunReply } from '../../../../src/core/flows/engine/executor.js'
import type { RunOutcome } from '../../../../src/core/flows/engine/walk.js'
import { WebhookKeyStore } from '../../../../src/core/flows/webhook/key-store.js'
import { WebhookKeys } from '../../../../src/core/flows/webhook/keys.js'
import { Database } from '../../../../src/core/storage/index.js'
import { VirtualClock } from '../../../../src/core/time/index.js'
import { tempDir } from '../../../support/files/temp.js'

const MINUTE = 60_000
const ENDED: RunOutcome = {
  status: 'completed',
  error: undefined,
  failures: [],
  aborted: false,
  cancelled: false,
  logs: [],
  variables: {},
  visited: [],
}

test('of too many keys the oldest end early, but none before an hour', async () => {
  const clock = new VirtualClock(Date.parse('2026-11-20T04:00:00Z'))
  const db = await Database.open({ file: join(tempDir(), 'svc.db'), schema: 'svc' })
  onTestFinished(() => db.close())
  const store = new WebhookKeyStore(db)
  const keys = await WebhookKeys.open(store, clock)
  onTestFinished(() => keys.stop())
  let executionId = 0
  const call = (key: string) =>
    keys.run({ workflowId: 1, workflowName: 'Hook', key, payload: {} }, async (claim): Promise<RunReply> => {
      executionId += 1
      await claim(executionId)
      return { kind: 'finished', executionId, outcome: ENDED }
    })
  for (let n = 1; n <= 6; n++) {
    await call(`alert-${n}`)
    await clock.advance(MINUTE)
  }
  await keys.purge(3)
  await call('alert-1')
  expect(executionId).toBe(6)

  await clock.advance(58 * MINUTE)
  await keys.purge(3)
  const left = async () => {
    const rows = await Promise.all([1, 2, 3, 4, 5, 6].map((n) => store.find(1, `alert-${n}`)))
    return rows.flatMap((row) => row?.key ?? [])
  }
  expect(await left()).toEqual(['alert-4', 'alert-5', 'alert-6'])
  await clock.advance(24 * 60 * MINUTE)
  await keys.purge()
  expect(await left()).toEqual([])
})
