import type { ResolverFailure } from '../config/vocabulary.js'

/** The reason a leg has no contract. It ends the start before any order. */
export class ResolveError extends Error {
  constructor(
    readonly code: ResolverFailure,
    message: string,
  ) {
    super(message)
  }
}
