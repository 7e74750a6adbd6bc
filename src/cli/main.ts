import { fileURLToPath } from 'node:url'

const argv = process.argv.slice(2)
const { begin } = (await compiledForStart()) ?? (await import('./begin.js'))
await begin(argv)

/**
 * Returns the program as V8 compiled it at build time, for a start of the daemon: compiling it takes a quarter of
 * the start. Undefined for other commands, which load little, in the sources, and with another release of Node.
 */
async function compiledForStart() {
  if (argv[0] !== 'up' || argv.includes('--detach')) return undefined
  const { compiledIn } = await import('./compiled-program.js')
  return compiledIn(fileURLToPath(new URL('.', import.meta.url)))
}
