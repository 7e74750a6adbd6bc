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

/** Returns the environment without the user's own daemon, credentials and settings. */
export async function foreignEnv(
  env: Readonly<Record<string, string | undefined>>,
): Promise<Record<string, string | undefined>> {
  const { CONFIG_KEYS } = await import('../../../core/config/index.js')
  const settings: ReadonlySet<string> = new Set(CONFIG_KEYS.map(({ key }) => key))
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !name.startsWith('SVC_') && !settings.has(name)),
  )
}

/** Returns the names of the daemon's settings that an environment has. */
export async function settingNames(env: Readonly<Record<string, string | undefined>>): Promise<string[]> {
  const { CONFIG_KEYS } = await import('../../../core/config/index.js')
  return CONFIG_KEYS.map(({ key }) => String(key)).filter((key) => env[key])
}
