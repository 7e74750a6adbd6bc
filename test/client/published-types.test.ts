import type * as published from 'svc-desk'
import { expectTypeOf, test } from 'vitest'
import type * as own from '../../src/client/index.js'
import type { Immutable } from '../../src/daemon/operations/schema-types.js'

/*
 * The declarations in the package are made from the schemas, as plain types. They allow what the daemon's own types allow; where
 * a schema describes more than its own type says, such as the scopes of a token, they allow only that.
 */
type Name = own.RouteName
type Related<A, B> = [A] extends [B]
  ? true
  : [B] extends [A]
    ? true
    : [A, B] extends [object, object]
      ? { [K in keyof A & keyof B]: Related<A[K], B[K]> }[keyof A & keyof B]
      : false
type Unrelated<A extends Record<Name, unknown>, B extends Record<Name, unknown>> = {
  [N in Name]: [Related<A[N], B[N]>] extends [true] ? never : N
}[Name]
type OwnAnswers = { [N in Name]: Immutable<own.RouteAnswer<N>> }
type OwnRequests = { [N in Name]: Immutable<own.RouteRequest<N>> }
type Answers = { [N in Name]: published.RouteAnswer<N> }
type Requests = { [N in Name]: published.RouteRequest<N> }

test('the published types have every call', () => {
  expectTypeOf<published.RouteName>().toEqualTypeOf<own.RouteName>()
  expectTypeOf<published.EndpointName>().toEqualTypeOf<own.EndpointName>()
})

test('the published types of answers and requests are those of the schemas', () => {
  expectTypeOf<Unrelated<OwnAnswers, Answers>>().toBeNever()
  expectTypeOf<Unrelated<OwnRequests, Requests>>().toBeNever()
})
