import { fileURLToPath } from 'node:url'
import { programOf } from './programs.js'

const argv = process.argv.slice(2)
const { begin } = (await compiledFor(argv)) ?? (await import('./begin.js'))
await begin(argv)

/**
 * Returns the program as V8 compiled it at build time: finding, reading and compiling its modules takes a quarter of a
 * start of the daemon, and half of a short command. Undefined for other commands, in the sources, and with another
 * release of Node.
 */
async function compiledFor(line: readonly string[]) {
  const name = programOf(line)
  if (name === undefined) return undefined
  const { compiledIn } = await import('./compiled-program.js')
  return compiledIn(fileURLToPath(new URL('.', import.meta.url)), name)
}
