import { hash } from '@node-rs/argon2'
import { describe, expect, it } from 'vitest'
import type { Revocation } from '../../../../src/core/identity/index.js'
import { eventually } from '../../../support/eventually.js'
import {
  codeOf,
  DAY,
  HOUR,
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

const NEW = 'New-Horse-2!'
const LOCAL = { isOwners: true, ipAddress: '127.0.0.1' }
const ELSEWHERE = { ipAddress: '203.0.113.9', ownAddress: '203.0.113.9' }

async function linkToken({ identity }: World): Promise<string> {
  const link = await identity.passwords.issueLink(OWNER.email)
  if (!link) throw new Error('the address of the owner is unknown')
  return link.token
}

async function change(at: World, password = NEW): Promise<void> {
  const { passwords } = at.identity
  const checked = await passwords.confirm({ ...LOCAL, username: OWNER.username, password: OWNER.password })
  if (checked === undefined) throw new Error('the password of the owner is wrong')
  await passwords.change(OWNER.username, checked, password)
}

const accepts = async ({ identity }: World, password: string) =>
  (await identity.users.verifyPassword(OWNER.username, password)) !== undefined

describe('a change of the password', () => {
  it('ends every session, in memory and after a restart, and says why', async () => {
    const at = await ownedWorld()
    const ended: Revocation[] = []
    const changed: string[] = []
    at.identity.onRevoked((revocation) => ended.push(revocation))
    const [first, second] = [await signIn(at.identity), await signIn(at.identity)]
    at.identity.onSessionsChanged((username) => changed.push(username))
    await change(at)
    expect(ended.map(({ reason, credentialId }) => [reason, credentialId]).sort()).toEqual(
      [first, second].map(({ session }) => ['password_changed', session.id]).sort(),
    )
    expect(changed).toEqual(['asha'])
    expect(at.identity.sessions.verify(first.token)).toBeUndefined()
    const later = await at.restart()
    for (const { token } of [first, second]) expect(later.identity.sessions.verify(token)).toBeUndefined()
    expect([await accepts(later, OWNER.password), await accepts(later, NEW)]).toEqual([false, true])
  })

  it('leaves no session to a sign-in with the old password that it overtakes', async () => {
    const at = await ownedWorld()
    const { passwords, sessions } = at.identity
    const checked = await passwords.confirm({ ...LOCAL, ...OWNER })
    const generation = sessions.generation('asha')
    await passwords.change('asha', checked ?? '', NEW)
    await expect(sessions.create('asha', {}, null, generation)).rejects.toMatchObject({
      code: 'unauthenticated',
    })
    expect(sessions.list('asha')).toEqual([])
    const racing = await Promise.allSettled([
      passwords
        .confirm({ ...LOCAL, username: 'asha', password: NEW })
        .then((was) => passwords.change('asha', was ?? '', 'Third-Horse-3!')),
      ...Array.from({ length: 4 }, () => at.identity.signIn({ ...LOCAL, username: 'asha', password: NEW })),
    ])
    expect(racing[0]?.status).toBe('fulfilled')
    expect(sessions.list('asha')).toEqual([])
  })

  it('ends a sign-in that waits for its code, and the links and tokens of a reset', async () => {
    const at = await ownedWorld()
    const link = await linkToken(at)
    await withSecondFactor(at)
    const token = await pendingToken(at)
    await change(at)
    const signedIn = at.identity.signInWithCode({ token, code: await codeOf(at), ...LOCAL })
    expect(await outcomeOf(signedIn)).toBe('unauthenticated')
    await expect(at.identity.passwords.reset(OWNER.email, link, 'Third-Horse-3!')).rejects.toMatchObject({
      message: 'Invalid or expired reset token.',
    })
  })

  it('happens once when two requests want it at the same time', async () => {
    const at = await ownedWorld()
    const outcomes = await Promise.all([outcomeOf(change(at)), outcomeOf(change(at, 'Third-Horse-3!'))])
    expect(outcomes.sort()).toEqual(['conflict', 'done'])
  })

  it('names the first broken rule, and lists all', async () => {
    const at = await ownedWorld()
    await expect(change(at, 'short')).rejects.toMatchObject({
      code: 'validation',
      message: 'Password must be at least 8 characters long',
      errors: { new_password: expect.arrayContaining(['Password must contain at least 1 number (0-9)']) },
    })
    await expect(change(at, 'P@ssw0rd')).rejects.toMatchObject({
      message: expect.stringContaining('Password must not be one that many people use'),
    })
    expect(await accepts(at, OWNER.password)).toBe(true)
  })

  it.each(['Ä1!aA-नमस्ते-😀'.padEnd(65, 'x'), `Aa1!${'long '.repeat(40)}`])(
    'takes the password %j as a whole',
    async (password) => {
      const at = await ownedWorld()
      await change(at, password)
      expect(await accepts(at, password)).toBe(true)
      expect(await accepts(at, password.slice(0, -1))).toBe(false)
    },
  )

  it('works for a hash with outdated parameters', async () => {
    const at = await ownedWorld()
    const cost = { memoryCost: 8192, timeCost: 1, parallelism: 1 }
    const old = await hash(OWNER.password + 'pepper'.repeat(6), cost)
    await at.db.write((tx) => tx.exec('update users set password_hash = ?', [old]))
    await change(at)
    const [row] = await at.db.queryRaw('select password_hash as hash from users')
    expect(row?.hash).toMatch(/^\$argon2id\$v=19\$m=65536,t=3,p=1\$/)
    expect(await accepts(at, NEW)).toBe(true)
  })

  it('counts wrong current passwords with the sign-ins of the account, also after a restart', async () => {
    const at = await ownedWorld()
    const guess = ({ identity }: World) =>
      identity.passwords.confirm({ ...ELSEWHERE, username: 'asha', password: 'x' })
    for (let tries = 0; tries < 5; tries++) expect(await guess(at)).toBeUndefined()
    expect(await outcomeOf(guess(at))).toBe('rate_limited 30')
    expect(await outcomeOf(at.identity.signIn({ ...OWNER, ...ELSEWHERE }))).toBe('rate_limited 30')
    const later = await at.restart()
    expect(await outcomeOf(guess(later))).toBe('rate_limited 30')
  })
})

describe('a mailed link', () => {
  it('sets the password once, and ends every session', async () => {
    const at = await ownedWorld()
    const ended: Revocation[] = []
    at.identity.onRevoked((revocation) => ended.push(revocation))
    const { token: session } = await signIn(at.identity)
    const { passwords } = at.identity
    const token = await linkToken(at)
    expect(token).toMatch(/^[\w-]{43}$/)
    expect(await passwords.emailOf(token)).toBe(OWNER.email)
    await passwords.reset(OWNER.email, token, NEW)
    expect(ended).toMatchObject([{ reason: 'password_reset' }])
    expect(at.identity.sessions.verify(session)).toBeUndefined()
    expect(await accepts(at, NEW)).toBe(true)
    expect(await passwords.emailOf(token)).toBeUndefined()
    expect(await outcomeOf(passwords.reset(OWNER.email, token, 'Third-Horse-3!'))).toBe('validation')
    expect(await accepts(at, NEW)).toBe(true)
  })

  it('ends the wait after the guesses of a stranger, also for an address that is not known', async () => {
    const at = await ownedWorld()
    const signedIn = (password: string) =>
      outcomeOf(at.identity.signIn({ username: OWNER.username, password, ...ELSEWHERE }))
    for (let n = 0; n < 6; n++) await signedIn('Wrong-Horse-1!')
    expect(await signedIn(OWNER.password)).toBe('rate_limited 30')
    await at.identity.passwords.reset(OWNER.email, await linkToken(at), NEW)
    expect(await signedIn(NEW)).toBe('done')
  })

  it('works once when ten requests use it at the same time', async () => {
    const at = await ownedWorld()
    const token = await linkToken(at)
    const tries = Array.from({ length: 10 }, (_, index) =>
      outcomeOf(at.identity.passwords.reset(OWNER.email, token, `New-Horse-${index}!`)),
    )
    expect((await Promise.all(tries)).filter((outcome) => outcome === 'done')).toHaveLength(1)
  })

  it('works for an hour, also after a restart, and not longer', async () => {
    const at = await ownedWorld()
    const token = await linkToken(at)
    await at.clock.advance(HOUR - 1)
    const later = await at.restart()
    expect(await later.identity.passwords.emailOf(token)).toBe(OWNER.email)
    await later.clock.advance(1)
    expect(await later.identity.passwords.emailOf(token)).toBeUndefined()
    expect(await outcomeOf(later.identity.passwords.reset(OWNER.email, token, NEW))).toBe('validation')
    expect(await accepts(later, OWNER.password)).toBe(true)
    await later.clock.advance(MINUTE)
    await eventually(async () => (await later.db.queryRaw('select * from password_resets')).length === 0)
  })

  it('ends when a second one is issued', async () => {
    const at = await ownedWorld()
    const { passwords } = at.identity
    const [first, second] = [await linkToken(at), await linkToken(at)]
    expect(await outcomeOf(passwords.reset(OWNER.email, first, NEW))).toBe('validation')
    expect(await outcomeOf(passwords.reset(OWNER.email, second, NEW))).toBe('done')
  })

  it('stays valid after a password that breaks a rule, and after another address', async () => {
    const at = await ownedWorld()
    const { passwords } = at.identity
    const token = await linkToken(at)
    expect(await outcomeOf(passwords.reset(OWNER.email, token, 'short'))).toBe('validation')
    expect(await outcomeOf(passwords.reset('eve@example.com', token, NEW))).toBe('validation')
    expect(await outcomeOf(passwords.reset(OWNER.email.toUpperCase(), token, NEW))).toBe('done')
  })

  it('is refused once the account demands a code for a reset', async () => {
    const at = await ownedWorld()
    const token = await linkToken(at)
    await withSecondFactor(at, { enabled: true, login: false, mcp: false, passwordReset: true })
    expect(await at.identity.passwords.allowsMail()).toBe(false)
    const { token: session } = await signIn(at.identity)
    expect(await outcomeOf(at.identity.passwords.reset(OWNER.email, token, NEW))).toBe('validation')
    expect(await accepts(at, OWNER.password)).toBe(true)
    expect(at.identity.sessions.verify(session)).toBeDefined()
  })

  it('is stored only as a hash', async () => {
    const at = await ownedWorld()
    const token = await linkToken(at)
    expect(JSON.stringify(await at.db.queryRaw('select * from password_resets'))).not.toContain(token)
  })
})

describe('a code of the authenticator app', () => {
  const verify = async (at: World, code: string, email = OWNER.email, caller: object = LOCAL) =>
    at.identity.passwords.verifyCode({ email, ...caller }, code)

  it('gives a token for ten minutes, also while the second factor is off', async () => {
    const at = await ownedWorld()
    const { passwords } = at.identity
    const token = await verify(at, await codeOf(at))
    await passwords.reset(OWNER.email, token, NEW)
    expect(await accepts(at, NEW)).toBe(true)
    await at.clock.advance(2 * STEP)
    const late = await verify(at, await codeOf(at))
    await at.clock.advance(10 * MINUTE)
    expect(await outcomeOf(passwords.reset(OWNER.email, late, NEW))).toBe('validation')
  })

  it('is not taken away by a link that anybody may ask for', async () => {
    const at = await ownedWorld()
    const token = await verify(at, await codeOf(at))
    await linkToken(at)
    expect(await outcomeOf(at.identity.passwords.reset(OWNER.email, token, NEW))).toBe('done')
  })

  it('works once', async () => {
    const at = await ownedWorld()
    const code = await codeOf(at)
    const tries = Array.from({ length: 10 }, () => outcomeOf(verify(at, code)))
    expect((await Promise.all(tries)).filter((outcome) => outcome === 'done')).toHaveLength(1)
  })

  it('that is wrong gets the same answer for a known and an unknown address, up to the delay', async () => {
    const at = await ownedWorld()
    // Failed sign-ins of the account must not show in the answers to its address.
    for (let tries = 0; tries < 5; tries++) {
      await outcomeOf(at.identity.signIn({ ...ELSEWHERE, username: 'asha', password: 'x' }))
    }
    const answers = async (email: string, world = at) => {
      const seen: string[] = []
      for (let tries = 0; tries < 7; tries++)
        seen.push(await outcomeOf(verify(world, '000000', email, ELSEWHERE)))
      return seen
    }
    const known = await answers(OWNER.email)
    expect(known).toEqual([...Array(5).fill('validation'), ...Array(2).fill('rate_limited 30')])
    expect(await answers('nobody@example.com')).toEqual(known)
    const later = await at.restart()
    expect(await outcomeOf(verify(later, '000000', OWNER.email, ELSEWHERE))).toBe('rate_limited 30')
    expect(await outcomeOf(verify(later, '000000', 'nobody@example.com', ELSEWHERE))).toBe('rate_limited 30')
    // The owner on the machine of the service is never kept waiting.
    expect(await outcomeOf(verify(later, await codeOf(later)))).toBe('done')
    await later.clock.advance(DAY)
    expect(await outcomeOf(verify(later, '000000', OWNER.email, ELSEWHERE))).toBe('validation')
  })
})
