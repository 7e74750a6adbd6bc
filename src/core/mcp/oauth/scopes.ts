import { MCP_SCOPE_NAMES, MCP_SCOPES, type McpScope } from '../schema.js'
import { oauthError } from './errors.js'

const ALL: readonly McpScope[] = MCP_SCOPE_NAMES

/** Returns the scopes that can be granted. */
export function supportedScopes({ writeScopeEnabled }: { writeScopeEnabled: boolean }): readonly McpScope[] {
  return ALL.filter((scope) => scope !== 'write:orders' || writeScopeEnabled)
}

/**
 * Returns the scopes of a text as OAuth writes them, in one order and once each. Unknown scopes are ignored: assistants ask
 * for those of other servers, such as `offline_access`.
 * @param byDefault the scopes of a text that names none that is known
 * @throws ServiceError with the OAuth error `invalid_scope` for one that is known and not allowed, and for none
 */
export function parseScopes(
  text: string,
  allowed: readonly McpScope[],
  byDefault: readonly McpScope[] = [],
): readonly McpScope[] {
  const names = text.split(' ').filter(isScope)
  const denied = names.find((name) => !allowed.includes(name))
  if (denied !== undefined) throw oauthError('invalid_scope', `The scope "${denied}" is not allowed here.`)
  const scopes = names.length > 0 ? ALL.filter((scope) => names.includes(scope)) : byDefault
  if (scopes.length === 0) throw oauthError('invalid_scope', 'At least one scope is required.')
  return scopes
}

/** Returns the scopes of a stored text. */
export function storedScopes(text: string): readonly McpScope[] {
  const names = text.split(' ')
  return ALL.filter((scope) => names.includes(scope))
}

function isScope(name: string): name is McpScope {
  return Object.hasOwn(MCP_SCOPES, name)
}
