import { messageOf } from '../../core/errors/index.js'
import type { Logger, LogOutput } from '../../core/logging/index.js'

/**
 * Handles uncaught exceptions and rejections of this process. Without it, Node ends the process at once and
 * the log does not say why. Each fault is logged. The first one stops the service in order, because the state
 * it left behind is unknown; before the service runs, it ends the process.
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

  /** Sets the function that stops the service on the first fault. */
  stopWith(stop: () => void): void {
    this.#stop = stop
  }

  /** Removes the handlers. */
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

/** Logs an exception with its stack. */
export function logFault(log: Logger, event: string, fault: unknown): void {
  log.error(event, { error: messageOf(fault), stack: fault instanceof Error ? fault.stack : undefined })
}
