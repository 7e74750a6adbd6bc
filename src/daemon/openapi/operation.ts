import type { z } from 'zod'
import type { ErrorCode } from '../../core/errors/index.js'
import type { Scope } from '../../core/identity/index.js'

/** Chapters of the reference, in the order in which it shows them. */
export const TAGS = {
  Orders: 'Placing, changing and cancelling orders.',
  'Good till triggered': 'Orders that wait for a price, for up to a year.',
  Account: 'Orders, trades, positions, holdings, funds, margin and the mode of the account.',
  'Market data': 'Quotes, depth and history.',
  Instruments: 'What can be traded.',
  Options: 'Option symbols, chains and Greeks.',
  Calendar: 'Holidays and trading hours, in Indian time.',
  Messages: 'Messages to users, and preferences of clients.',
  'Action Center': 'Orders that wait for a decision.',
  Access: 'Set-up, sessions, tokens and the API key.',
  Control: 'Modes, risk, the order journal and the broker.',
  Sandbox: 'The simulated account.',
  Stream: 'The market stream for signed-in pages.',
  Search: 'Symbol search for signed-in users.',
  Workflows: 'Graphs of nodes that run by schedule, webhook, price alert, order update or by hand.',
  Service: 'Health and version.',
} as const
export type Tag = keyof typeof TAGS

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/**
 * What opens an operation: `apikey` in the body (or query) or as `X-API-KEY`; a session or a personal access token;
 * nothing.
 */
export type Auth = 'apikey' | 'session' | 'none'

/** Request headers with a meaning of their own. */
export const REQUEST_HEADERS = {
  'Idempotency-Key': "The caller's own name for this request, up to 255 characters, remembered for 24 hours.",
  'X-Request-Timeout':
    'Seconds for which the caller waits, above 0 and up to 3600, 30 without it; nothing is sent after that.',
  'X-Dry-Run': 'With any value nothing is queued, simulated or sent; the answer tells what would happen.',
  'X-Setup-Token': 'The text of the file setup-token, for a set-up from another machine.',
} as const
export type RequestHeader = keyof typeof REQUEST_HEADERS

/** One endpoint as the document describes it. Its schemas are the ones its route parses with. */
export interface Operation {
  method: Method
  /** As the router knows it: `/auth/tokens/:id`. */
  path: string
  tag: Tag
  summary: string
  auth: Auth
  /** Any of these lets a personal access token in. */
  scopes?: readonly Scope[]
  headers?: readonly RequestHeader[]
  /** The placeholders of the path. */
  params?: Readonly<Record<string, string>>
  query?: z.ZodType
  body?: z.ZodType
  /** True when the body may be left out. */
  bodyOptional?: true
  /** Another content type that the body may have. */
  bodyText?: string
  /** A request that works: the body, or the query of a request without one; without the credential. */
  example?: unknown
  /** Success by status. A schema stands for JSON. */
  answers: Readonly<Record<number, z.ZodType>>
  /** Another content type that a success may have, or its only one when `answers` has no schema for it. */
  answerText?: 'text/csv' | 'text/html' | 'text/plain' | 'application/x-ndjson'
  /** Refusals of its own, beside those of every operation with such a credential. */
  errors?: readonly ErrorCode[]
}

type Details = Omit<Operation, 'method' | 'path' | 'tag' | 'summary' | 'auth' | 'answers'> & {
  answer: z.ZodType
}

const built =
  (auth: Auth, tag: Tag) =>
  (method: Method, path: string, summary: string, { answer, ...details }: Details): Operation => ({
    method,
    path,
    tag,
    summary,
    auth,
    answers: { 200: answer },
    ...details,
  })

/** Operations of one chapter, by who may call them. */
export const keyed = (tag: Tag) => built('apikey', tag)
export const signedIn = (tag: Tag) => built('session', tag)
export const open = (tag: Tag) => built('none', tag)

/** Refusals that every operation with such a credential has. */
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
