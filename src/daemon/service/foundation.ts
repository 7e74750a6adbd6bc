import { FREEZE_QUANTITIES } from '../../core/brokers/simulated/index.js'
import { Calendar } from '../../core/calendar/index.js'
import type { Config } from '../../core/config/index.js'
import { Identity } from '../../core/identity/index.js'
import { Instruments } from '../../core/instruments/index.js'
import type { Logger } from '../../core/logging/index.js'
import { AddressSet, IpSecurity } from '../../core/security/index.js'
import { Settings } from '../../core/settings/index.js'
import type { Clock } from '../../core/time/index.js'
import type { Stores } from './stores.js'

export type Foundation = Awaited<ReturnType<typeof openFoundation>>

/** Opens the parts that all others use: identity, settings, bans, trading calendar and instruments. */
export async function openFoundation(
  { databases: { svc: db, logs }, secrets: secretBox }: Stores,
  { config, clock, log }: { config: Config; clock: Clock; log: Logger },
) {
  const identityConfig = {
    pepper: config.API_KEY_PEPPER,
    sessionExpiryTime: config.SESSION_EXPIRY_TIME,
    disableSessionExpiry: config.DISABLE_SESSION_EXPIRY,
    reauthMinutes: config.REAUTH_MINUTES,
  }
  const instruments = new Instruments({ db, clock, log, freezeQuantities: FREEZE_QUANTITIES })
  const [calendar, settings, identity] = await Promise.all([
    Calendar.open({ db, clock }),
    Settings.open({ db, secretBox, log }),
    Identity.open({ db, clock, config: identityConfig, secretBox, log }),
    instruments.load(),
  ])
  const security = await IpSecurity.open({
    svc: db,
    logs,
    clock,
    log,
    rules: () => settings.get(),
    owners: new AddressSet(config.OWNER_ADDRESSES ?? []),
  })
  /** Returns the current trading mode, which decides where orders go. */
  const mode = () => (settings.get().analyzeMode ? ('analyze' as const) : ('live' as const))
  return { instruments, calendar, settings, identity, security, mode }
}
