import { describe, expect, it } from 'vitest'
import { type Credential, credentialHint } from '../../../src/cli/http/credentials.js'

describe('the hint to a refusal of the API key', () => {
  const key: Credential = { value: 'k', kind: 'key', origin: 'SVC_API_KEY' }

  it('says that a sign-in lowers risk in semi_auto mode, when no session came with it', () => {
    expect(credentialHint('forbidden', { ...key, isAlone: true })).toContain('once you sign in: svc login')
    expect(credentialHint('forbidden', key)).not.toContain('svc login')
  })
})
