import type { Service } from './service.js'

/**
 * Live or Analyzer (specification, "Application mode"): the sandbox engine runs exactly while the mode is
 * Analyzer. The engine is up before the first simulated order, and down after the last.
 */
export async function setAnalyzeMode(service: Service, on: boolean, by: string): Promise<void> {
  if (on) await service.sandbox.start()
  await service.settings.setAnalyzeMode(on)
  if (!on) await service.sandbox.stop()
  service.log.info('mode.changed', { analyze_mode: on, by })
  service.bus.publish('app_mode_changed', { analyze_mode: on })
}
