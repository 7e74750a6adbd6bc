import type { Result, Router } from 'hono/router'
import { TrieRouter } from 'hono/router/trie-router'
import { getPathNoStrict } from 'hono/utils/url'

/** The characters that mark a route pattern. A literal path has none of them. */
const PATTERN = /[:*?{]/

/** A segment that looks like the pattern of one: the search keeps patterns among the literal segments. */
const LIKE_PATTERN = /\/:|\*/

const SLASH = 0x2f

/**
 * Returns the path by which a request is routed. A trailing slash and extra leading slashes are ignored: a
 * client whose base address ends in a slash asks for `//api/v1/…`.
 */
export function pathOf(request: Request): string {
  const path = getPathNoStrict(request)
  return path.charCodeAt(1) === SLASH ? path.replace(/^\/+/, '/') : path
}

/**
 * Finds the handlers of a path and caches the result for the literal paths of the routes: their result never
 * changes, and most requests use one of them. Other paths are not cached, so that callers cannot fill the
 * memory.
 */
export class CachingRouter<T> implements Router<T> {
  readonly name = 'CachingRouter'
  readonly #search = new TrieRouter<T>()
  readonly #literalPaths = new Set<string>()
  /** The cached results by method, then by path. */
  readonly #known = new Map<string, Map<string, Result<T>>>()

  add(method: string, path: string, handler: T): void {
    this.#search.add(method, path, handler)
    this.#known.clear()
    if (!PATTERN.test(path)) this.#literalPaths.add(path)
  }

  match(method: string, path: string): Result<T> {
    const known = this.#known.get(method)?.get(path)
    if (known) return known
    const result = this.#search.match(method, LIKE_PATTERN.test(path) ? encoded(path) : path)
    if (this.#literalPaths.has(path)) this.#remember(method, path, result)
    return result
  }

  #remember(method: string, path: string, result: Result<T>): void {
    const ofMethod = this.#known.get(method) ?? new Map<string, Result<T>>()
    this.#known.set(method, ofMethod.set(path, result))
  }
}

/**
 * Returns the path with the marks of patterns encoded, so that `/:id` is a path whose value is `:id`, and not the pattern itself,
 * which would be found without a value. Values are decoded when they are read.
 */
function encoded(path: string): string {
  return path.replaceAll('/:', '/%3A').replaceAll('*', '%2A')
}
