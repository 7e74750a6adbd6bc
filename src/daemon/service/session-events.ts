import type { EventBus } from '../../core/events/index.js'
import type { Identity } from '../../core/identity/index.js'

/** Sends a user's clients the list of the user's sessions whenever a session begins or ends. */
export function announceSessions(identity: Identity, bus: EventBus): void {
  identity.onSessionsChanged((username) => {
    const sessions = identity.sessions.list(username)
    bus.publish('active_sessions_update', { user_id: username, count: sessions.length, sessions })
  })
}
