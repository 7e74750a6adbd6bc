import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { trialIn, upgradeLockIn } from '../../core/backup/index.js'
import { messageOf } from '../../core/errors/index.js'
import type { Logger } from '../../core/logging/index.js'
import { removeOldCopies } from '../../core/storage/index.js'
import { lockFile } from '../backup/upgrade.js'

interface Tidied {
  home: string
  /** The paths of the databases that have migrations. */
  databases: readonly string[]
  log: Logger
}

/**
 * Removes from a home what nobody needs any more: the trial of an upgrade that was killed, which has copies of the databases and
 * of the secrets, and the copies from before old migrations. Only the daemon that has the lock of the home may call it. Never
 * throws: the next start tries again.
 */
export async function tidyHome({ home, databases, log }: Tidied): Promise<void> {
  const steps = [() => removeTrial(home), ...databases.map((file) => () => removeOldCopies(file))]
  for (const step of steps) {
    try {
      const files = await step()
      if (files.length > 0) log.info('home.tidied', { files })
    } catch (error) {
      log.warn('home.tidy_failed', { error: messageOf(error) })
    }
  }
}

async function removeTrial(home: string): Promise<string[]> {
  const trial = trialIn(home)
  if (!existsSync(trial)) return []
  const lock = await lockFile(upgradeLockIn(home))
  // An upgrade that is at work still needs it, and removes it.
  if (!lock) return []
  try {
    await rm(trial, { recursive: true, force: true })
    return [trial]
  } finally {
    await lock.release()
  }
}
