import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { tellReady } from '../../../../src/cli/commands/daemon/service-manager.js'
import { serviceManager } from '../../../support/process/service-manager.js'

describe('a daemon that is ready', () => {
  it('tells the service manager of its unit', async () => {
    const { told, env } = serviceManager()
    expect(await tellReady(env)).toBeUndefined()
    expect(readFileSync(told, 'utf8')).toBe('--ready to /run/manager\n')
  })

  it('tells nobody without one', async () => {
    const { told, env } = serviceManager()
    expect(await tellReady({ PATH: env.PATH })).toBeUndefined()
    expect(await tellReady({ PATH: env.PATH, NOTIFY_SOCKET: '' })).toBeUndefined()
    expect(existsSync(told)).toBe(false)
  })

  it('says why the manager could not be told', async () => {
    expect(await tellReady(serviceManager('echo refused >&2; exit 1').env)).toContain('refused')
    expect(await tellReady({ PATH: '/nowhere', NOTIFY_SOCKET: '/run/manager' })).toContain(
      'systemd-notify ENOENT',
    )
  })
})
