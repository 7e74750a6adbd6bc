import { expect, test } from 'vitest'
import { BrokerError, type BrokerPlugin, BrokerService } from '../../../src/core/brokers/index.js'
import { simulatedPlugin } from '../../../src/core/brokers/simulated/index.js'
import { SecretBox } from '../../../src/core/secrets/index.js'
import { TestDesk } from '../../support/desk/desk.js'
import { eventually } from '../../support/eventually.js'
import { tempDir } from '../../support/files/temp.js'
import { recordingLogger } from '../logging/recording-logger.js'

/* A broker that allows a sign-in without a person: by a PIN and a seed that stay sealed in the home. */

const HOUR_MS = 3_600_000
const FIELDS = { client: 'AB12', pin: '4711', seed: 'JBSWY3DP' }
const secrets = await SecretBox.derive({ appKey: 'k'.repeat(64), salt: 's'.repeat(32) })

/** Opens brokers whose sessions last an hour; `fail` makes their renewals fail. */
async function open() {
  const desk = await TestDesk.open()
  const { clock } = desk
  const simulated = simulatedPlugin()
  const renewedWith: unknown[] = []
  let failure: BrokerError | undefined
  /** Makes each renewal fail from now on; undefined: it works again. */
  const fail = (error: BrokerError | undefined) => {
    failure = error
  }
  /** Called while the broker is asked to renew a session. */
  const asked: { onRenewal?: () => void } = {}
  const session = (accessToken: string) => ({
    accessToken,
    issuedAt: clock.now(),
    expiresAt: clock.now() + HOUR_MS,
  })
  const plugin: BrokerPlugin = {
    ...simulated,
    manifest: {
      ...simulated.manifest,
      id: 'unattended',
      displayName: 'Unattended',
      credentialFields: [
        { name: 'client', label: 'Client', secret: false, required: true },
        { name: 'pin', label: 'PIN', secret: true, required: true, keep: 'sealed' },
        { name: 'seed', label: 'Seed', secret: true, required: true, keep: 'sealed' },
      ],
    },
    auth: {
      complete: async () => session('first'),
      refresh: async (old) => {
        renewedWith.push(old.extra)
        asked.onRenewal?.()
        if (failure) throw failure
        return session(`after ${old.accessToken}`)
      },
    },
  }
  const { db, log } = { db: desk.service.databases.svc, log: recordingLogger() }
  const stateDir = tempDir()
  const states: string[] = []
  const start = async () => {
    const brokers = await BrokerService.open({
      ...{ db, clock, secrets, log, stateDir },
      plugins: [plugin],
      endpoints: {},
      instruments: () => desk.service.instruments.directory,
    })
    await brokers.use('unattended')
    await brokers.start({
      onTick: () => undefined,
      onOrderUpdate: () => undefined,
      onConnected: () => undefined,
      onSession: ({ state }) => void states.push(state),
    })
    return brokers
  }
  return { desk, start, states, renewedWith, log, fail, asked }
}

test('a session is renewed at its hour with the sealed fields, and nothing else is kept', async () => {
  const { desk, start, states, renewedWith } = await open()
  const brokers = await start()
  await brokers.login(FIELDS)
  await desk.clock.advance(HOUR_MS)
  await eventually(() => brokers.currentSession()?.accessToken === 'after first')
  expect(renewedWith).toEqual([{ pin: '4711', seed: 'JBSWY3DP' }])
  expect(brokers.currentSession()?.extra).toEqual({ pin: '4711', seed: 'JBSWY3DP' })
  await eventually(() => states.length === 3)
  expect(states).toEqual(['signed_in', 'expires_soon', 'signed_in'])
  await brokers.close()
})

test('a session that expired while the service was down is renewed at the start', async () => {
  const { desk, start } = await open()
  const first = await start()
  await first.login(FIELDS)
  await first.close()
  await desk.clock.advance(2 * HOUR_MS)
  const second = await start()
  expect(second.currentSession()?.accessToken).toBe('after first')
  await second.close()
})

test('a session that the broker does not renew has expired, and its secrets are in no log', async () => {
  const { desk, start, states, fail, log, renewedWith } = await open()
  const brokers = await start()
  await brokers.login(FIELDS)
  fail(new BrokerError('auth', 'Wrong PIN.', { sent: 'yes' }))
  await desk.clock.advance(HOUR_MS)
  await eventually(() => brokers.sessionStatus().state === 'expired')
  expect(states.at(-1)).toBe('expired')
  const lines = JSON.stringify(log.lines)
  expect(lines).toContain('broker.refresh_failed')
  for (const secret of [FIELDS.pin, FIELDS.seed]) expect(lines).not.toContain(secret)
  // The same PIN again would lock the account.
  await desk.clock.advance(HOUR_MS)
  expect(renewedWith).toHaveLength(1)
  await brokers.close()
})

test('nothing is sent with a session that has expired while the broker renews it', async () => {
  const { asked, desk, start, states } = await open()
  const brokers = await start()
  await brokers.login(FIELDS)
  const seen: unknown[] = []
  asked.onRenewal = () => {
    seen.push(brokers.connected(), brokers.sessionStatus().state)
    expect(() => brokers.client()).toThrow('It expired at')
  }
  await desk.clock.advance(HOUR_MS)
  await eventually(() => brokers.connected())
  expect(seen).toEqual([false, 'expired'])
  expect(states).not.toContain('expired')
  await brokers.close()
})

const UNREACHABLE = new BrokerError('network', 'No answer.', { sent: 'maybe' })

test('a broker that cannot be reached is asked each minute until it renews the session', async () => {
  const { desk, fail, renewedWith, start, states } = await open()
  const brokers = await start()
  await brokers.login(FIELDS)
  fail(UNREACHABLE)
  await desk.clock.advance(HOUR_MS)
  await eventually(() => states.at(-1) === 'expired')
  await desk.clock.advance(60_000)
  await eventually(() => renewedWith.length === 2)
  fail(undefined)
  await eventually(async () => {
    await desk.clock.advance(60_000)
    return brokers.connected()
  })
  await eventually(() => states.at(-1) === 'signed_in')
  expect(states).toEqual(['signed_in', 'expires_soon', 'expired', 'signed_in'])
  await brokers.close()
})

test('a broker that asks for a longer wait is not asked before', async () => {
  const { desk, fail, renewedWith, start, states } = await open()
  const brokers = await start()
  await brokers.login(FIELDS)
  fail(new BrokerError('rate_limit', 'Once every 2 minutes.', { sent: 'yes', retryAfterMs: 120_000 }))
  await desk.clock.advance(HOUR_MS)
  await eventually(() => states.at(-1) === 'expired')
  fail(undefined)
  await desk.clock.advance(119_000)
  expect(renewedWith).toHaveLength(1)
  await eventually(async () => {
    await desk.clock.advance(1000)
    return brokers.connected()
  })
  expect(renewedWith).toHaveLength(2)
  await brokers.close()
})

test('a start that cannot reach the broker renews the session later', async () => {
  const { desk, fail, start } = await open()
  const first = await start()
  await first.login(FIELDS)
  await first.close()
  await desk.clock.advance(2 * HOUR_MS)
  fail(UNREACHABLE)
  const second = await start()
  expect(second.sessionStatus().state).toBe('expired')
  fail(undefined)
  await desk.clock.advance(60_000)
  await eventually(() => second.currentSession()?.accessToken === 'after first')
  await second.close()
})

test('a person who signs out while the session is renewed stays signed out', async () => {
  const { asked, desk, start } = await open()
  const brokers = await start()
  await brokers.login(FIELDS)
  const signedOut = new Promise<void>((resolve) => {
    asked.onRenewal = () => void brokers.logout().then(resolve)
  })
  await desk.clock.advance(HOUR_MS)
  await signedOut
  await desk.clock.advance(HOUR_MS)
  expect(brokers.sessionStatus().state).toBe('signed_out')
  await brokers.close()
})
