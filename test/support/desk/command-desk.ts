import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { storeSecret } from '../../../src/cli/io/home.js'
import { DaemonProcess, type Env, USERNAME } from '../process/daemon-process.js'
import { Terminal } from '../terminal.js'
import { Gateway } from '../traffic/gateway.js'

/** A daemon, a gateway in front of it, and a terminal with a session there. */
export interface CommandDesk {
  daemon: DaemonProcess
  gateway: Gateway
  terminal: Terminal
}

/** Provides one desk for all tests of a file, in Analyzer mode, from the first test on. */
export function commandDesk(env: Env = {}, open = DaemonProcess.ready): CommandDesk {
  let desk: CommandDesk | undefined
  const opened = () => {
    if (!desk) throw new Error('the desk opens before the first test')
    return desk
  }
  beforeAll(async () => {
    const daemon = await open(env)
    await daemon.analyze(true)
    const gateway = await Gateway.before(() => daemon.url)
    desk = { daemon, gateway, terminal: signedIn(daemon, gateway.url) }
  })
  beforeEach(() => opened().gateway.reset())
  afterAll(async () => {
    await desk?.gateway.close()
    await desk?.daemon.dispose()
  })
  return {
    get daemon() {
      return opened().daemon
    },
    get gateway() {
      return opened().gateway
    },
    get terminal() {
      return opened().terminal
    },
  }
}

let terminals = 0

/**
 * Returns a terminal with the stored key and session of the daemon's user, as after `svc setup` and `svc
 * login`.
 */
export function signedIn(
  { home, apikey, token }: Pick<DaemonProcess, 'home' | 'apikey' | 'token'>,
  url: string,
): Terminal {
  const terminal = strangerAt({ home }, url)
  const kept = { username: USERNAME, url, expiresAt: undefined }
  storeSecret(terminal.home, 'apikey.json', { ...kept, value: apikey })
  storeSecret(terminal.home, 'session.json', { ...kept, value: token })
  return terminal
}

/** Returns a terminal without credentials. */
export function strangerAt({ home }: Pick<DaemonProcess, 'home'>, url: string): Terminal {
  return new Terminal({ home: join(home, `terminal-${++terminals}`), env: { SVC_URL: url } })
}
