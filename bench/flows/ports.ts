import type { FlowPorts } from '../../src/core/flows/index.js'
import type { Clock } from '../../src/core/time/index.js'

const absent = async () => {
  throw new Error('this workflow leaves the process nowhere')
}

/** The ports of a run that uses none. */
export function noPorts(clock: Clock): FlowPorts {
  return {
    clock,
    calendar: {
      isOpen: () => false,
      nextOpen: () => undefined,
      sessionOf: () => undefined,
      isTradingDay: () => false,
      isHoliday: () => false,
      windowsOn: () => [],
      holidaysOf: () => [],
    },
    orders: { send: absent },
    reads: { ask: absent },
    stream: { next: absent },
    http: { send: absent },
    notifier: { telegram: absent, whatsapp: absent },
    lots: { lotSize: () => undefined, isLoaded: () => false },
  }
}
