import type { SentRequests } from '../http/sent-requests.js'

/** One output stream as a command sees it. */
export interface Sink {
  readonly isTty: boolean
  /** Width of the terminal; 80 when it is none. */
  readonly columns: number
  write(text: string): void
  /** Waits until all of it is written; the error when some could not be. A reader that went away is no error. */
  flushed(): Promise<Error | undefined>
}

/** What the terminal gives to commands; its one real implementation owns the process. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdout: Sink
  readonly stderr: Sink
  readonly stdin: {
    readonly isTty: boolean
    /** Everything until the end of input. */
    readAll(): Promise<string>
    /** One line, the prompt on stderr; without `echo` nothing typed is shown. */
    readLine(prompt: string, options?: { echo: boolean }): Promise<string>
  }
  /** What this run has sent. */
  readonly sent: SentRequests
  /** The home directory of the operating system's user. */
  readonly userHome: string
  /** How to start this program again, for `up --detach`. */
  readonly self: { readonly command: string; readonly args: readonly string[] }
  /** Aborted by the first Ctrl-C. */
  interrupts(): AbortSignal
  /** Milliseconds since the epoch. */
  now(): number
  sleep(ms: number): Promise<void>
  /** Aborts after `ms`. */
  deadline(ms: number): AbortSignal
}
