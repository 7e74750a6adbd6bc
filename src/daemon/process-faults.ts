import { messageOf } from '../core/errors/index.js'
import type { Logger, LogOutput } from '../core/logging/index.js'

/**
 * Exceptions and rejections of this process that nothing caught. Without this, Node ends the process on the spot and no
 * log tells why. Each is logged. The first one stops the service in order, because nobody knows which state it left
 * behind; before the service runs, it ends the process.
 */
export class ProcessFaults {
  readonly #log: Logger
  readonly #onException = (fault: unknown): void => this.#report('process.exception', fault)
  readonly #onRejection = (fault: unknown): void => this.#report('process.rejection', fault)
  #stop: () => void
  #isStopping = false

  constructor({ log, flushSync }: LogOutput) {
    this.#log = log
    this.#stop = () => {
      flushSync()
      process.exit(1)
    }
    process.on('uncaughtException', this.#onException)
    process.on('unhandledRejection', this.#onRejection)
  }

  /** From now on the first fault is answered with this stop. */
  stopWith(stop: () => void): void {
    this.#stop = stop
  }

  /** Ends the watch. */
  close(): void {
    process.off('uncaughtException', this.#onException)
    process.off('unhandledRejection', this.#onRejection)
  }

  #report(event: string, fault: unknown): void {
    logFault(this.#log, event, fault)
    if (this.#isStopping) return
    this.#isStopping = true
    this.#stop()
  }
}

/** Logs an exception with the place it came from. */
export function logFault(log: Logger, event: string, fault: unknown): void {
  log.error(event, { error: messageOf(fault), stack: fault instanceof Error ? fault.stack : undefined })
}
