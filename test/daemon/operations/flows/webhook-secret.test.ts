import { join } from 'node:path'
import { expect, test } from 'vitest'
import { query } from '../../../support/files/files.js'
import { FlowRig, HOOK } from './flow-rig.js'

test('webhook secrets are sealed on disk and work after a restart', async () => {
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
  const sealed = await stored(rig)
  expect(sealed).toMatch(/^v1\./)
  const second = await rig.restart()
  const call = (body: object) => second.http.request('POST', `/flow/webhook/${token}`, { body })
  expect((await call({ secret })).status).toBe(200)
  expect((await call({ secret: sealed })).status).toBe(401)
  expect((await call({ secret: '' })).status).toBe(401)
  expect(await stored(second)).toBe(sealed)
})
