import { rmSync } from 'node:fs'
import { readDaemonFile } from '../../io/home.js'
import { signal } from '../../io/processes.js'

/**
 * Removes a temporary home, and kills its daemon, so that none stays behind after a failure or Ctrl-C. The
 * home is deleted, so a kill loses nothing.
 */
export function removeHome(home: string): void {
  const daemon = readDaemonFile(home)
  if (daemon) signal(daemon.pid, 'SIGKILL')
  rmSync(home, { recursive: true, force: true })
}

/** The variables that point to the user's own daemon, credentials and settings. */
const OWN =
  /^(SVC_|SIM_|LOG_|FLOW_|APPROVAL_|TELEGRAM_|BROKER_ENDPOINTS$|APP_KEY$|API_KEY_PEPPER$|FERNET_SALT$|HOST$)/

/** Returns the environment without the user's own daemon, credentials and settings. */
export function foreignEnv(
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !OWN.test(name)))
}
