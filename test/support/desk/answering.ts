import type { OrderResult } from '../../../src/core/orders/index.js'
import { answerTo, type OrderAnswer } from '../../../src/daemon/orders/answer.js'

/** A service whose methods return the answers to clients instead of results. */
export type Answering<S> = {
  [M in keyof S]: S[M] extends (...args: infer A) => Promise<OrderResult>
    ? (...args: A) => Promise<OrderAnswer>
    : S[M]
}

/** Returns the service with its results rendered as answers. */
export function answering<S extends object>(service: S): Answering<S> {
  return new Proxy(service, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return async (...args: unknown[]) => rendered(await member.apply(target, args))
    },
  }) as Answering<S>
}

function rendered(value: unknown): unknown {
  return isResult(value) ? answerTo(value) : value
}

function isResult(value: unknown): value is OrderResult {
  return typeof value === 'object' && value !== null && 'outcome' in value
}
