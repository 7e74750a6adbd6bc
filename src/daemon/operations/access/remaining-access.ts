import { istStamp } from '../../../core/time/index.js'
import type { RunningService } from '../../daemon.js'

/** Tokens that a list names. */
const MOST_NAMED = 20

type Source = Pick<RunningService, 'identity' | 'mcp' | 'messages'>

/**
 * Returns in words what still opens an account after its password was replaced: each token and each linked chat or address
 * with its time and the command that ends it, the assistants and the API key. Their secrets are not in it.
 */
export function remainingAccess(service: Source, username: string): string[] {
  const { identity, mcp, messages } = service
  const tokens = identity.tokens.list(username).filter(({ id }) => identity.tokens.isUsable(id))
  const more = tokens.length - MOST_NAMED
  const contacts = messages.contacts.all().filter(({ userId }) => userId === username)
  const assistants = mcp.clients.list().filter(({ clientId }) => mcp.grantsOf(clientId) > 0)
  return [
    ...tokens
      .slice(0, MOST_NAMED)
      .map(
        ({ createdAt, id, name, scopes }) =>
          `token "${name}" (${scopes.join(', ')}), created ${istStamp(createdAt)}: svc token revoke ${id}`,
      ),
    ...(more > 0 ? [`${more} more tokens: svc token list`] : []),
    ...contacts.map(
      ({ address, channel, createdAt }) =>
        `${channel} ${address}, linked ${istStamp(createdAt)}: svc message contact ${channel} --remove`,
    ),
    ...assistants.map(
      ({ clientId, clientName }) => `assistant "${clientName}": svc admin mcp revoke ${clientId}`,
    ),
    ...(identity.apiKeys.has(username) ? ['the API key: svc apikey rotate'] : []),
  ]
}
