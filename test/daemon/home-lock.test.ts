import { join } from 'node:path'
import { expect, test } from 'vitest'
import { FileLock } from '../../src/core/storage/index.js'
import { SystemClock } from '../../src/core/time/index.js'
import { HomeLock } from '../../src/daemon/process/lock.js'
import { pause } from '../support/eventually.js'
import { tempDir } from '../support/files/temp.js'

test('a start waits for a command that only looks whether a daemon has the lock', async () => {
  const home = tempDir()
  const look = await FileLock.acquire(join(home, 'daemon.lock'))
  const start = HomeLock.acquire(home, new SystemClock())
  // The start has tried by now; it also succeeds if it has not.
  await pause(50)
  await look.release()
  await (await start).release()
})

test('a daemon that has the lock keeps it', async () => {
  const home = tempDir()
  const daemon = await HomeLock.acquire(home, new SystemClock())
  await expect(HomeLock.acquire(home, new SystemClock())).rejects.toMatchObject({ code: 'conflict' })
  await daemon.release()
})
