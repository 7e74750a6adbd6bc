import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { VirtualClock } from '../../../../src/core/time/index.js'
import { AT_SIGN_IN, codeOf, MONDAY_TEN, OWNER, outcomeOf, ownedWorld, STEP, type World } from '../support.js'

const OFF = { enabled: false, login: false, mcp: false, passwordReset: false }
const ALL = { enabled: true, login: true, mcp: true, passwordReset: true }
const LOCAL = { username: OWNER.username, isOwners: true }

const verify = ({ identity }: World, code: string) => identity.secondFactor.verify({ ...LOCAL, code })
const tried = (at: World, code: string) => outcomeOf(verify(at, code))

describe('a code', () => {
  it('works once, ever, also when ten requests send it at the same time', async () => {
    const at = await ownedWorld()
    const code = await codeOf(at)
    const ends = await Promise.all(Array.from({ length: 10 }, () => tried(at, code)))
    expect(ends.filter((end) => end === 'done')).toHaveLength(1)
    expect(ends.filter((end) => end === 'unauthenticated')).toHaveLength(9)
  })

  it('stays used after a restart, and after the clock was set back', async () => {
    const at = await ownedWorld()
    await at.clock.advance(10 * STEP)
    const code = await codeOf(at)
    expect(await tried(at, code)).toBe('done')
    const again = await at.restart()
    expect(await tried(again, code)).toBe('unauthenticated')
    const earlier = await again.restart({ clock: new VirtualClock(MONDAY_TEN) })
    expect(await tried(earlier, await codeOf(earlier))).toBe('unauthenticated')
  })

  it('ends the codes of earlier steps', async () => {
    const at = await ownedWorld()
    const [former, next] = [await codeOf(at, -1), await codeOf(at, 1)]
    expect(await tried(at, next)).toBe('done')
    expect([await tried(at, former), await tried(at, await codeOf(at))]).toEqual(
      Array(2).fill('unauthenticated'),
    )
  })

  it('is used at most once, in rising order, whatever is sent and however the time passes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({ wait: fc.integer({ min: 0, max: 90 }), drift: fc.integer({ min: -2, max: 2 }) }),
          {
            minLength: 1,
            maxLength: 25,
          },
        ),
        async (sends) => {
          const at = await ownedWorld()
          let last = Number.NEGATIVE_INFINITY
          for (const { wait, drift } of sends) {
            await at.clock.advance(wait * 1000)
            const step = Math.floor(at.clock.now() / STEP) + drift
            const accepted = (await tried(at, await codeOf(at, drift))) === 'done'
            expect({ step, accepted }).toEqual({ step, accepted: Math.abs(drift) <= 1 && step > last })
            if (accepted) last = step
          }
        },
      ),
      { numRuns: 15 },
    )
  })

  it('is refused with a row for the login activity, which does not contain it', async () => {
    const at = await ownedWorld()
    const code = await codeOf(at)
    await verify(at, code)
    expect([await tried(at, code), await tried(at, 'abcdef')]).toEqual(Array(2).fill('unauthenticated'))
    const rows = await at.identity.attempts.list()
    expect(
      rows.map(({ status, login_type, failure_reason }) => [status, login_type, failure_reason]),
    ).toEqual([
      ['failed', 'totp', 'invalid_totp'],
      ['failed', 'totp', 'reused_totp'],
    ])
    expect(JSON.stringify(rows)).not.toContain(code)
  })
})

describe('wrong codes', () => {
  const elsewhere = { username: OWNER.username, ownAddress: '203.0.113.1', code: '000000' }
  const guess = (at: World) => outcomeOf(at.identity.secondFactor.verify(elsewhere))

  it('make the account wait like wrong passwords, together with them, also after a restart', async () => {
    const at = await ownedWorld()
    const password = { ...elsewhere, password: 'Wrong-Horse-1!' }
    for (let time = 0; time < 2; time++) await outcomeOf(at.identity.signIn(password))
    for (let time = 0; time < 3; time++) expect(await guess(at)).toBe('unauthenticated')
    expect(await guess(at)).toBe('rate_limited 30')
    expect(await outcomeOf(at.identity.signIn(password))).toBe('rate_limited 30')
    const again = await at.restart()
    expect(await guess(again)).toBe('rate_limited 30')
    expect(
      await outcomeOf(again.identity.secondFactor.verify({ ...elsewhere, code: await codeOf(again) })),
    ).toBe('rate_limited 30')
    expect(await tried(again, await codeOf(again)), 'on the machine of the service').toBe('done')
  })
})

describe('the settings', () => {
  const configure = async (at: World, settings = ALL, code?: string) =>
    at.identity.secondFactor.configure({ ...LOCAL, code: code ?? (await codeOf(at)) }, settings)
  const settings = ({ identity }: World) => identity.secondFactor.settings(OWNER.username)

  it('change only with a valid code, also when they are switched off', async () => {
    const at = await ownedWorld()
    expect(await settings(at)).toEqual(OFF)
    expect(await outcomeOf(configure(at, ALL, '000000'))).toBe('unauthenticated')
    expect(await settings(at)).toEqual(OFF)
    const code = await codeOf(at)
    expect(await configure(at, ALL, code)).toEqual(ALL)
    expect(await outcomeOf(configure(at, OFF, code)), 'the same code').toBe('unauthenticated')
    expect(await settings(at)).toEqual(ALL)
    await at.clock.advance(STEP)
    expect(await configure(at, OFF)).toEqual(OFF)
    expect(await settings(at)).toEqual(OFF)
  })

  it('are replaced as a whole; without the main switch no purpose stays on', async () => {
    const at = await ownedWorld()
    await configure(at, ALL)
    await at.clock.advance(STEP)
    expect(await configure(at, { ...OFF, enabled: true, mcp: true })).toEqual({
      ...OFF,
      enabled: true,
      mcp: true,
    })
    await at.clock.advance(STEP)
    expect(await configure(at, { ...ALL, enabled: false })).toEqual(OFF)
    expect(await settings(at)).toEqual(OFF)
  })

  it('change once when ten requests send one code at the same time', async () => {
    const at = await ownedWorld()
    const code = await codeOf(at)
    const ends = await Promise.all(
      Array.from({ length: 10 }, () => outcomeOf(configure(at, AT_SIGN_IN, code))),
    )
    expect(ends.filter((end) => end === 'done')).toHaveLength(1)
  })

  test.each([
    [OFF, false, false],
    [{ ...OFF, enabled: true }, false, false],
    [{ ...OFF, enabled: true, mcp: true }, true, false],
    [{ ...OFF, enabled: true, passwordReset: true }, false, true],
  ])('%j require a code for MCP: %s, for a password reset: %s', async (chosen, mcp, reset) => {
    const at = await ownedWorld()
    await configure(at, chosen)
    const { secondFactor } = at.identity
    expect(await secondFactor.requires(OWNER.username, 'mcp')).toBe(mcp)
    expect(await secondFactor.requires(OWNER.username, 'passwordReset')).toBe(reset)
    expect(await secondFactor.requires(OWNER.username, 'login')).toBe(false)
  })

  it('exist only for an existing user', async () => {
    const at = await ownedWorld()
    expect(await outcomeOf(at.identity.secondFactor.settings('nobody'))).toBe('not_found')
  })
})
