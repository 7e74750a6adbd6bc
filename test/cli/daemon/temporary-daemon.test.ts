import { expect, it } from 'vitest'
import { foreignEnv } from '../../../src/cli/commands/daemon/temporary-daemon.js'
import { CONFIG_KEYS } from '../../../src/core/config/index.js'

it('a temporary daemon sees no setting and no credential of the user, and the rest of the environment', async () => {
  const settings = Object.fromEntries(CONFIG_KEYS.map(({ key }) => [key, 'mine']))
  const own = { ...settings, SVC_TOKEN: 'mine', SVC_API_KEY: 'mine', SVC_HOME: '/mine' }
  expect(await foreignEnv({ ...own, PATH: '/bin', NO_COLOR: '1' })).toEqual({ PATH: '/bin', NO_COLOR: '1' })
})
