import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The folder of the package, with `package.json`. */
export const PACKAGE_ROOT = fileURLToPath(new URL('../../', import.meta.url))

/**
 * The package version. `package.json` is two levels up, from the sources and from the compiled code alike.
 */
export const VERSION: string = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
).version
