import { createHash } from 'node:crypto'
import { SCRIPT } from './script.js'
import { STYLE } from './style.js'

/** Returns the source that allows one inline text. */
export const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** Returns the policy of a page without a script whose form may lead to other origins. */
export function formPolicy(origins: readonly string[]): string {
  return [
    "default-src 'none'",
    `style-src ${hashOf(STYLE)}`,
    "script-src 'none'",
    "img-src 'self' data:",
    "manifest-src 'self'",
    `form-action ${["'self'", ...origins].join(' ')}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** The policy of every page: its own style and script and nothing else, and only this service behind both. */
export const PAGE_POLICY = [
  "default-src 'none'",
  `style-src ${hashOf(STYLE)}`,
  `script-src ${hashOf(SCRIPT)}`,
  "connect-src 'self'",
  "img-src 'self' data:",
  "manifest-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')
