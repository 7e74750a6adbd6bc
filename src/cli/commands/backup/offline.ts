import { ServiceError } from '../../../core/errors/index.js'
import type { Context } from '../../framework/context.js'
import { CliError, exitOf } from '../../framework/errors.js'

type Offline = typeof import('../../../daemon/backup/offline.js')

/** Runs work on the backups of the home without a daemon. A refusal has the exit status that the daemon's would have. */
export async function offline<T>(
  { settings, io }: Context,
  work: (code: Offline, at: { home: string; env: Context['io']['env'] }) => Promise<T>,
): Promise<T> {
  try {
    return await work(await import('../../../daemon/backup/offline.js'), { home: settings.home, env: io.env })
  } catch (thrown) {
    if (!(thrown instanceof ServiceError)) throw thrown
    throw new CliError(exitOf(thrown.code, 400), thrown.message, { code: thrown.code })
  }
}
