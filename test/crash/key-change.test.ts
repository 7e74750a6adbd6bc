import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { verifyStopped } from '../../src/core/audit/index.js'
import { SecretBox } from '../../src/core/secrets/index.js'
import { Database, sealedTexts } from '../../src/core/storage/index.js'
import { casesFor, testInTorture } from '../support/chance/cases.js'
import { chain, type FlowWebhook, fire, order, webhookFlow } from '../support/desk/flow-desk.js'
import { DaemonProcess } from '../support/process/daemon-process.js'
import { PreparedFolder } from '../support/process/prepared-folder.js'
import { Terminal } from '../support/terminal.js'

/* svc config rotate-key on a home with every kind of sealed value, also when it is killed in the middle. */

const ROTATE = ['config', 'rotate-key', '--yes']

let hook: FlowWebhook

/** A home with sealed values: API key, TOTP secret, mail password, secrets of workflows. */
const SEALED = new PreparedFolder(async (home) => {
  const daemon = DaemonProcess.prepared({}, home)
  await daemon.start()
  await daemon.analyze(true)
  const mail = { smtp_server: '127.0.0.1', smtp_username: 'desk', smtp_password: 'Mail-Horse-3!' }
  expect((await daemon.request('POST', '/auth/smtp-config', mail)).status).toBe(200)
  expect((await daemon.request('PUT', '/flow/api/secrets/token', { value: 'swordfish' })).status).toBe(200)
  hook = await webhookFlow(daemon, chain('Hook', ['webhookTrigger'], order('hook')))
  await daemon.signal('SIGTERM')
})

/** A copy of that home. */
async function sealedHome() {
  const daemon = DaemonProcess.prepared()
  onTestFinished(() => daemon.dispose())
  await SEALED.writeTo(daemon.home)
  return { daemon, terminal: new Terminal({ home: daemon.home }) }
}

const keysOf = ({ home }: DaemonProcess) => parseEnv(readFileSync(join(home, 'config.env'), 'utf8'))

/** Reads the databases of the stopped home with the keys of its config.env. */
async function withKeys<T>(
  daemon: DaemonProcess,
  read: (db: Database, box: SecretBox) => Promise<T>,
): Promise<T> {
  const { APP_KEY = '', FERNET_SALT = '' } = keysOf(daemon)
  const box = await SecretBox.derive({ appKey: APP_KEY, salt: FERNET_SALT })
  const db = await Database.open({ file: join(daemon.home, 'svc.db'), schema: undefined })
  try {
    return await read(db, box)
  } finally {
    await db.close()
  }
}

/** Returns the sealed values of the home, opened with the keys of its config.env. */
const opened = (daemon: DaemonProcess): Promise<(string | undefined)[]> =>
  withKeys(daemon, async (db, box) => {
    const texts = await sealedTexts(db, SecretBox.PREFIX)
    return texts.map(({ text }) => box.open(text)).sort()
  })

/** Checks the audit trail with the keys of config.env. @returns the last row and whether all are right */
const trailOf = (daemon: DaemonProcess) => withKeys(daemon, (db, box) => verifyStopped(db, box))

it('seals every value with new keys, and the old ones open nothing any more', async () => {
  const { daemon, terminal } = await sealedHome()
  const before = { keys: keysOf(daemon), values: await opened(daemon) }
  expect(before.values).toEqual(expect.arrayContaining(['Mail-Horse-3!', 'swordfish', hook.secret]))
  const { exit, stderr, stdout } = await terminal.svc(ROTATE)
  expect([exit, stderr]).toEqual([0, expect.stringContaining('The keys are replaced')])
  const after = keysOf(daemon)
  expect(after.APP_KEY).not.toBe(before.keys.APP_KEY)
  expect(after.FERNET_SALT).not.toBe(before.keys.FERNET_SALT)
  expect(after.API_KEY_PEPPER).toBe(before.keys.API_KEY_PEPPER)
  expect(await opened(daemon)).toEqual(before.values)
  const trail = await trailOf(daemon)
  expect(trail).toMatchObject({ ok: true })
  expect(stdout).toContain(trail?.head)

  const { APP_KEY = '', FERNET_SALT = '' } = before.keys
  await daemon.start({ env: { APP_KEY, FERNET_SALT }, expectFailure: true })
  expect((await daemon.exited()).code).toBe(1)
  expect(daemon.output).toContain('APP_KEY or FERNET_SALT has changed since this home was created')
  const inEnvironment = await terminal.svc(ROTATE, { env: { APP_KEY } })
  expect(inEnvironment).toMatchObject({
    exit: 1,
    stderr: expect.stringContaining('APP_KEY is set in the environment'),
  })

  await daemon.start()
  expect((await daemon.request('GET', '/audit/verify')).body).toMatchObject({ data: { ok: true } })
  expect((await fire(daemon, hook)).status).toBe(200)
  expect((await daemon.place()).status).toBe(200)
  const busy = await terminal.svc(ROTATE)
  expect(busy).toMatchObject({ exit: 1, stderr: expect.stringContaining('svc down') })
  expect(keysOf(daemon)).toEqual(after)
})

describe('killed in the middle', () => {
  const CASES = [
    { when: 'before the values are stored keeps the old keys', point: 'keys.change.prepared', keeps: true },
    { when: 'after that has the new keys', point: 'keys.change.sealed', keeps: false },
    { when: 'after config.env has the new keys has them', point: 'keys.change.adopted', keeps: false },
  ]
  it.each(casesFor(CASES, ({ point }) => point === 'keys.change.sealed'))(
    '$when, and the next start opens every value',
    async ({ keeps, point }) => {
      const { daemon, terminal } = await sealedHome()
      const before = { keys: keysOf(daemon), values: await opened(daemon) }
      expect((await terminal.svc(ROTATE, { env: { SVC_CRASH_AT: point } })).exit).toBe(-1)
      await daemon.start()
      expect((await fire(daemon, hook)).status).toBe(200)
      expect((await daemon.place()).status).toBe(200)
      await daemon.signal('SIGTERM')
      expect(await opened(daemon)).toEqual(before.values)
      expect(keysOf(daemon).APP_KEY === before.keys.APP_KEY).toBe(keeps)
      expect(await trailOf(daemon)).toMatchObject({ ok: true })
      expect((await terminal.svc(ROTATE)).exit).toBe(0)
      expect(await opened(daemon)).toEqual(before.values)
      expect(await trailOf(daemon)).toMatchObject({ ok: true })
    },
  )
})

/** A home with a backup of all its values. */
async function backedUpHome() {
  const { daemon, terminal } = await sealedHome()
  await daemon.start()
  const { body } = await daemon.request('POST', '/backups')
  await daemon.signal('SIGTERM')
  const { id } = z.object({ data: z.object({ id: z.string() }) }).parse(body).data
  return { daemon, terminal, values: await opened(daemon), restoring: ['restore', id, '--replace'] }
}

it('says before and after how many backups need the former keys', async () => {
  const { daemon, terminal } = await backedUpHome()
  const refused = await terminal.svc(['config', 'rotate-key'])
  expect(refused).toMatchObject({ exit: 2, stderr: expect.stringContaining('--yes') })
  expect(refused.stderr).toContain(
    `Replace the keys of ${daemon.home} (the backup of it can then be restored only with a copy of its config.env of now)`,
  )
  const { stderr } = await terminal.svc(ROTATE)
  expect(stderr).toContain('the backup of it can be restored only with a copy of the former config.env.')
  expect(stderr).toContain('then svc backup')
  expect((await terminal.svc(['config', 'rotate-key'])).stderr).toContain('(backups from before can then')
})

// `npm test` has the restore of restore-and-keys.test.ts.
for (const point of ['restore.afterDecision', 'restore.midSwap'])
  testInTorture(
    `a restore killed at ${point} is finished before the databases get the new keys`,
    async () => {
      const { daemon, restoring, terminal, values } = await backedUpHome()
      expect((await terminal.svc(restoring, { env: { SVC_CRASH_AT: point } })).exit).toBe(-1)
      expect(await terminal.svc(ROTATE)).toMatchObject({ exit: 0 })
      await daemon.start()
      await daemon.signal('SIGTERM')
      expect(await opened(daemon)).toEqual(values)
    },
  )
