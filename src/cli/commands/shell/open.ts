import { spawn } from 'node:child_process'
import type { NounSpec } from '../../framework/command/command.js'
import type { Context } from '../../framework/context.js'
import { EXIT } from '../../framework/exit-codes.js'
import { probe } from '../../http/probe.js'

/** The pages of the daemon that a browser shows. */
const PAGES = ['docs'] as const
/** The time in which a program that opens a browser fails, if it does. */
const OPENS_WITHIN_MS = 2000

export const open: NounSpec = {
  summary: 'Opens the documentation of the API in a browser. Without a browser it prints the address.',
  examples: ['open', 'open docs --url http://127.0.0.1:5000', 'open docs | cat'],
  details: 'It prints the address only in a pipe, with -q, and where there is no display (ssh).',
  arguments: [{ syntax: '[page]', summary: `page (default: ${PAGES[0]})`, choices: PAGES }],
  async run(context, input) {
    const url = `${context.target.url}/${input.argument(0) ?? PAGES[0]}`
    await context.out.record({ record: { url }, fields: [{ key: 'url' }], id: 'url' })
    if (!hasBrowser(context)) return EXIT.done
    const { failure } = await probe(context)
    if (failure) await context.out.warn([failure.message, failure.hint].filter(Boolean).join(' '))
    else if (!(await opened(context, url)))
      context.out.note('No browser could be opened; open the address yourself.')
    return EXIT.done
  },
}

function hasBrowser({ io, settings }: Context): boolean {
  if (!io.stdout.isTty || settings.format !== undefined) return false
  return process.platform !== 'linux' || Boolean(io.env.DISPLAY ?? io.env.WAYLAND_DISPLAY)
}

/** Starts the program of the system that opens an address. The address is one argument, never part of a shell command. */
function opened(context: Context, url: string): Promise<boolean> {
  const program = process.platform === 'darwin' ? 'open' : 'xdg-open'
  const child = spawn(program, [url], { detached: true, stdio: 'ignore' })
  return new Promise((resolve) => {
    child.once('error', () => resolve(false))
    child.once('exit', (code) => resolve(code === 0))
    void context.io.sleep(OPENS_WITHIN_MS).then(
      () => {
        child.unref()
        resolve(true)
      },
      () => resolve(true),
    )
  })
}
