import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type OAuthProcess, oauthProcess } from '../support/oauth/process.js'

let rig: OAuthProcess
let clientId = ''
beforeAll(async () => {
  rig = await oauthProcess()
  clientId = await rig.client()
})
afterAll(() => rig.daemon.dispose())

describe('a kill between the new token of an assistant and its answer', () => {
  it('loses no grant and doubles none: the old token brings the same new one, once', async () => {
    const first = await rig.connect(clientId)
    await rig.daemon.crash({ env: { SVC_CRASH_AT: 'mcp.rotated' } })
    await expect(rig.refresh(clientId, first.refresh)).rejects.toThrow()
    expect(await rig.daemon.exited()).toEqual({ code: null, signal: 'SIGKILL' })
    await rig.daemon.start()
    const second = rig.tokensOf(await rig.refresh(clientId, first.refresh))
    expect(await rig.opens(second.access)).toBe(true)
    const third = rig.tokensOf(await rig.refresh(clientId, second.refresh))
    expect(third.refresh).not.toBe(second.refresh)
    expect(await rig.opens(third.access)).toBe(true)
    const refused = await rig.refresh(clientId, first.refresh)
    expect([refused.status, refused.body.error]).toEqual([400, 'invalid_grant'])
    expect(await rig.opens(third.access)).toBe(false)
  })
})
