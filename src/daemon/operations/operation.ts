import type { z } from 'zod'
import type { Config } from '../../core/config/index.js'
import type { ErrorCode } from '../../core/errors/index.js'
import type { Scope } from '../../core/identity/index.js'

/** The chapters of the API reference, in its order. */
export const TAGS = {
  Orders: 'Placing, changing and cancelling orders.',
  'Good till triggered': 'Orders that wait for a trigger price, for up to a year.',
  Account: 'Orders, trades, positions, holdings, funds, margin and the mode of the account.',
  'Market data': 'Quotes, depth and history.',
  Instruments: 'Tradable instruments.',
  Options: 'Option symbols, chains and Greeks.',
  Calendar: 'Holidays and trading hours, in Indian time.',
  Messages: 'Telegram, WhatsApp and e-mail; and preferences of clients.',
  'Action Center': 'Orders that wait for approval.',
  Access: 'Set-up, sessions, tokens and the API key.',
  Audit: 'The acts that changed state, each row sealed to the one before.',
  Security: 'Banned addresses, and the rules by which the service bans by itself.',
  Control: 'Modes, risk, the order journal and the broker.',
  Sandbox: 'The simulated account.',
  Logs: 'What was requested, and what was answered.',
  Stream: 'The market stream for signed-in pages.',
  Administration: 'Freeze quantities, holidays and trading hours.',
  Search: 'Symbol search for signed-in users.',
  Assistants: 'Assistants that connect by MCP: how they get access, and what they did.',
  Strategies: 'Legs that are opened, watched and closed together, or by signals.',
  Workflows: 'Graphs of nodes, started by a schedule, webhook, price alert, order update or by hand.',
  Backup: 'Copies of the databases, made while the service runs.',
  Diagnostics: 'The errors of the service, the state of the installation, and probes of its connections.',
  Service: 'Health and version.',
} as const
export type Tag = keyof typeof TAGS

export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
type Method = (typeof METHODS)[number]

/**
 * The credential that an operation requires: `apikey` in the body (or query) or as `X-API-KEY`; a session or
 * a personal access token; or none.
 */
export type Auth = 'apikey' | 'session' | 'none'

/** Request headers that change how an operation runs. */
export const REQUEST_HEADERS = {
  'Idempotency-Key':
    "The caller's own key for this request, up to 255 characters, stored for 24 hours. A retry with the same key is not executed again.",
  'X-Request-Timeout':
    'How long the caller waits, in seconds: above 0 and up to 3600, default 30. After that the request sends nothing.',
  'X-Dry-Run':
    'With any value, nothing is queued, simulated or sent; the answer describes the checks and the margin.',
  'webhook-id':
    'Signed webhooks: the id of the message, without a dot. The same id starts no second run for 24 hours.',
  'webhook-timestamp': 'Signed webhooks: Unix seconds, at most 5 minutes from the clock of the service.',
  'webhook-signature':
    'Signed webhooks: `v1,` and the base64 of the HMAC-SHA256 over `<id>.<timestamp>.<body>`.',
  'X-Setup-Token': 'The text of the file setup-token, for setup from another machine.',
} as const
type RequestHeader = keyof typeof REQUEST_HEADERS

/** The names of the settings that hold a rate limit. */
type RateSetting = Extract<keyof Config, `${string}_RATE_LIMIT${string}`>

type RateGroupFacts =
  | {
      settings: readonly RateSetting[]
      counts?: 'wrong credentials' | 'calls of strangers' | 'addresses and tokens' | 'all routes together'
    }
  | { fixed: string }

/**
 * The groups of routes with the same rate limit: the configuration keys that set it, or the limit itself where
 * it is fixed. Each route is counted separately unless the group says otherwise. A route without a group has no limit.
 */
export const RATE_GROUPS = {
  order: { settings: ['ORDER_RATE_LIMIT'] },
  smart: { settings: ['SMART_ORDER_RATE_LIMIT'] },
  api: { settings: ['API_RATE_LIMIT'] },
  data: { settings: ['DATA_RATE_LIMIT'] },
  search: { settings: ['SEARCH_RATE_LIMIT'] },
  greeks: { settings: ['GREEKS_RATE_LIMIT'] },
  telegram: { settings: ['TELEGRAM_RATE_LIMIT'] },
  whatsapp: { settings: ['WHATSAPP_RATE_LIMIT'] },
  login: { settings: ['LOGIN_RATE_LIMIT_MIN', 'LOGIN_RATE_LIMIT_HOUR'], counts: 'calls of strangers' },
  reset: { settings: ['RESET_RATE_LIMIT'], counts: 'calls of strangers' },
  /** Only calls with a wrong token or secret count: an alert that is sent often must not get lost. */
  webhook: { settings: ['WEBHOOK_RATE_LIMIT'], counts: 'wrong credentials' },
  /** Every call counts, because each one may start orders. */
  strategyWebhook: { settings: ['WEBHOOK_RATE_LIMIT'], counts: 'addresses and tokens' },
  strategy: { settings: ['STRATEGY_RATE_LIMIT'], counts: 'all routes together' },
  threeHundredAMinute: { fixed: '300 per minute' },
  sixtyAMinute: { fixed: '60 per minute' },
  twentyAMinute: { fixed: '20 per minute' },
  tenAnHour: { fixed: '10 per hour' },
  consent: { fixed: '30 per minute;200 per hour' },
  thirtyAMinute: { fixed: '30 per minute' },
  tenAMinute: { fixed: '10 per minute' },
  fiveAMinute: { fixed: '5 per minute' },
} as const satisfies Record<string, RateGroupFacts>
export type RateGroup = keyof typeof RATE_GROUPS

type Schema = z.ZodType | undefined

type TextType =
  | 'text/csv'
  | 'text/event-stream'
  | 'text/html'
  | 'text/javascript'
  | 'text/markdown'
  | 'text/plain'
  | 'application/x-ndjson'

/**
 * The requests that need a recent proof of who the user is: all of them, those in which a parameter of the path or a
 * member of the body has one of these values (or any), or none, because each has a proof of its own.
 */
export type Fresh = true | 'in the request' | Readonly<Record<string, 'any' | readonly (string | boolean)[]>>

/** The properties of an operation that need no type parameter. */
interface Facts {
  /** The requests of a session that need a recent proof of who the user is. */
  fresh?: Fresh
  limit?: RateGroup | undefined
  /**
   * True if the request changes something: without an answer, its outcome is unknown. Only rows with an API
   * key need it; for other rows the method says it.
   */
  changes?: true
  /**
   * True if clients send the same body again and again: the last ones are kept parsed and checked. Its function gets a frozen
   * payload then. Never for an operation that changes something.
   */
  sentAgain?: true
  /** The name under which the log of the mode gets its requests; only for operations that publish no event. */
  loggedAs?: string
  /** A personal access token needs any one of these scopes. */
  scopes?: readonly Scope[]
  headers?: readonly RequestHeader[]
  /** The descriptions of the placeholders in the path. */
  params?: Readonly<Record<string, string>>
  /** The caller may leave the body out. */
  bodyOptional?: true
  /** Another content type that the body may have. */
  bodyText?: string
  /** The fields of a form with files that the body may be, with their descriptions. */
  bodyForm?: Readonly<Record<string, string>>
  /** A valid request without the credential: its body, or its query if it has no body. */
  example?: unknown
  /** The status of a success; 200 by default, 302 for a redirect. */
  status?: 200 | 201 | 302
  /** The answers under other statuses that are not common refusals. */
  others?: Readonly<Record<number, z.ZodType>>
  /** Other content types that a success may have, or its only one when there is no `answer`. */
  answerText?: TextType | readonly TextType[]
  /** The operation's own refusals, in addition to {@link COMMON_ERRORS} of its credential. */
  errors?: readonly ErrorCode[]
}

interface Schemas<Payload extends Schema, Query extends Schema, Answer extends Schema> {
  /** The body as JSON, without the credential. */
  body?: Payload
  /** The query, without the credential. */
  query?: Query
  /** The body of a success as JSON. */
  answer?: Answer
}

/** One row of the table of operations. Its key is its method and path, as `POST /api/v1/quotes`. */
export interface Operation<
  Payload extends Schema = Schema,
  Query extends Schema = Schema,
  Answer extends Schema = Schema,
> extends Facts,
    Schemas<Payload, Query, Answer> {
  tag: Tag
  summary: string
  auth: Auth
}

/** The name of an operation: its method, and its path as the router knows it (`GET /orders/journal/:ref`). */
export type OperationName = `${Method} /${string}`

const rows =
  (auth: Auth, tag: Tag, common: Pick<Facts, 'limit' | 'changes'>) =>
  <Payload extends Schema = undefined, Query extends Schema = undefined, Answer extends Schema = undefined>(
    summary: string,
    details: Facts & Schemas<Payload, Query, Answer>,
  ): Operation<Payload, Query, Answer> => ({ tag, summary, auth, ...common, ...details })

/**
 * Builders for the rows of one chapter, by credential. `limit` is the rate group of a row that names none.
 */
export const keyed = (tag: Tag, limit: RateGroup) => rows('apikey', tag, { limit })
export const keyedChange = (tag: Tag, limit: RateGroup) => rows('apikey', tag, { limit, changes: true })
export const signedIn = (tag: Tag, limit?: RateGroup) => rows('session', tag, { limit })
export const open = (tag: Tag) => rows('none', tag, {})

/** An operation with the parts of its name, for code that iterates over all operations. */
export interface NamedOperation extends Operation {
  name: OperationName
  method: Method
  path: string
  /** The JSON answers that are not common refusals, by status. */
  answers: Readonly<Record<number, z.ZodType>>
}

export function named(name: OperationName, row: Operation): NamedOperation {
  const [method, path] = partsOf(name)
  const { answer, errors, fresh, others, status = 200 } = row
  const asks = fresh !== undefined && fresh !== 'in the request'
  return {
    ...row,
    ...(asks && { errors: [...(errors ?? []), 'reauthentication_required'] }),
    name,
    method,
    path,
    answers: { ...(answer && { [status]: answer }), ...others },
  }
}

function partsOf(name: OperationName): [method: Method, path: string] {
  const [method, path = ''] = name.split(' ')
  const known = METHODS.find((one) => one === method)
  if (!known) throw new Error(`${name} names no method`)
  return [known, path]
}

/** The refusals that every operation with a given credential has. */
export const COMMON_ERRORS: Readonly<Record<Auth, readonly ErrorCode[]>> = {
  apikey: [
    'validation',
    'invalid_key',
    'too_large',
    'unsupported_media',
    'rate_limited',
    'internal',
    'unavailable',
  ],
  session: ['unauthenticated', 'forbidden', 'rate_limited', 'internal', 'unavailable'],
  none: ['internal'],
}
