import { describe, expect, it } from 'vitest'
import { freshTotpCode } from '../../../../../src/core/brokers/kit/sign-in/totp-codes.js'
import { VirtualClock } from '../../../../../src/core/time/index.js'

/** The seed of the test vectors of RFC 6238: `12345678901234567890`. */
const SEED = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'

const at = (seconds: number) => new VirtualClock(seconds * 1000)

describe('the code of a TOTP seed', () => {
  it.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
  ])('is that of the test vectors of RFC 6238 at %i seconds', async (seconds, code) => {
    const standing = { now: () => seconds * 1000, sleep: () => Promise.resolve() }
    expect(await freshTotpCode(SEED, standing)).toBe(code)
  })

  it('is made at once while three seconds of it are left', async () => {
    expect(await freshTotpCode(SEED, at(57))).toBe('287082')
  })

  it('waits for the next one when less is left', async () => {
    const clock = new VirtualClock(57_001)
    const early = freshTotpCode(SEED, clock)
    let isMade = false
    void early.then(() => {
      isMade = true
    })
    await clock.advance(2_998)
    expect(isMade).toBe(false)
    await clock.advance(1)
    expect(await early).toBe(await freshTotpCode(SEED, at(60)))
    expect(clock.now()).toBe(60_000)
  })

  it('does not depend on how the seed is written', async () => {
    expect(await freshTotpCode('gezd gnbv gy3t-qojq GEZDGNBVGY3TQOJQ====', at(30))).toBe('287082')
  })

  it('is made of seeds of 80 bits', async () => {
    expect(await freshTotpCode('JBSWY3DPEHPK3PXP', at(30))).toBe('996554')
  })

  it('does not repeat what is no seed', async () => {
    for (const text of ['', '123456', 'JBSWY3DPEHPK3PX1', 'JBSWY3DP'])
      await expect(freshTotpCode(text, at(30))).rejects.toMatchObject({
        kind: 'validation',
        sent: 'never',
        message: expect.not.stringContaining(text || 'undefined'),
      })
  })
})
