import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Context } from '../../framework/context.js'
import { CliError } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'
import { PACKAGE_NAME, versionIn } from '../../package.js'
import { foreignEnv } from '../daemon/temporary-daemon.js'
import type { Installation } from './installation.js'
import { runProgram } from './run-program.js'
import { beginStage, commandOf, nextFolder, nextPrefix } from './swap.js'

/** The folder in the home with the copy of its databases on which the next version is tried. */
const TRIAL = '.upgrade-trial'

/** What the trial of the next version needs besides the installation. */
interface Trial {
  to: string
  /** The environment of the daemon. */
  env: Readonly<Record<string, string | undefined>>
  copyHome: (home: string, folder: string) => Promise<void>
}

/**
 * Installs the next version beside the present one, and proves that it runs on this machine and opens the databases of the home: on
 * a copy of them. The daemon works on meanwhile.
 * @throws CliError that says what is wrong with it
 */
export async function stageNext(context: Context, { stage }: Installation, trial: Trial): Promise<void> {
  const { io, out, settings } = context
  const { env, to } = trial
  const copy = join(settings.home, TRIAL)
  const next = nextFolder(stage)
  beginStage(stage, settings.home)
  try {
    out.note(`Installing ${to} beside ${context.version} …`)
    await runProgram('npm', [...NPM_INSTALL, '--prefix', nextPrefix(stage), `${PACKAGE_NAME}@${to}`], {
      cwd: stage,
      env: { ...io.env, npm_config_update_notifier: 'false' },
    })
    const version = versionIn(next)
    if (version !== to || !existsSync(commandOf(next))) {
      throw new CliError(
        EXIT.failed,
        `npm installed ${version ?? 'no version'} of ${PACKAGE_NAME}, not ${to}.`,
      )
    }
    out.note(`Trying ${to}: an order from end to end, and a copy of the databases …`)
    const alone = { ...(await foreignEnv(io.env)), SVC_HOME: join(nextPrefix(stage), 'home') }
    await runProgram(process.execPath, [commandOf(next), 'self-check'], { env: alone })
    await trial.copyHome(settings.home, copy)
    await runProgram(process.execPath, [commandOf(next), '__migrate', '--home', copy], { env })
    // A power cut must not find the new version in place, and its files not on the disk.
    await runProgram('sync', [], { env: io.env })
  } catch (thrown) {
    rmSync(stage, { recursive: true, force: true })
    throw thrown
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}

// Newer versions of npm run no script of a package that is not named; older ones ignore the option.
const NPM_INSTALL = ['install', '--global', '--allow-scripts=sqlite3', '--no-audit', '--no-fund'] as const
