import { join } from 'node:path'

/** The folder in a home with the copy of its databases on which `svc upgrade` tries the next version. */
export const trialIn = (home: string): string => join(home, '.upgrade-trial')

/** The lock in a home of the `svc upgrade` that is at work, so that two installations do not upgrade it at once. It stays there. */
export const upgradeLockIn = (home: string): string => join(home, 'upgrade.lock')
