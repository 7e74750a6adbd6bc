import { createGuardrails, generateSync } from 'otplib'
import type { Clock } from '../../../time/index.js'
import { notSent } from '../http/outcomes.js'

const STEP_MS = 30_000
/** A code with less time left may be out of date when it reaches the broker. */
const LEAST_LEFT_MS = 3_000
/** Brokers give out seeds of 80 bits, which otplib refuses by default. */
const SHORT_SEEDS = createGuardrails({ MIN_SECRET_BYTES: 10 })
const BASE32 = /^[A-Z2-7]+$/

/**
 * Returns the present code of a TOTP seed (RFC 6238: SHA-1, six digits, 30 seconds). With less than three seconds of the code
 * left it waits for the next one. Send it at once.
 * @param seed base32, as the broker shows it: spaces, hyphens and small letters do not matter
 * @throws BrokerError `validation`, never sent, if it is not a seed; the text does not repeat it
 */
export async function freshTotpCode(seed: string, clock: Pick<Clock, 'now' | 'sleep'>): Promise<string> {
  const secret = seedOf(seed)
  const leftMs = STEP_MS - (clock.now() % STEP_MS)
  if (leftMs < LEAST_LEFT_MS) await clock.sleep(leftMs)
  const epoch = Math.floor(clock.now() / 1000)
  return generateSync({ secret, epoch, guardrails: SHORT_SEEDS })
}

function seedOf(text: string): string {
  const seed = text.replaceAll(/[\s=-]/g, '').toUpperCase()
  if (BASE32.test(seed) && seed.length >= 16) return seed
  throw notSent(
    'validation',
    'The TOTP secret is not readable. It has at least 16 letters and digits from 2 to 7: the text that the broker shows beside the QR code, not a code of six digits.',
  )
}
