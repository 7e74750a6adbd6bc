import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isTrailSignedBy, resealIn, verifyStopped } from '../../core/audit/index.js'
import { finishRestore, isRestorePending } from '../../core/backup/index.js'
import {
  adoptNextKeys,
  dropNextKeys,
  nextKeys,
  prepareNextKeys,
  type SealingKeys,
  sealingKeys,
} from '../../core/config/index.js'
import { crashPoint, ServiceError } from '../../core/errors/index.js'
import { SecretBox } from '../../core/secrets/index.js'
import { Database, replaceTexts, sealedTexts } from '../../core/storage/index.js'
import { SystemClock } from '../../core/time/index.js'
import { HomeLock } from './lock.js'
import { startFailure } from './start-failure.js'

type Environment = Readonly<Record<string, string | undefined>>

/** The result of a change of the keys. */
export interface KeyChange {
  /** The number of values that are sealed with the new key. */
  sealed: number
  /** The number of values that look sealed and that the old key did not open. They stay as they are. */
  unreadable: number
  /** The number of rows of the audit trail whose MACs were right before. */
  audit_rows: number
  /** The newest row of the audit trail as text, to be noted elsewhere; null without a sound seal. */
  audit_head: string | null
  /** The fault that the audit trail had before the change, and still has; null for a sound trail. */
  audit_problem: string | null
}

/**
 * Replaces APP_KEY and FERNET_SALT of a home whose daemon is stopped, and seals every value and the audit trail
 * again. A crash at any moment leaves a home that the next start opens: with the old keys until the values are
 * stored, with the new ones from then on.
 * @throws ServiceError `conflict` when a daemon runs in this home, `not_found` for a folder that is no home,
 * `refused` when the environment has a key, `internal` when the keys do not open the values
 */
export async function changeKeys(home: string, env: Environment): Promise<KeyChange> {
  if (!existsSync(databaseOf(home)) && !isRestorePending(home)) {
    throw new ServiceError('not_found', `${home} has no svc.db.`)
  }
  const lock = await HomeLock.acquire(home, new SystemClock())
  try {
    await finishInterrupted(home)
    return await reseal(home, sealingKeys(home, env))
  } catch (error) {
    throw startFailure(error, home)
  } finally {
    await lock.release()
  }
}

/**
 * Finishes a restore and a change of the keys that a crash cut off. The restore comes first: its databases belong to
 * the keys of config.env, and the change would replace these keys by those of the old databases. The caller has the
 * lock of the home.
 */
export async function finishInterrupted(home: string): Promise<void> {
  await finishRestore(home)
  await finishKeyChange(home)
}

/** Finishes a change of the keys that a crash cut off, or undoes it. */
async function finishKeyChange(home: string): Promise<void> {
  const keys = nextKeys(home)
  if (keys === undefined || !existsSync(databaseOf(home))) return
  const db = await Database.open({ file: databaseOf(home), schema: undefined })
  try {
    const box = await boxOf(keys)
    const texts = await sealedTexts(db, SecretBox.PREFIX)
    const isStored = texts.some(({ text }) => box.open(text) !== undefined)
    // A home may have no sealed value yet, but an audit trail.
    if (isStored || (await isTrailSignedBy(db, box))) adoptNextKeys(home, keys)
    else dropNextKeys(home)
  } finally {
    await db.close()
  }
}

async function reseal(home: string, keys: SealingKeys): Promise<KeyChange> {
  const db = await Database.open({ file: databaseOf(home), schema: undefined })
  try {
    const box = await boxOf(keys)
    const found = await sealedTexts(db, SecretBox.PREFIX)
    const opened = found.flatMap((place) => {
      const value = box.open(place.text)
      return value === undefined ? [] : [{ ...place, value }]
    })
    if (found.length > 0 && opened.length === 0) {
      throw new ServiceError('internal', 'APP_KEY or FERNET_SALT has changed since this home was created.')
    }
    // Before the change: afterwards, nobody can tell a row that was altered from one of the old keys.
    const trail = await verifyStopped(db, box)
    const counts = { sealed: opened.length, unreadable: found.length - opened.length }
    const before = { head: trail?.head ?? null, problem: trail?.problem?.message ?? null }
    const next = prepareNextKeys(home)
    const nextBox = await boxOf(next)
    crashPoint('keys.change.prepared')
    const head = await db.write(async (tx) => {
      await replaceTexts(
        tx,
        opened.map(({ value, ...place }) => ({ ...place, text: nextBox.seal(value) })),
      )
      if (!trail) return null
      return resealIn(tx, { from: box, to: nextBox }, { ...counts, audit: before }, new SystemClock().now())
    })
    crashPoint('keys.change.sealed')
    adoptNextKeys(home, next)
    return { ...counts, audit_rows: trail?.checked ?? 0, audit_head: head, audit_problem: before.problem }
  } finally {
    await db.close()
  }
}

const databaseOf = (home: string) => join(home, 'svc.db')

const boxOf = ({ APP_KEY, FERNET_SALT }: SealingKeys) =>
  SecretBox.derive({ appKey: APP_KEY, salt: FERNET_SALT })
