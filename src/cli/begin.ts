import { withoutSecrets } from './framework/secret-arguments.js'
import { ownVersion } from './package.js'

/** Runs one command of `svc` to its end, and sets the exit status of this process. */
export async function begin(argv: readonly string[]): Promise<void> {
  const shown = withoutSecrets(argv)
  if (shown) process.title = ['svc', ...shown].join(' ')
  if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
    process.stdout.write(`svc ${ownVersion()}\n`)
    return
  }
  const [{ run }, { NOUNS }, { processIo }] = await Promise.all([
    import('./framework/run.js'),
    import('./nouns.js'),
    import('./io/process-io.js'),
  ])
  process.exitCode = await run(argv, processIo(), { version: ownVersion(), nouns: NOUNS })
  // A handle that stays open must not hold the user's prompt. A terminal has shown all output by now; a pipe may not have.
  if ([process.stdin, process.stdout, process.stderr].every(({ isTTY }) => isTTY)) process.exit()
}
