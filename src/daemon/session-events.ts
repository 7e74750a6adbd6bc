import type { EventBus } from '../core/events/index.js'
import type { Identity } from '../core/identity/index.js'

/** Tells a user's clients of their sessions whenever one begins or ends (contract, session API 1.12 and 0.4). */
export function announceSessions(identity: Identity, bus: EventBus): void {
  identity.onSessionsChanged((username) => {
    const sessions = identity.sessions.list(username)
    bus.publish('active_sessions_update', { user_id: username, count: sessions.length, sessions })
  })
}
