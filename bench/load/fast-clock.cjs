'use strict'
/*
 * Loaded before a program (`node --require`): time passes so many times faster for it. FAST_CLOCK is the factor and the
 * instant at which the clocks agreed, so that two programs with the same value agree at all times.
 */
const { syncBuiltinESMExports } = require('node:module')
const timers = require('node:timers')
const promises = require('node:timers/promises')

const [factor, start] = process.env.FAST_CLOCK.split(' ').map(Number)
const RealDate = Date
const now = () => start + (RealDate.now() - start) * factor

globalThis.Date = class extends RealDate {
  constructor(...parts) {
    super(...(parts.length === 0 ? [now()] : parts))
  }
  static now() {
    return Math.floor(now())
  }
}

const monotonic = performance.now.bind(performance)
performance.now = () => monotonic() * factor

for (const name of ['setTimeout', 'setInterval']) {
  const real = timers[name]
  const fast = (run, ms = 0, ...rest) => real(run, ms / factor, ...rest)
  timers[name] = fast
  globalThis[name] = fast
}
const sleep = promises.setTimeout
promises.setTimeout = (ms = 0, ...rest) => sleep(ms / factor, ...rest)
syncBuiltinESMExports()
