import type { EventBus } from '../../core/events/index.js'
import type { Logger } from '../../core/logging/index.js'
import type { Sandbox } from '../../core/sandbox/index.js'
import type { Settings } from '../../core/settings/index.js'

interface ModeParts {
  bus: EventBus
  log: Logger
  sandbox: Pick<Sandbox, 'start' | 'stop'>
  settings: Pick<Settings, 'get' | 'setAnalyzeMode'>
}

/**
 * Switches between Live and Analyzer. The sandbox engine runs exactly while the mode is Analyzer: it starts
 * before the first simulated order and stops after the last. Switches run one after another. After a failed
 * switch, the engine follows the stored mode.
 */
export class ModeSwitch {
  readonly #parts: ModeParts
  #tail: Promise<void> = Promise.resolve()

  constructor(parts: ModeParts) {
    this.#parts = parts
  }

  /** Sets the mode. Resolves when the switch is complete. */
  set(on: boolean, by: string): Promise<void> {
    const changed = this.#tail.then(() => this.#set(on, by))
    this.#tail = changed.catch(() => undefined)
    return changed
  }

  async #set(on: boolean, by: string): Promise<void> {
    const { bus, log, sandbox, settings } = this.#parts
    try {
      if (on) await sandbox.start()
      await settings.setAnalyzeMode(on)
    } finally {
      // The engine follows the stored mode, also when storing the new one failed.
      if (!settings.get().analyzeMode) await sandbox.stop()
    }
    log.info('mode.changed', { analyze_mode: on, by })
    bus.publish('app_mode_changed', { analyze_mode: on })
  }
}
