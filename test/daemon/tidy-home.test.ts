import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { silentLogger } from '../../src/core/logging/index.js'
import { lockFile } from '../../src/daemon/backup/upgrade.js'
import { startDaemon } from '../../src/daemon/main.js'
import { tidyHome } from '../../src/daemon/process/tidy-home.js'
import { eventually } from '../support/eventually.js'
import { tempDir } from '../support/files/temp.js'

/** Makes a home in which a killed upgrade has left its trial, and three versions their copies of `logs.db`. */
function untidy() {
  const home = tempDir()
  const trial = join(home, '.upgrade-trial')
  mkdirSync(trial)
  writeFileSync(join(trial, 'config.env'), 'APP_KEY=secret')
  const copies = [9, 10, 11].map((number) => join(home, `logs.db.before-${number}`))
  for (const copy of copies) writeFileSync(copy, '')
  return { home, trial, copies, databases: [join(home, 'logs.db')], log: silentLogger }
}

test('the trial of a killed upgrade is removed, unless an upgrade is at work', async () => {
  const at = untidy()
  const upgrade = await lockFile(join(at.home, 'upgrade.lock'))
  await tidyHome(at)
  expect(existsSync(join(at.trial, 'config.env'))).toBe(true)
  await upgrade?.release()
  await tidyHome(at)
  expect(existsSync(at.trial)).toBe(false)
  const next = await lockFile(join(at.home, 'upgrade.lock'))
  expect(next, 'the next upgrade is free').toBeDefined()
  await next?.release()
})

test('a file that cannot be removed keeps no other one, and ends nothing', async () => {
  const { copies, home, log, trial } = untidy()
  const databases = [join(home, 'none', 'logs.db'), join(home, 'logs.db')]
  await tidyHome({ home, log, databases })
  expect([trial, ...copies].map(existsSync)).toEqual([false, false, true, true])
})

test('a daemon tidies its home at the start', async () => {
  const { copies, home, trial } = untidy()
  const daemon = await startDaemon({ home, port: 0, wsPort: 0, readable: () => '' })
  const [oldest = '', ...newer] = copies
  await eventually(() => !existsSync(trial) && !existsSync(oldest), 'the home is tidy')
  expect(newer.map(existsSync)).toEqual([true, true])
  await daemon.stop()
})
