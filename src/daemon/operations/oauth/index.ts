import { MCP_CALL_OPERATIONS } from './calls.js'
import { MCP_CLIENT_OPERATIONS } from './clients.js'
import { CONSENT_OPERATIONS } from './consent.js'
import { OAUTH_METADATA_OPERATIONS } from './metadata.js'
import { REGISTRATION_OPERATIONS } from './registration.js'
import { MCP_SETTINGS_OPERATIONS } from './settings.js'
import { OAUTH_TOKEN_OPERATIONS } from './tokens.js'

/** OAuth, by which an assistant gets access, and what the owner controls it with (docs/mcp-access.md). */
export const OAUTH_OPERATIONS = {
  ...OAUTH_METADATA_OPERATIONS,
  ...REGISTRATION_OPERATIONS,
  ...CONSENT_OPERATIONS,
  ...OAUTH_TOKEN_OPERATIONS,
  ...MCP_CLIENT_OPERATIONS,
  ...MCP_CALL_OPERATIONS,
  ...MCP_SETTINGS_OPERATIONS,
}
