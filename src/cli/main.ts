import { readFileSync } from 'node:fs'
import { withoutSecrets } from './secret-arguments.js'

/** The version of this program, from its package. */
function ownVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  return /"version":\s*"([^"]+)"/.exec(text)?.[1] ?? 'unknown'
}

const argv = process.argv.slice(2)
const shown = withoutSecrets(argv)
if (shown) process.title = ['svc', ...shown].join(' ')
if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
  process.stdout.write(`svc ${ownVersion()}\n`)
} else {
  const [{ run }, { processIo }] = await Promise.all([import('./run.js'), import('./process-io.js')])
  process.exitCode = await run(argv, processIo(), ownVersion())
}
