import { rmSync } from 'node:fs'
import { join } from 'node:path'
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

test('a token that may read is enough where there is no API key, for everything that only reads', async () => {
  const desk = await CliDesk.open()
  rmSync(join(desk.home, 'apikey.json'))
  rmSync(join(desk.home, 'session.json'))
  const env = { SVC_TOKEN: await desk.http.tokenOf('read') }
  for (const line of [
    'order list',
    'position list',
    'fund list',
    'quote SBIN NSE',
    'api POST /api/v1/orderbook',
    'api /api/v1/telegram/config',
  ]) {
    const { exit, stderr } = await desk.svc(line, { env })
    expect([line, exit, stderr]).toEqual([line, 0, expect.not.stringContaining('error')])
  }
  const placed = await desk.svc('order place SBIN NSE BUY 10 --yes', { env })
  expect([placed.exit, placed.stderr]).toEqual([3, expect.stringContaining('No API key for')])
  const other = await desk.svc('order list', { env: { SVC_TOKEN: await desk.http.tokenOf('flows') } })
  expect([other.exit, other.stderr]).toEqual([3, expect.stringContaining('lacks the scope: read')])
})

describe('the hint to a refusal of the API key', () => {
  const key: Credential = { value: 'k', kind: 'key', origin: 'SVC_API_KEY' }

  it('says that a sign-in lowers risk in semi_auto mode, when no session came with it', () => {
    expect(credentialHint('forbidden', { ...key, isAlone: true })).toContain('once you sign in: svc login')
    expect(credentialHint('forbidden', key)).not.toContain('svc login')
  })
})
