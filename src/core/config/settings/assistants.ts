import { flag, integer, origins, rateLimit, someOf } from '../kinds.js'
import { TOOLSETS } from '../toolsets.js'
import { optional, setting } from './describe.js'

/** What assistants may do, and how often. */
export const ASSISTANTS = {
  MCP_OAUTH_ACCESS_TTL: setting(
    integer(60, 3600, 'seconds'),
    '900',
    'How long an access token of an assistant is valid. A revocation ends it at once in any case.',
  ),
  MCP_OAUTH_REFRESH_TTL: setting(
    integer(3600, 2_678_400, 'seconds'),
    '2592000',
    'How long an assistant that is not used keeps its access. Each use begins the time anew.',
  ),
  MCP_HTTP_CORS_ORIGINS: optional(
    origins,
    'Origins whose pages may connect as assistants. Without it, none may. Programs need no entry.',
  ),
  MCP_RATE_LIMIT: setting(
    rateLimit,
    '120 per minute',
    'Limit of the messages of an assistant, by consent: a refreshed token goes on counting.',
  ),
  MCP_RATE_LIMIT_READ: setting(
    rateLimit,
    '60 per minute',
    'Limit of the calls of an assistant that read, by consent and scope.',
  ),
  MCP_RATE_LIMIT_WRITE: setting(
    rateLimit,
    '50 per minute',
    'Limit of the calls of an assistant that change something, by consent and scope.',
  ),
  SVC_MCP_TOOLSETS: optional(someOf(TOOLSETS), 'The groups of tools that assistants have. Without it, all.'),
  SVC_MCP_READ_ONLY: setting(
    flag,
    'false',
    'Leaves out every tool that changes something, for all assistants.',
  ),
  SVC_MCP_TRUST_ENVELOPE: setting(
    flag,
    'true',
    'Puts the answers of tools into an envelope that says that they are data and no instructions.',
  ),
  MCP_AUDIT_RETENTION_DAYS: setting(
    integer(0, 36_500, 'days'),
    '90',
    'How many days calls of assistants are kept. 0: forever.',
  ),
}
