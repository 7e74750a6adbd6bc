import type { Context } from 'hono'
import type { z } from 'zod'
import type { ErrorCode } from '../../core/errors/index.js'
import type { Scope } from '../../core/identity/index.js'
import type { Caller, SignedInCaller, Visitor } from '../http/caller.js'
import { HttpHandler, type HttpReason } from '../http/handlers.js'
import type { Download, Reply } from '../http/response/reply.js'
import type { AppEnv } from '../process/env.js'
import type { NotRecorded, Recorded } from './audit-facts.js'
import type { Auth, LiveEffect, Method, RateGroup, RequestHeader, Tag } from './facts.js'
import type { Immutable, Parsed, Schema } from './schema-types.js'
import type { ToolFacts } from './tool-facts.js'

type TextType =
  | 'text/csv'
  | 'text/event-stream'
  | 'text/html'
  | 'text/javascript'
  | 'text/markdown'
  | 'text/plain'
  | 'application/manifest+json'
  | 'application/x-ndjson'
  | 'image/svg+xml'

/**
 * The requests that need a recent proof of who the user is: all of them, those in which a parameter of the path or a
 * member of the body has one of these values (or any), or none, because each has a proof of its own.
 */
export type Fresh = true | 'in the request' | Readonly<Record<string, 'any' | readonly (string | boolean)[]>>

/** How a log gets the requests of an operation, with their answers. */
export interface LogFacts {
  /** Its name in the log. */
  as: string
  /** The order log, whatever the mode is; without it, the log of the mode. */
  into?: 'orders'
  /** Refusals are logged, too. */
  refusals?: true
}

/** The properties of an operation that its schemas do not say. `Source` is what its functions take of the service. */
export interface Facts<Source> {
  /** The requests of a session that need a recent proof of who the user is. */
  fresh?: Fresh
  limit?: RateGroup | undefined
  /**
   * True if the request changes something: without an answer, its outcome is unknown. Only rows with an API
   * key need it; for other rows the method says it.
   */
  changes?: true
  /** What it does to live trading, for the question before a command; an operation on orders says it in the core. */
  live?: LiveEffect
  /**
   * True if clients send the same body again and again: the last ones are kept parsed and checked. Its function gets a frozen
   * payload then. Never for an operation that changes something.
   */
  sentAgain?: true
  /** How a log gets its requests; only for operations that publish no event. */
  log?: LogFacts
  /** The kind of its calls in the latency log, when it differs from the name of the endpoint. */
  latencyKind?: string
  /** How the audit trail records it, or why it does not. Without it, a change is recorded under the operation's name, without values. */
  audit?: Recorded<Source> | NotRecorded
  /** The tool by which assistants run it; without one they cannot. */
  tool?: ToolFacts
  /** A personal access token needs any one of these scopes. */
  scopes?: readonly Scope[]
  headers?: readonly RequestHeader[]
  /** The refusals of its body have the member `error` in addition to the common envelope: the text of the first mistake. */
  plainErrors?: true
  /** The caller may leave the body out. */
  bodyOptional?: true
  /** The body may also be the fields of a form. */
  bodyOrForm?: true
  /** The body is the document of an editor, of at most so many bytes ({@link readDocument}). */
  documentBytes?: number
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
  /** The operation's own refusals, in addition to the {@link commonErrors} of its credential. */
  errors?: readonly ErrorCode[]
}

export interface Schemas<
  Payload extends Schema,
  Query extends Schema,
  Answer extends Schema,
  Param extends string = string,
> {
  /** The body as JSON, without the credential. */
  body?: Payload
  /** The query, without the credential. */
  query?: Query
  /** The body of a success as JSON. */
  answer?: Answer
  /** The descriptions of the placeholders in the path. */
  params?: Readonly<Record<Param, string>>
}

/** A request after its schemas have parsed it. */
export interface Input<Payload extends Schema, Query extends Schema, Param extends string> {
  body: Parsed<Payload>
  query: Parsed<Query>
  params: Readonly<Record<Param, string>>
}

/** What the function of an operation returns: the body of a success, an answer with another status, or a file. */
type Given<Answer extends Schema> =
  | Download
  | (Answer extends z.ZodType ? Immutable<z.input<Answer>> | Reply : never)

/** The function of an operation. It knows nothing of HTTP, so that workflows and assistants can call it too. */
type Run<Source, By, In, Result> = (service: Source, input: In, caller: By) => Result | Promise<Result>

/** The function of any operation. {@link builders} has checked its types. */
export type AnyRun = (service: never, input: never, caller: never) => unknown

/**
 * An operation: its facts, its schemas and its function. Everything that serves it is derived from this value: its route,
 * the API reference, the typed client, the tools of assistants, the audit trail, the latency log and the limits.
 */
export interface Operation<
  Payload extends Schema = Schema,
  Query extends Schema = Schema,
  Answer extends Schema = Schema,
> extends Facts<never>,
    Schemas<Payload, Query, Answer> {
  tag: Tag
  summary: string
  auth: Auth
  run: AnyRun | HttpHandler
}

/** The name of an operation: its method, and its path as the router knows it (`GET /orders/journal/:ref`). */
export type OperationName = `${Method} /${string}`

/** The facts that all operations of a chapter share; an operation may name its own. */
type Common = Pick<Facts<never>, 'changes' | 'limit' | 'scopes'>

/**
 * Returns the builders of operations by credential, for functions that take the same parts of the service.
 * `limit` is the rate group of an operation that names none.
 */
export function builders<Source>() {
  function define<By>(auth: Auth, tag: Tag, common: Common) {
    return <
      Payload extends Schema = undefined,
      Query extends Schema = undefined,
      Answer extends Schema = undefined,
      Param extends string = never,
      const Result extends Given<Answer> = Given<Answer>,
    >(
      summary: string,
      details: Facts<Source> &
        Schemas<Payload, Query, Answer, Param> & {
          run: Run<Source, By, Input<Payload, Query, Param>, Result> | HttpHandler
        },
    ): Operation<Payload, Query, Answer> => ({ tag, summary, auth, ...common, ...details })
  }
  return {
    /** Operations that read, with an API key. */
    keyed: (tag: Tag, limit: RateGroup) => define<Caller>('apikey', tag, { limit }),
    /** Operations that change something, with an API key. */
    keyedChange: (tag: Tag, limit: RateGroup) => define<Caller>('apikey', tag, { limit, changes: true }),
    /** Operations with a session or a personal access token that has any one of the scopes. */
    signedIn: (tag: Tag, limit?: RateGroup, ...scopes: Scope[]) =>
      define<SignedInCaller>('session', tag, scopes.length > 0 ? { limit, scopes } : { limit }),
    /** Operations for anybody. */
    open: (tag: Tag) => define<Visitor>('none', tag, {}),
    /**
     * A function that works with HTTP itself.
     * @param beforeGuard runs before the session guard; when it returns a response, the request ends with it
     */
    http: (
      reason: HttpReason,
      handle: (service: Source, c: Context<AppEnv>) => Response | Promise<Response>,
      beforeGuard?: (service: Source, c: Context<AppEnv>) => Promise<Response | undefined>,
    ) => new HttpHandler(reason, handle, beforeGuard),
  }
}
