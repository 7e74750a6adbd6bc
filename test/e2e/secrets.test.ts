import { afterEach, describe, expect, it } from 'vitest'
import { DaemonProcess } from '../support/process/daemon-process.js'

/* The secrets of a home belong to it: another one is refused at the start, before anything is answered or written. */
let daemon: DaemonProcess
afterEach(() => daemon.dispose())

const OTHER = '5be1fcf39d2a8e07c4d6103b72a9e8f41c0d7b6a95e3f28c'

describe('a home that is given another secret', () => {
  it.each([
    ['API_KEY_PEPPER', /API_KEY_PEPPER has changed since this home was created/],
    ['APP_KEY', /APP_KEY or FERNET_SALT has changed since this home was created/],
    ['FERNET_SALT', /APP_KEY or FERNET_SALT has changed since this home was created/],
  ])('%s is refused by name, and works again with its own', async (variable, message) => {
    daemon = DaemonProcess.prepared()
    await daemon.start({ env: { [variable]: OTHER }, expectFailure: true })
    expect((await daemon.exited()).code).toBe(1)
    expect(daemon.output).toMatch(message)
    expect(daemon.output).not.toContain(OTHER)
    await daemon.start()
    expect((await daemon.place()).status).toBe(200)
  })
})
