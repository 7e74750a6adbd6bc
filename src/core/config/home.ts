import { homedir } from 'node:os'
import { join, resolve } from 'node:path'

export type Environment = Readonly<Record<string, string | undefined>>

/** Where the service keeps everything: `--home`, else `SVC_HOME`, else `svc` in the user's data directory. */
export function resolveHome(env: Environment, flag?: string): string {
  const chosen = flag || env.SVC_HOME
  if (chosen) return resolve(chosen)
  return join(env.XDG_DATA_HOME || join(env.HOME || homedir(), '.local', 'share'), 'svc')
}
