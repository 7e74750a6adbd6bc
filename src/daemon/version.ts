import { readFileSync } from 'node:fs'

/**
 * The package version. `package.json` is two levels up, from the sources and from the compiled code alike.
 */
export const VERSION: string = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
).version
