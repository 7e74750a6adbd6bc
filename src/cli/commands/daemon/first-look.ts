import { requestTo } from '../../../client/routes.js'
import { isAtHome } from '../../contexts/target.js'
import type { Context } from '../../framework/context.js'
import { CliError } from '../../framework/errors.js'
import { probe } from '../../http/probe.js'
import { readDaemonFile } from '../../io/home.js'
import { daemonWithLock } from '../../io/home-lock.js'
import { isAlive } from '../../io/processes.js'

/**
 * Offers a person what a first look needs: a running daemon, and a user. Only for the local home: a daemon elsewhere, or at
 * an address that was named, is not started from here. After a no the screen is shown all the same, and connects when there
 * is a daemon.
 */
export async function offerFirstSteps(context: Context): Promise<void> {
  const { settings, target } = context
  if (!settings.interactive || !isAtHome(target)) return
  if (await hasDaemon(context)) await offerUser(context)
}

/** Returns whether the home has a daemon, which this may have started. */
async function hasDaemon(context: Context): Promise<boolean> {
  const { home } = context.settings
  if ((await probe(context)).live) return true
  const known = readDaemonFile(home)
  // It is starting, or does not answer: another one could not run beside it.
  if ((known !== undefined && isAlive(known.pid)) || daemonWithLock(home) !== undefined) return false
  if (!(await agrees(context, `No daemon runs in the home ${home}. Start one`))) return false
  const { startDetached } = await import('./up.js')
  await startDetached(context)
  context.takeStarted()
  return true
}

async function offerUser(context: Context): Promise<void> {
  const route = 'GET /auth/check-setup'
  const { body } = await context.client().send({ route, ...requestTo(route, {}), changes: false })
  if (!body.needs_setup || !(await agrees(context, 'There is no user yet. Create the first one'))) return
  const { createFirstUser } = await import('../account/setup.js')
  await createFirstUser(context, { text: () => undefined, flag: () => false })
}

/** Asks, and takes a no for an answer. */
async function agrees({ prompts, settings }: Context, question: string): Promise<boolean> {
  if (settings.yes) return true
  try {
    await prompts.ask(question)
    return true
  } catch (thrown) {
    if (thrown instanceof CliError && thrown.code === 'declined') return false
    throw thrown
  }
}
