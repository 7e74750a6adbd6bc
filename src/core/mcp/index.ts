export { Mcp } from './access.js'
export {
  type AuthorizationParams,
  type AuthorizationRequest,
  meaningsOf,
} from './oauth/authorization.js'
export { AUTH_METHODS, type ClientProof, scopesOf } from './oauth/clients.js'
export { oauthError } from './oauth/errors.js'
export { supportedScopes } from './oauth/scopes.js'
export {
  MCP_OUTCOMES,
  MCP_SCOPE_NAMES,
  MCP_SCOPES,
  type McpAccess,
  type McpAuditRow,
  type McpCall,
  type McpGrant,
  type McpOutcome,
  type McpScope,
  type McpSettings,
  type TokenRefusal,
} from './schema.js'
export type { McpSettingsPatch } from './settings.js'
export type { TokenParams } from './tokens.js'
