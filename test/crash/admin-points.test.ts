import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { AuditTrail } from '../../src/core/audit/index.js'
import { silentLogger } from '../../src/core/logging/index.js'
import { SecretBox } from '../../src/core/secrets/index.js'
import { Database } from '../../src/core/storage/index.js'
import { VirtualClock } from '../../src/core/time/index.js'
import { casesFor } from '../support/chance/cases.js'
import { damages, execute, query } from '../support/files/files.js'
import { DaemonProcess } from '../support/process/daemon-process.js'

/* Kills inside the writes of the administration: a list is the old one or the new one, and the audit trail stays whole. */

const OLD = Date.parse('2025-01-06T04:00:00Z')
const OLD_ROWS = 2_500

const KILLED = { code: null, signal: 'SIGKILL' }
const svcDb = ({ home }: DaemonProcess) => join(home, 'svc.db')

function stopped(): DaemonProcess {
  const daemon = DaemonProcess.prepared()
  onTestFinished(() => daemon.dispose())
  return daemon
}

async function expectWholeTrail(daemon: DaemonProcess): Promise<void> {
  const { body } = await daemon.request<{ data: object }>('GET', '/audit/verify')
  expect(body.data).toMatchObject({ ok: true, problem: null })
  expect(await damages(daemon.home)).toEqual([])
}

/** Replaces the trail of a stopped home with one of old rows, sealed with the secrets of the home. */
async function withOldRows(daemon: DaemonProcess): Promise<void> {
  const file = svcDb(daemon)
  await execute(file, 'delete from audit_entries; delete from audit_seal; delete from audit_pending;')
  const { APP_KEY = '', FERNET_SALT = '' } = parseEnv(readFileSync(join(daemon.home, 'config.env'), 'utf8'))
  const secretBox = await SecretBox.derive({ appKey: APP_KEY, salt: FERNET_SALT })
  const db = await Database.open({ file, schema: 'svc' })
  const trail = await AuditTrail.open({ db, secretBox, clock: new VirtualClock(OLD), log: silentLogger })
  const actor = { name: 'asha', credential: 'session', credentialId: null, address: null } as const
  await Promise.all(
    Array.from({ length: OLD_ROWS }, (_, row) =>
      trail.append({ act: 'risk.set', actor, target: `rule ${row}` }),
    ),
  )
  await db.close()
}

const oldRows = async (daemon: DaemonProcess) => {
  const [row] = await query<{ rows: number }>(
    svcDb(daemon),
    `select count(*) rows from audit_entries where at = ${OLD}`,
  )
  return row?.rows ?? 0
}

/** Kills a daemon at a point of its first removal. @returns the old rows that are left */
async function killedInRemoval(point: string): Promise<number> {
  const daemon = stopped()
  await withOldRows(daemon)
  const retention = { AUDIT_RETENTION_DAYS: '30' }
  await daemon.start({ env: { ...retention, SVC_CRASH_AT: point }, expectFailure: true })
  expect(await daemon.exited()).toEqual(KILLED)
  const left = await oldRows(daemon)
  await daemon.start({ env: retention })
  expect(await oldRows(daemon)).toBe(left)
  await expectWholeTrail(daemon)
  await expect.poll(() => oldRows(daemon)).toBe(0)
  await expectWholeTrail(daemon)
  return left
}

// A daemon removes old rows ten seconds after its start, so the cases run side by side.
it('killed while it removes old rows: the trail is whole, and the next start removes the rest', async () => {
  // The first row says that the trail begins.
  const all = OLD_ROWS + 1
  const points = [
    { point: 'audit.prune.midTransaction', leaves: all },
    { point: 'audit.prune.afterCommit', leaves: all - 1000 },
    { point: 'audit.prune.midTransaction:2', leaves: all - 1000 },
  ]
  const cases = casesFor(points, ({ point }) => point === 'audit.prune.midTransaction:2')
  const left = await Promise.all(cases.map(({ point }) => killedInRemoval(point)))
  expect(left).toEqual(cases.map(({ leaves }) => leaves))
})

const FREEZE = ['SYMBOL,FRZ', ...Array.from({ length: 500 }, (_, row) => `NEW${row},${row + 1}`)].join('\n')

const REPLACED = [
  { point: 'freeze.replace.midTransaction', promise: 'old', isNew: false },
  { point: 'freeze.replace.afterCommit', promise: 'new', isNew: true },
]
it.each(casesFor(REPLACED, ({ isNew }) => !isNew))(
  'killed at $point: the freeze quantities are the $promise ones, all of them',
  async ({ point, isNew }) => {
    const daemon = stopped()
    await daemon.start({ env: { SVC_CRASH_AT: point } })
    const listed = async () => {
      const { body } = await daemon.request<{
        data: { exchange: string; symbol: string; freeze_qty: number }[]
      }>('GET', '/admin/api/freeze')
      return body.data.map(({ exchange, symbol, freeze_qty }) => `${exchange}:${symbol} ${freeze_qty}`).sort()
    }
    const before = await listed()
    const upload = () =>
      daemon.send('/admin/api/freeze/upload?exchange=NFO', {
        method: 'POST',
        headers: { authorization: `Bearer ${daemon.token}`, 'content-type': 'text/csv' },
        body: FREEZE,
      })
    await upload().catch(() => undefined)
    expect(await daemon.exited()).toEqual(KILLED)
    await daemon.start()
    const uploaded = Array.from({ length: 500 }, (_, row) => `NFO:NEW${row} ${row + 1}`)
    const after = [...before.filter((row) => !row.startsWith('NFO:')), ...uploaded].sort()
    expect(before.some((row) => row.startsWith('NFO:'))).toBe(true)
    expect(await listed()).toEqual(isNew ? after : before)
    await expectWholeTrail(daemon)
    // Nobody was told, so somebody uploads it again.
    expect((await upload()).status).toBe(200)
    expect(await listed()).toEqual(after)
  },
)
