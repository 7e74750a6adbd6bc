import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LOCAL } from '../../contexts/words.js'
import type { NounSpec } from '../../framework/command/command.js'
import { Context } from '../../framework/context.js'
import { CliError } from '../../framework/errors.js'
import { EXIT, type ExitStatus } from '../../framework/exit-codes.js'
import type { Io } from '../../io/io.js'
import { colours } from '../../output/colours.js'
import { demoSteps, type Step } from './demo-script.js'
import { foreignEnv, removeHome } from './temporary-daemon.js'

export const demo: NounSpec = {
  summary: 'Shows svc in ten seconds: a daemon in a temporary home, orders, approvals, positions.',
  examples: ['demo', 'demo --keep'],
  details: 'Uses a temporary directory and removes it at the end; it does not touch your own home.',
  options: [{ flags: '--keep', summary: 'keep the daemon running, and keep its home' }],
  async run(context, input) {
    const home = mkdtempSync(join(tmpdir(), 'svc-demo-'))
    const keep = input.flag('keep')
    const startedAt = context.io.now()
    try {
      await showAll(context, home)
      if (!keep) await runStep(context, home, { says: 'Stop the daemon', words: ['down'] })
    } catch (thrown) {
      removeHome(home)
      throw thrown
    }
    if (!keep) rmSync(home, { recursive: true, force: true })
    context.out.write(farewell(keep ? home : undefined, context.io.now() - startedAt))
    return EXIT.done
  },
}

async function showAll(context: Context, home: string): Promise<void> {
  const password = `${randomBytes(12).toString('base64url')}aA1!`
  for (const step of demoSteps(password)) await runStep(context, home, step)
}

async function runStep(context: Context, home: string, step: Step): Promise<void> {
  const io = await demoIo(context.io, step.stdin)
  const inside = new Context(
    io,
    { ...context.settings, home, daemon: { context: LOCAL }, caFile: undefined, apikey: undefined },
    context.program,
  )
  const words = typeof step.words === 'function' ? await step.words(inside) : step.words
  const paint = await colours(context.io.stdout, io, context.settings)
  const typed = step.stdin === undefined ? words : [...words, '<', 'password.txt']
  io.stdout.write(`\n${paint.dim(`# ${step.says}`)}\n${paint.bold(`$ svc ${typed.join(' ')}`)}\n`)
  const status = await context.program.run(['--home', home, ...passedOn(context), ...words], io)
  if (status !== EXIT.done) {
    throw new CliError(exitStatus(status), `The demonstration failed at: svc ${words.join(' ')}.`)
  }
}

/** Hides the user's own daemon and credentials from the demonstration: only its own home counts. */
async function demoIo(io: Io, stdin: string | undefined): Promise<Io> {
  return {
    ...io,
    env: await foreignEnv(io.env),
    // The demonstration is for people, even when its output is redirected.
    stdout: { ...io.stdout, isTty: true, columns: io.stdout.columns, write: io.stdout.write },
    stdin: { ...io.stdin, isTty: false, readAll: async () => stdin ?? '' },
  }
}

/** Returns the colour and time zone options, because the steps need them too. */
function passedOn({ io, settings }: Context): string[] {
  const plain = !settings.color || !io.stdout.isTty
  return [...(plain ? ['--no-color'] : []), ...(settings.utc ? ['--utc'] : [])]
}

function exitStatus(status: number): ExitStatus {
  return Object.values(EXIT).find((one) => one === status) ?? EXIT.failed
}

function farewell(home: string | undefined, tookMs: number): string {
  const lines = [
    '',
    `That took ${(tookMs / 1000).toFixed(1)} s. ${home ? `The daemon keeps running in ${home}:` : 'Everything is cleaned up.'}`,
    ...(home ? [`  svc --home ${home} approval watch`, `  svc --home ${home} down`] : []),
    '',
    'Next:',
    '  svc up --detach               start your own daemon',
    '  svc setup                     your user and API key',
    '  svc order place --help        place orders',
    '  svc event follow              watch live events',
    '  svc help                      everything else',
    '',
  ]
  return lines.join('\n')
}
