import { render } from 'ink'
import type { ReactNode } from 'react'
import { TerminalScreen } from './terminal-screen.js'
import { wholeKeysOf } from './whole-keys.js'

/** The exit statuses of a shell for a process that a signal ended. */
const ENDING_SIGNALS = { SIGTERM: 143, SIGQUIT: 131 } as const
/** A process that no shell controls continues at once after Ctrl-Z; it then takes its screen back. */
const NOT_STOPPED_MS = 50

/** The acts of a program on its terminal. */
export interface TerminalActs<Result> {
  /** Gives the terminal back, and ends with a result. */
  quit(result: Result): void
  /** Stops the process until the shell continues it. */
  suspend(): void
  /** Rings the bell. */
  ring(): void
}

export interface FullScreenOptions {
  /** Aborted by a Ctrl-C that does not come as a key. */
  interrupts: AbortSignal
  /** Called for Ctrl-C, pressed or sent. */
  onInterrupt(): void
  /** Called before the process stops, for Ctrl-Z or its signal. */
  onSuspend(): void
  /**
   * Called with an error that nothing else handled: of a timer, a callback or a promise. The program goes on, because at
   * its end the shell would get what the user types, a password too.
   */
  onFault(thrown: unknown): void
  /** Returns what the shell is told when a signal ends the program; undefined if there is nothing to tell. */
  lastWords(): string | undefined
}

/**
 * Runs an Ink program on the whole terminal until `quit` is called. The terminal is given back after any end:
 * a result, an error, a signal; and for as long as the process is suspended.
 */
export async function fullScreen<Result>(
  draw: (acts: TerminalActs<Result>) => ReactNode,
  { interrupts, lastWords, onInterrupt, onSuspend, onFault }: FullScreenOptions,
): Promise<Result> {
  const { stdin, stdout } = process
  const screen = new TerminalScreen({
    write: (text) => void stdout.write(text),
    rows: () => stdout.rows,
    // The clock of the day may be set back, and no frame would be due for as long.
    now: () => performance.now(),
    later: (run, ms) => {
      const timer = setTimeout(run, ms)
      return () => clearTimeout(timer)
    },
  })
  const suspension = new Suspension(screen, stdin, onSuspend)
  const off = listeners({
    exit: () => screen.leave(),
    uncaughtException: onFault,
    unhandledRejection: onFault,
    SIGCONT: () => suspension.end(),
    ...endings(() => suspension.release(), lastWords),
  })
  // A process that no shell controls gets no signal when its terminal is closed.
  for (const event of ['end', 'error']) stdin.once(event, hangUp)
  stdout.once('error', hangUp)
  const onResize = () => screen.redraw()
  stdout.on('resize', onResize)
  interrupts.addEventListener('abort', onInterrupt)
  screen.enter()
  try {
    return await new Promise<Result>((resolve, reject) => {
      const options = {
        stdin: wholeKeysOf(stdin),
        stdout: framesTo(screen, stdout),
        debug: true,
        exitOnCtrlC: false,
        patchConsole: false,
      }
      const app = render(
        draw({ quit: resolve, suspend: () => suspension.begin(), ring: () => screen.ring() }),
        options,
      )
      suspension.unmount = () => app.unmount()
      app.waitUntilExit().catch(reject)
    })
  } finally {
    interrupts.removeEventListener('abort', onInterrupt)
    stdout.off('resize', onResize)
    for (const event of ['end', 'error']) stdin.off(event, hangUp)
    stdout.off('error', hangUp)
    suspension.release()
    off()
  }
}

/** Gives the terminal to the shell and takes it back. */
class Suspension {
  unmount: () => void = () => undefined
  readonly #screen: TerminalScreen
  readonly #stdin: NodeJS.ReadStream
  readonly #onStop = () => this.begin()
  readonly #onSuspend: () => void
  #isReleased = false

  constructor(screen: TerminalScreen, stdin: NodeJS.ReadStream, onSuspend: () => void) {
    this.#screen = screen
    this.#stdin = stdin
    this.#onSuspend = onSuspend
    process.on('SIGTSTP', this.#onStop)
  }

  /** Stops the process and its group, as Ctrl-Z does outside of raw mode. */
  begin(): void {
    if (this.#isReleased) return
    this.#onSuspend()
    this.#screen.leave()
    this.#stdin.setRawMode(false)
    // Without a listener the signal has its usual effect.
    process.off('SIGTSTP', this.#onStop)
    process.kill(0, 'SIGTSTP')
    setTimeout(() => this.end(), NOT_STOPPED_MS)
  }

  /** Takes the terminal back after the process continues. */
  end(): void {
    if (this.#isReleased) return
    process.off('SIGTSTP', this.#onStop)
    process.on('SIGTSTP', this.#onStop)
    this.#stdin.setRawMode(true)
    this.#screen.enter()
    this.#screen.redraw()
    // A terminal tells only its foreground process of a new size. The signal makes Node.js ask for it.
    process.kill(process.pid, 'SIGWINCH')
  }

  /** Gives the terminal back for good. */
  release(): void {
    if (this.#isReleased) return
    this.#isReleased = true
    process.off('SIGTSTP', this.#onStop)
    this.#screen.leave()
    this.unmount()
    this.#stdin.setRawMode(false)
    this.#stdin.pause()
  }
}

/**
 * Returns the terminal as Ink's output. In its debug mode Ink writes a complete frame for each change, and the
 * screen writes what differs; everything else is the terminal's own.
 */
function framesTo(screen: TerminalScreen, stdout: NodeJS.WriteStream): NodeJS.WriteStream {
  const write = (frame: string, ...rest: readonly unknown[]) => {
    if (frame !== '') screen.show(frame)
    const written = rest.at(-1)
    if (typeof written === 'function') written()
    return true
  }
  return new Proxy(stdout, {
    get: (stream, name) => (name === 'write' ? write : Reflect.get(stream, name, stream)),
  })
}

type Handlers = Partial<
  Record<NodeJS.Signals | 'exit', () => void> &
    Record<'uncaughtException' | 'unhandledRejection', (thrown: unknown) => void>
>

function endings(release: () => void, lastWords: () => string | undefined): Handlers {
  const end = (status: number) => () => {
    let words: string | undefined
    try {
      words = lastWords()
    } finally {
      release()
      if (words !== undefined) process.stderr.write(`${words}\n`)
      process.exit(status)
    }
  }
  const { SIGTERM, SIGQUIT } = ENDING_SIGNALS
  return {
    SIGTERM: end(SIGTERM),
    SIGQUIT: end(SIGQUIT),
    SIGHUP() {
      release()
      hangUp()
    },
  }
}

/** Ends the process by SIGHUP itself: Node.js aborts when it exits in the usual way without its terminal. */
function hangUp(): void {
  process.removeAllListeners('SIGHUP')
  process.kill(process.pid, 'SIGHUP')
}

/** Listens for events of the process; returns the way to stop. */
function listeners(handlers: Handlers): () => void {
  const entries = Object.entries(handlers)
  for (const [name, handler] of entries) process.on(name, handler)
  return () => {
    for (const [name, handler] of entries) process.off(name, handler)
  }
}
