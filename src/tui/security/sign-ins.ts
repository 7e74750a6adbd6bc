import type { RouteAnswer, SvcClient } from '../../client/index.js'
import { ATTEMPT_COLUMNS } from '../../views/security/login-attempt.js'
import type { LiveDaemon } from '../live/daemon.js'
import { Feed } from '../live/feed.js'
import { listTab } from '../screen/list-tab.js'
import { READ_ON_SIGN_IN } from './ban-feed.js'
import { banKey, HOST_KEY } from './ban-forms.js'

type Attempt = RouteAnswer<'GET /security/api/login-activity'>['attempts'][number]
type AttemptRow = Attempt & { id: string }

const MOST_ATTEMPTS = 200

class AttemptFeed extends Feed<readonly AttemptRow[]> {
  constructor(daemon: LiveDaemon) {
    super(daemon, { ...READ_ON_SIGN_IN, read: readAttempts }, [])
  }
}

/** An attempt has no id: its time and its place among those of the same time make one. */
async function readAttempts(client: SvcClient): Promise<readonly AttemptRow[]> {
  const query = { limit: MOST_ATTEMPTS }
  const { attempts } = await client.request('GET /security/api/login-activity', { query })
  const seen = new Map<string, number>()
  return attempts.map((row) => {
    const count = (seen.get(row.timestamp) ?? 0) + 1
    seen.set(row.timestamp, count)
    return { ...row, id: `${row.timestamp} ${count}` }
  })
}

/** The attempts to sign in, newest first. */
export const signIns = listTab({
  name: 'sign-ins',
  feed: AttemptFeed,
  rows: (rows) => rows,
  columns: ATTEMPT_COLUMNS,
  empty: 'No sign-in attempts.',
  keys: [banKey(({ ip_address }: AttemptRow) => ({ address: ip_address ?? '', reason: '' })), HOST_KEY],
})
