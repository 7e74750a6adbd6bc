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

/** Opens brokers whose sessions last an hour; `refuses` makes the broker refuse to renew them. */
async function open() {
  const desk = await TestDesk.open()
  const { clock } = desk
  const simulated = simulatedPlugin()
  const renewedWith: unknown[] = []
  let refuses = false
  const refuse = () => {
    refuses = true
  }
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
        if (refuses) throw new BrokerError('auth', 'Wrong PIN.', { sent: 'yes' })
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
  return { desk, start, states, renewedWith, log, refuse }
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
  const { desk, start, states, refuse, log } = await open()
  const brokers = await start()
  await brokers.login(FIELDS)
  refuse()
  await desk.clock.advance(HOUR_MS)
  await eventually(() => brokers.sessionStatus().state === 'expired')
  expect(states.at(-1)).toBe('expired')
  const lines = JSON.stringify(log.lines)
  expect(lines).toContain('broker.refresh_failed')
  for (const secret of [FIELDS.pin, FIELDS.seed]) expect(lines).not.toContain(secret)
  await brokers.close()
})
