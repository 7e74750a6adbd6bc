import type { SvcClient } from '../../client/index.js'
import {
  described,
  type ListedSession,
  listedSessions,
  SESSION_COLUMNS,
} from '../../views/security/session.js'
import type { LiveDaemon } from '../live/daemon.js'
import { Feed } from '../live/feed.js'
import type { ChangeQuestion } from '../question/use-question.js'
import { listTab } from '../screen/list-tab.js'
import { READ_ON_SIGN_IN } from './ban-feed.js'
import { BAN_KEY, HOST_KEY } from './ban-forms.js'

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
export const sessions = listTab({
  name: 'sessions',
  feed: SessionFeed,
  rows: (rows) => rows,
  columns: [{ key: 'short', title: 'SESSION' }, { key: 'own' }, ...SESSION_COLUMNS],
  empty: 'No sessions.',
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
