import { beforeEach, describe, expect, it } from 'vitest'
import { SignIns } from '../../../../src/core/brokers/sign-in/sign-ins.js'
import { SecretBox } from '../../../../src/core/secrets/index.js'
import { VirtualClock } from '../../../../src/core/time/index.js'

const MINUTE_MS = 60_000
const FIELDS = { api_key: 'key', api_secret: 'secret' }
const secrets = await SecretBox.derive({ appKey: 'k'.repeat(64), salt: 's'.repeat(32) })
const others = await SecretBox.derive({ appKey: 'o'.repeat(64), salt: 's'.repeat(32) })

let clock: VirtualClock
let signIns: SignIns
beforeEach(() => {
  clock = new VirtualClock('2026-11-20T09:00:00+05:30')
  signIns = new SignIns(clock, secrets)
})

const begun = () => signIns.begin('zerodha', 'asha', FIELDS)
const NOT_OURS = /was not|does not belong to a sign-in that was begun here/

describe('a sign-in that waits for its callback', () => {
  it('is taken once, with what its beginner typed', () => {
    const { id, state } = begun()
    expect(signIns.take('zerodha', state)).toEqual({ id, user: 'asha', fields: FIELDS })
    expect(() => signIns.take('zerodha', state)).toThrow('was used already')
  })

  it('is not taken after ten minutes', async () => {
    const { id, state } = begun()
    await clock.advance(10 * MINUTE_MS - 1)
    expect(signIns.progress(id, 'asha')?.stage).toBe('waiting')
    await clock.advance(1)
    expect(() => signIns.take('zerodha', state)).toThrow('older than ten minutes')
    expect(signIns.progress(id, 'asha')?.stage).toBe('expired')
  })

  it('is not taken for another broker', () => {
    expect(() => signIns.take('upstox', begun().state)).toThrow(NOT_OURS)
  })

  it('is not taken with a state that this home did not sign', () => {
    const foreign = new SignIns(clock, others).begin('zerodha', 'asha', FIELDS)
    begun()
    expect(() => signIns.take('zerodha', foreign.state)).toThrow(NOT_OURS)
  })

  it.each([
    ['nothing', () => ''],
    ['dots', () => '...'],
    ['its id alone', (state: string) => state.split('.')[0] ?? ''],
    ['another id', (state: string) => `x${state}`],
    ['a later time', (state: string) => state.replace(/\.[^.]+\./, '.zzzzzzzz.')],
    ['another user', (state: string) => state.replace(/\.[^.]+(\.[^.]+)$/, '.somebody$1')],
    ['a cut signature', (state: string) => state.slice(0, -1)],
    ['a longer signature', (state: string) => `${state}A`],
  ])('is not taken with %s', (_name, change) => {
    const { id, state } = begun()
    expect(() => signIns.take('zerodha', change(state))).toThrow(NOT_OURS)
    expect(signIns.progress(id, 'asha')?.stage).toBe('waiting')
  })

  it('is not taken by a service that was restarted: what was typed is gone', () => {
    const { state } = begun()
    const restarted = new SignIns(clock, secrets)
    expect(() => restarted.take('zerodha', state)).toThrow('restarted')
  })

  it('waits beside others: each has its own fields, whichever tab comes first', () => {
    const first = begun()
    const second = signIns.begin('zerodha', 'asha', { api_key: 'other', api_secret: 'pair' })
    expect(signIns.take('zerodha', second.state).fields).toEqual({ api_key: 'other', api_secret: 'pair' })
    expect(signIns.take('zerodha', first.state).fields).toEqual(FIELDS)
  })

  it('gives way to newer ones, so that nobody can fill the memory', () => {
    const first = begun()
    for (let count = 0; count < 8; count++) begun()
    expect(() => signIns.take('zerodha', first.state)).toThrow('newer ones took its place')
  })

  it('is shown to the user who began it alone, without secrets', () => {
    const { id } = begun()
    expect(signIns.progress(id, 'ravi')).toBeUndefined()
    expect(JSON.stringify(signIns.progress(id, 'asha'))).not.toContain('secret')
  })

  it('tells its end', () => {
    const { id, state } = begun()
    signIns.take('zerodha', state)
    expect(signIns.progress(id, 'asha')?.stage).toBe('completing')
    signIns.end(id, 'refused', 'Token is invalid.')
    expect(signIns.progress(id, 'asha')).toMatchObject({ stage: 'refused', reason: 'Token is invalid.' })
  })
})
