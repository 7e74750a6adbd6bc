import type { z } from 'zod'
import type { AllOperations } from '../daemon/operations/all.js'
import type { errorBody } from '../daemon/operations/common/answers.js'
import type * as table from '../daemon/operations/types.js'
import { CHANGES } from './changes.js'

/** Every route of the daemon, as its method and path: `GET /orders/journal/:ref`. */
export type RouteName = keyof AllOperations & string

/** The body of a success. A route that answers with a file or a stream has none. */
export type RouteAnswer<N extends RouteName> = table.AnswerIn<AllOperations[N]>

/** The body of a refusal. */
export type Refusal = z.output<typeof errorBody>

type Known<Key extends string, T> = [T] extends [undefined] ? object : Record<Key, T>
type KnownBody<N extends RouteName> = Known<'body', table.RequestBodyIn<AllOperations[N]>>
type KnownQuery<N extends RouteName> = Partial<
  Known<'query', Partial<table.RequestQueryIn<AllOperations[N]>>>
>
type KnownParams<N extends RouteName> = [keyof table.ParamsOf<N>] extends [never]
  ? object
  : { params: table.ParamsOf<N> }

/** The parameters, query and body of a request to a route, by the API's own names. Never the credential. */
export type RouteRequest<N extends RouteName> = KnownParams<N> & KnownQuery<N> & KnownBody<N>

/** Every `POST /api/v1/<name>`. */
export type EndpointName = RouteName extends infer N
  ? N extends `POST /api/v1/${infer Name}`
    ? Name
    : never
  : never
export type RouteOf<N extends EndpointName> = `POST /api/v1/${N}`
export type Body<N extends EndpointName> = table.RequestBodyIn<AllOperations[RouteOf<N>]>
export type AnswerOf<N extends EndpointName> = table.AnswerIn<AllOperations[RouteOf<N>]>

const PUBLIC_API = 'POST /api/v1/'

/** Returns whether a route is an endpoint of the public API, which takes the API key. */
export function isEndpoint(route: RouteName): boolean {
  return route.startsWith(PUBLIC_API)
}

/**
 * Returns whether a route may change something. Without an answer, the outcome of such a request is unknown. Of the
 * routes outside the public API, only a GET is sure to change nothing.
 */
export function isChange(route: RouteName): boolean {
  return isEndpoint(route) ? CHANGES.has(route.slice(PUBLIC_API.length)) : !route.startsWith('GET ')
}
