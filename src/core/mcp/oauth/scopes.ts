import { MCP_SCOPE_NAMES, MCP_SCOPES, type McpScope } from '../schema.js'
import { oauthError } from './errors.js'

const ALL: readonly McpScope[] = MCP_SCOPE_NAMES

/** Returns the scopes that can be granted. */
export function supportedScopes({ writeScopeEnabled }: { writeScopeEnabled: boolean }): readonly McpScope[] {
  return ALL.filter((scope) => scope !== 'write:orders' || writeScopeEnabled)
}

/**
 * Returns the scopes of a text as OAuth writes them, in one order and once each.
 * @throws ServiceError with the OAuth error `invalid_scope` for one that is not allowed, and for none
 */
export function parseScopes(text: string, allowed: readonly McpScope[]): readonly McpScope[] {
  const names = text.split(' ').filter((name) => name !== '')
  const strange = names.find((name) => !allowed.some((scope) => scope === name))
  if (strange !== undefined) {
    const reason = isScope(strange) ? 'is not allowed here' : 'is unknown'
    throw oauthError('invalid_scope', `The scope ${JSON.stringify(strange.slice(0, 40))} ${reason}.`)
  }
  const scopes = ALL.filter((scope) => names.includes(scope))
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
