import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { hasTrail, recordStopped } from '../../core/audit/index.js'
import { isRestorePending } from '../../core/backup/index.js'
import { sealingKeys } from '../../core/config/index.js'
import { ServiceError } from '../../core/errors/index.js'
import { replaceLostSecret } from '../../core/identity/index.js'
import { SecretBox } from '../../core/secrets/index.js'
import { Database } from '../../core/storage/index.js'
import { SystemClock } from '../../core/time/index.js'
import { finishInterrupted } from './key-change.js'
import { HomeLock } from './lock.js'
import { startFailure } from './start-failure.js'

/**
 * Replaces the secret of the second factor in a home whose daemon is stopped, ends all sessions and adds a row to the audit
 * trail, all in one transaction. The settings of the second factor stay. The secret is returned only here.
 * @throws ServiceError `conflict` when a daemon runs in this home, `not_found` for a folder that is no home or has no
 * account, `refused` when the environment has a key
 */
export async function recoverSecondFactor(
  home: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<{ secret: string; uri: string }> {
  const file = join(home, 'svc.db')
  if (!existsSync(file) && !isRestorePending(home)) {
    throw new ServiceError('not_found', `${home} has no svc.db.`)
  }
  const clock = new SystemClock()
  const lock = await HomeLock.acquire(home, clock)
  try {
    await finishInterrupted(home)
    const { APP_KEY, FERNET_SALT } = sealingKeys(home, env)
    const box = await SecretBox.derive({ appKey: APP_KEY, salt: FERNET_SALT })
    const db = await Database.open({ file, schema: undefined })
    try {
      const isRecorded = await hasTrail(db)
      return await db.write(async (tx) => {
        const drawn = await replaceLostSecret(tx, box)
        if (!drawn) throw new ServiceError('not_found', `${home} has no account yet. Create it: svc setup`)
        const act = { act: 'totp.recover', target: drawn.username }
        if (isRecorded) await recordStopped(tx, box, act, clock.now())
        return drawn
      })
    } finally {
      await db.close()
    }
  } catch (error) {
    throw startFailure(error, home)
  } finally {
    await lock.release()
  }
}
