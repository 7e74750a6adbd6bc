import { describe, expect, it, test } from 'vitest'
import { type Credential, credentialHint } from '../../../src/cli/http/credentials.js'
import { CliDesk } from '../../support/desk/cli-desk.js'

test('a refused token is one sentence, and no expired session', async () => {
  const desk = await CliDesk.open()
  const { exit, stderr } = await desk.svc('whoami', { env: { SVC_TOKEN: 'svc_pat_revoked' } })
  expect([exit, stderr]).toEqual([
    3,
    expect.stringMatching(
      /^error: The token in SVC_TOKEN is unknown, expired or revoked\.\s+Unset it, or make/,
    ),
  ])
  expect(stderr).not.toContain('session')
})

describe('the hint to a refusal of the API key', () => {
  const key: Credential = { value: 'k', kind: 'key', origin: 'SVC_API_KEY' }

  it('says that a sign-in lowers risk in semi_auto mode, when no session came with it', () => {
    expect(credentialHint('forbidden', { ...key, isAlone: true })).toContain('once you sign in: svc login')
    expect(credentialHint('forbidden', key)).not.toContain('svc login')
  })
})
