export {
  MCP_OUTCOMES,
  MCP_SCOPES,
  type McpAccess,
  type McpCall,
  type McpGrant,
  type McpOutcome,
  type McpScope,
  type McpSettings,
  type TokenRefusal,
} from './schema.js'
