import type { RouteAnswer, SvcClient } from '../../client/index.js'
import { BAN_COLUMNS, SUSPECT_COLUMNS } from '../../views/security/bans.js'
import { ATTEMPT_COLUMNS } from '../../views/security/login-attempt.js'
import {
  described,
  type ListedSession,
  listedSessions,
  SESSION_COLUMNS,
} from '../../views/security/session.js'
import type { Change } from '../live/changes/changes.js'
import type { LiveDaemon } from '../live/daemon.js'
import { Feed } from '../live/feed.js'
import { useDaemon, useFeed } from '../live/use-daemon.js'
import type { ChangeQuestion } from '../question/use-question.js'
import { listView } from '../screen/list-view.js'
import { screenOf } from '../screen/screen-of.js'
import { BanFeed, type BanRow, banFigures, READ_ON_SIGN_IN, type SuspectRow } from './ban-feed.js'
import { BAN_KEY, banKey, CHECK, HOST_KEY } from './ban-forms.js'
import { settings } from './settings.js'

/** The banned addresses, newest first. */
const bans = listView({
  name: 'bans',
  feed: BanFeed,
  useRows: ({ content }) => content.bans,
  columns: BAN_COLUMNS,
  empty: 'No bans. b bans an address.',
  keys: [
    BAN_KEY,
    {
      id: 'security.lift',
      keys: ['u'],
      does: 'lift ban',
      explained: 'lift the ban: asks',
      command: 'svc ban remove <address>',
      act: ({ row, dialogs, refresh }) => row && dialogs.ask(liftQuestion(row, refresh)),
    },
    HOST_KEY,
  ],
})

function liftQuestion({ ip_address, ban_reason }: BanRow, onAnswer: () => void): ChangeQuestion {
  return {
    title: `Lift the ban of ${ip_address}?`,
    lines: [`It was banned for: ${ban_reason}`],
    change: {
      name: `End of the ban of ${ip_address}`,
      check: CHECK,
      onAnswer,
      async send(client) {
        await client.request('POST /security/unban', { body: { ip_address } })
        return `${ip_address} is no longer banned.`
      },
    },
  }
}

const REASONS = { '404': 'scans paths', 'invalid key': 'tries API keys' } as const

/** The addresses that are on their way to a ban: by 404s, and by invalid API keys. */
const suspects = listView({
  name: 'suspects',
  feed: BanFeed,
  useRows: ({ content }) => content.suspects,
  columns: SUSPECT_COLUMNS,
  fields: [...SUSPECT_COLUMNS, { key: 'tried' }],
  empty: 'No address with 404s or invalid API keys in the last 24 hours.',
  keys: [
    banKey(({ ip_address, offence }: SuspectRow) => ({ address: ip_address, reason: REASONS[offence] })),
    {
      id: 'security.forget',
      keys: ['x'],
      does: 'clear 404s',
      explained: 'forget the 404s of the address',
      command: 'svc ban clear-404 <address>',
      act({ row, daemon, refresh }) {
        if (row?.offence === '404') daemon.changes.start(clearChange(row, refresh))
        else if (row !== undefined)
          daemon.changes.say('Only 404s can be cleared. Invalid API keys count for 24 hours.')
      },
    },
    HOST_KEY,
  ],
})

/** Forgets the 404s of an address. */
function clearChange({ ip_address }: SuspectRow, onAnswer: () => void): Change {
  return {
    name: `404s of ${ip_address}`,
    check: 'svc ban list --suspicious',
    onAnswer,
    async send(client) {
      await client.request('POST /security/clear-404', { body: { ip_address } })
      return 'forgotten.'
    },
  }
}

type SessionRow = ListedSession & { id: string; own: string }

class SessionFeed extends Feed<readonly SessionRow[]> {
  constructor(daemon: LiveDaemon) {
    super(daemon, { ...READ_ON_SIGN_IN, read: readSessions }, [])
  }
}

async function readSessions(client: SvcClient): Promise<readonly SessionRow[]> {
  return listedSessions(await client.request('GET /auth/active-sessions', {})).map((row) => ({
    ...row,
    id: row.session_id,
    own: row.current ? 'this one' : '',
  }))
}

/** The devices that are signed in, newest first. */
const sessions = listView({
  name: 'sessions',
  feed: SessionFeed,
  useRows: ({ content }) => content,
  columns: [{ key: 'short', title: 'SESSION' }, { key: 'own' }, ...SESSION_COLUMNS],
  empty: 'No sessions. svc login begins one.',
  keys: [
    BAN_KEY,
    {
      id: 'security.end',
      keys: ['x'],
      does: 'sign out',
      explained: 'end the session: asks',
      command: 'svc session revoke <session-id>',
      act: ({ row, dialogs, refresh }) => row && dialogs.ask(endQuestion(row, refresh)),
    },
    HOST_KEY,
  ],
})

const OWN = 'It is the session of this program: you will be signed out here.'

/** Asks before a session ends. */
function endQuestion(session: SessionRow, onAnswer: () => void): ChangeQuestion {
  return {
    title: `Sign out ${described(session)}?`,
    lines: session.current ? [OWN] : [],
    change: {
      name: `End of session ${session.short}`,
      check: 'svc session list',
      onAnswer,
      async send(client) {
        const params = { id: session.session_id }
        await client.request('DELETE /auth/active-sessions/:id', { params })
        return session.current ? 'you are signed out.' : 'it is signed out.'
      },
    },
  }
}

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
const signIns = listView({
  name: 'sign-ins',
  feed: AttemptFeed,
  useRows: ({ content }) => content,
  columns: ATTEMPT_COLUMNS,
  empty: 'No sign-in attempts. Each one is listed here, also one that fails.',
  keys: [banKey(({ ip_address }: AttemptRow) => ({ address: ip_address ?? '', reason: '' })), HOST_KEY],
})

/** Who may call the service: bans, addresses under suspicion, sessions, sign-ins and the rules of bans. */
export const security = screenOf({
  id: 'security',
  title: 'Security',
  short: 'Sec',
  views: [bans, suspects, sessions, signIns, settings],
  useFigures: () => banFigures(useFeed(useDaemon().part(BanFeed)).content),
})
