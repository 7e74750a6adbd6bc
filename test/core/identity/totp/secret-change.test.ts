import { generateSync } from 'otplib'
import { describe, expect, it } from 'vitest'
import type { Revocation } from '../../../../src/core/identity/index.js'
import {
  codeOf,
  MINUTE,
  OWNER,
  outcomeOf,
  ownedWorld,
  pendingToken,
  STEP,
  signIn,
  type World,
  withSecondFactor,
} from '../support.js'

const LOCAL = { isOwners: true, password: OWNER.password }

const codeFrom = (secret: string, { clock }: Pick<World, 'clock'>) =>
  generateSync({ secret, epoch: Math.floor(clock.now() / 1000) })
const secretOf = async ({ identity }: World) => (await identity.secondFactor.enrolment(OWNER.username)).secret
const accepts = async (at: World, code: string) =>
  outcomeOf(at.identity.secondFactor.verify({ username: OWNER.username, isOwners: true, code }))

describe('a new secret', () => {
  it('counts once a code of it is right, and the former one ends', async () => {
    const at = await ownedWorld()
    const { session } = await signIn(at.identity)
    const former = await secretOf(at)
    const drawn = await at.identity.secretChange.begin(session, LOCAL)
    expect(drawn).toEqual({
      secret: expect.stringMatching(/^[A-Z2-7]{32}$/),
      uri: `otpauth://totp/svc:asha%40example.com?secret=${drawn.secret}&issuer=svc`,
      expiresAt: at.clock.now() + 10 * MINUTE,
    })
    expect(await secretOf(at)).toBe(former)
    expect(await outcomeOf(at.identity.secretChange.confirm(session, '000000'))).toBe('unauthenticated')
    expect(await secretOf(at)).toBe(former)
    const code = codeFrom(drawn.secret, at)
    await at.identity.secretChange.confirm(session, code)
    expect(await secretOf(at)).toBe(drawn.secret)
    expect(await accepts(at, code), 'the code that confirmed it is used').toBe('unauthenticated')
    await at.clock.advance(STEP)
    expect(await accepts(at, codeFrom(former, at))).toBe('unauthenticated')
    const later = await at.restart()
    expect(await accepts(later, codeFrom(drawn.secret, later))).toBe('done')
  })

  it('ends every other session, and the permissions to reset the password, also after a restart', async () => {
    const at = await ownedWorld()
    const { passwords, secretChange, sessions } = at.identity
    const [own, other] = [await signIn(at.identity), await signIn(at.identity)]
    const ended: Revocation[] = []
    at.identity.onRevoked((revocation) => ended.push(revocation))
    const link = await passwords.issueLink(OWNER.email)
    const { secret } = await secretChange.begin(own.session, LOCAL)
    const generation = sessions.generation(OWNER.username)
    await secretChange.confirm(own.session, codeFrom(secret, at))
    expect(ended).toMatchObject([{ credentialId: other.session.id, reason: 'second_factor_changed' }])
    const overtaken = sessions.create(OWNER.username, {}, null, generation)
    expect(await outcomeOf(overtaken), 'a sign-in by the former secret').toBe('unauthenticated')
    const later = await at.restart()
    expect(later.identity.sessions.verify(own.token)).toMatchObject({ totpVerifiedAt: at.clock.now() })
    expect(later.identity.sessions.verify(other.token)).toBeUndefined()
    expect(await later.identity.passwords.emailOf(link?.token ?? '')).toBeUndefined()
  })

  it('needs the password, and a code while the second factor is on', async () => {
    const at = await ownedWorld()
    const { session } = await signIn(at.identity)
    const begin = (proof: object) =>
      outcomeOf(at.identity.secretChange.begin(session, { ...LOCAL, ...proof }))
    expect(await begin({ password: 'Wrong-Horse-1!' })).toBe('unauthenticated')
    // Also a second factor that sign-ins do not need.
    await withSecondFactor(at, { enabled: true, login: false, mcp: true, passwordReset: false })
    expect([await begin({}), await begin({ code: ' ' })]).toEqual(['validation', 'validation'])
    expect(await begin({ code: '000000' })).toBe('unauthenticated')
    const code = await codeOf(at)
    expect(await begin({ code, password: 'Wrong-Horse-1!' })).toBe('unauthenticated')
    expect(await begin({ code })).toBe('done')
    const failed = (await at.identity.attempts.list()).map(({ failure_reason }) => failure_reason)
    expect(failed.filter((reason) => reason !== null)).toEqual([
      'wrong_current_password',
      'invalid_totp',
      'wrong_current_password',
    ])
  })

  it('waits for its own session, for ten minutes, and until another one is drawn or the password changes', async () => {
    const at = await ownedWorld()
    const { passwords, secretChange } = at.identity
    const [own, other] = [await signIn(at.identity), await signIn(at.identity)]
    const former = await secretOf(at)
    const confirm = ({ session }: typeof own, secret: string) =>
      outcomeOf(secretChange.confirm(session, codeFrom(secret, at)))
    expect(await confirm(own, former)).toBe('conflict')
    const first = await secretChange.begin(own.session, LOCAL)
    expect(await confirm(other, first.secret)).toBe('conflict')
    const second = await secretChange.begin(own.session, LOCAL)
    expect(await confirm(own, first.secret)).toBe('unauthenticated')
    await at.clock.advance(10 * MINUTE)
    expect(await confirm(own, second.secret)).toBe('conflict')
    const third = await secretChange.begin(own.session, LOCAL)
    const checked = await passwords.confirm({ ...LOCAL, username: OWNER.username })
    await passwords.change(OWNER.username, checked ?? '', 'New-Horse-2!')
    expect(await confirm(own, third.secret)).toBe('conflict')
    expect(await secretOf(at)).toBe(former)
  })

  it('leaves a sign-in that waits for its code to a code of the new secret', async () => {
    const at = await ownedWorld()
    const { session } = await signIn(at.identity)
    await withSecondFactor(at)
    const token = await pendingToken(at)
    const { secret } = await at.identity.secretChange.begin(session, { ...LOCAL, code: await codeOf(at) })
    const former = await secretOf(at)
    await at.identity.secretChange.confirm(session, codeFrom(secret, at))
    await at.clock.advance(STEP)
    const signInWith = (code: string) =>
      outcomeOf(at.identity.signInWithCode({ token, code, isOwners: true }))
    expect(await signInWith(codeFrom(former, at))).toBe('unauthenticated')
    expect(await signInWith(codeFrom(secret, at))).toBe('done')
  })
})
