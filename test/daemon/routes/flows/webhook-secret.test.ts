import { join } from 'node:path'
import { expect, test } from 'vitest'
import { query } from '../../../support/files/files.js'
import { FlowRig, HOOK } from './flow-rig.js'

test('webhook secrets are sealed on disk, those of earlier versions once at a start, and work as before', async () => {
  const rig = await FlowRig.open()
  const stored = async (of: FlowRig) =>
    (
      await query<{ secret: string }>(
        join(of.desk.home, 'svc.db'),
        'select webhook_secret as secret from flow_workflows',
      )
    )[0]?.secret
  const id = await rig.arm(HOOK)
  const { webhook_secret: secret, webhook_token: token } = (
    await rig.ask('POST', `/workflows/${id}/webhook/enable`)
  ).body
  expect(secret).toMatch(/^[0-9a-f]{64}$/)
  expect(await stored(rig)).toMatch(/^v1\./)

  await rig.desk.service.databases.svc.write((tx) =>
    tx.exec('update flow_workflows set webhook_secret = ?', [String(secret)]),
  )
  const second = await rig.restart()
  const sealed = await stored(second)
  expect(sealed).toMatch(/^v1\./)
  const call = (body: object) => second.http.request('POST', `/flow/webhook/${token}`, { body })
  expect((await call({ secret })).status).toBe(200)
  expect((await call({ secret: sealed })).status).toBe(401)
  expect((await call({ secret: '' })).status).toBe(401)
  const third = await second.restart()
  expect(await stored(third)).toBe(sealed)
})
