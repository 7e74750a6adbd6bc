import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  type Credential,
  credentialHint,
  refreshedTarget,
  resolveTarget,
} from '../../../src/cli/http/credentials.js'

let home = ''
const daemonAt = (url: string) => writeFileSync(join(home, 'daemon.json'), JSON.stringify({ pid: 1, url }))

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'svc-target-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

describe('the address of a daemon that restarted', () => {
  it("is the new one of the home's daemon", () => {
    daemonAt('http://127.0.0.1:7001')
    const target = resolveTarget({ url: undefined, home })
    daemonAt('http://127.0.0.1:7002')
    expect(refreshedTarget(target, { url: undefined, home })).toEqual({
      url: 'http://127.0.0.1:7002',
      source: 'home',
    })
  })

  it('stays while the home names no daemon', () => {
    daemonAt('http://127.0.0.1:7001')
    const target = resolveTarget({ url: undefined, home })
    rmSync(join(home, 'daemon.json'))
    expect(refreshedTarget(target, { url: undefined, home })).toBe(target)
  })

  it('stays if it is named, or the default', () => {
    const byDefault = resolveTarget({ url: undefined, home })
    daemonAt('http://127.0.0.1:7001')
    const named = resolveTarget({ url: 'https://svc.example.org', home })
    expect(refreshedTarget(named, { url: 'https://svc.example.org', home })).toBe(named)
    expect(refreshedTarget(byDefault, { url: undefined, home })).toBe(byDefault)
  })
})

describe('the hint to a refusal of the API key', () => {
  const key: Credential = { value: 'k', kind: 'key', origin: 'SVC_API_KEY' }

  it('says that a sign-in lowers risk in semi_auto mode, when no session came with it', () => {
    expect(credentialHint('forbidden', { ...key, isAlone: true })).toContain('once you sign in: svc login')
    expect(credentialHint('forbidden', key)).not.toContain('svc login')
  })
})
