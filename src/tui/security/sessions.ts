import { described } from '../../views/security/session.js'
import type { ChangeQuestion } from '../question/use-question.js'
import type { SessionRow } from './feeds.js'

const OWN = 'It is the session of this program: you will be signed out here.'

/** Asks before a session ends. */
export function endQuestion(session: SessionRow, onAnswer: () => void): ChangeQuestion {
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
