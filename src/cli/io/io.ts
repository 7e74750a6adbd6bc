import type { SentRequests } from '../http/sent-requests.js'

/** One output stream, as a command sees it. */
export interface Sink {
  readonly isTty: boolean
  /** The width of the terminal; 80 without a terminal. */
  readonly columns: number
  write(text: string): void
  /**
   * Resolves when everything is written; returns the error when a write failed. A reader that closed its end
   * is no error.
   */
  flushed(): Promise<Error | undefined>
}

/** The terminal, as commands see it. Its one real implementation owns the process. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdout: Sink
  readonly stderr: Sink
  readonly stdin: {
    readonly isTty: boolean
    /** Reads until the end of input. */
    readAll(): Promise<string>
    /**
     * Reads one line, with the prompt on stderr; without `echo` the terminal shows none of it. A signal that aborts ends
     * the reading with its reason.
     */
    readLine(prompt: string, options?: { echo: boolean; signal?: AbortSignal }): Promise<string>
  }
  /** The requests this run has sent. */
  readonly sent: SentRequests
  /** The home directory of the operating system's user. */
  readonly userHome: string
  /** The command that starts this program again, for `up --detach`. */
  readonly self: { readonly command: string; readonly args: readonly string[] }
  /** Aborted by the first Ctrl-C. */
  interrupts(): AbortSignal
  /** Milliseconds since the epoch. */
  now(): number
  sleep(ms: number): Promise<void>
  /** Aborts after `ms`. */
  deadline(ms: number): AbortSignal
}
