import type { Service } from './service.js'

/**
 * Live or Analyzer (specification, "Application mode"): the sandbox engine runs exactly while the mode is
 * Analyzer. The engine is up before the first simulated order, and down after the last. Changes are made one
 * after another, so that engine and mode can never disagree.
 */
export class ModeSwitch {
  readonly #service: Service
  #tail: Promise<void> = Promise.resolve()

  constructor(service: Service) {
    this.#service = service
  }

  /** Resolves when the mode is what was asked for. */
  set(on: boolean, by: string): Promise<void> {
    const changed = this.#tail.then(() => this.#set(on, by))
    this.#tail = changed.catch(() => undefined)
    return changed
  }

  async #set(on: boolean, by: string): Promise<void> {
    const { bus, log, sandbox, settings } = this.#service
    if (on) await sandbox.start()
    await settings.setAnalyzeMode(on)
    if (!on) await sandbox.stop()
    log.info('mode.changed', { analyze_mode: on, by })
    bus.publish('app_mode_changed', { analyze_mode: on })
  }
}
