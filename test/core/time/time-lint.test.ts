import { expect, it } from 'vitest'
import { lintPlanted } from '../../support/planted-lint.js'

/** The expressions that a rule refuses and those that it lets pass, by file below src/. */
const RULES = {
  durations: {
    refused: {
      'core/orders/a-clock.ts': 'clock.now() - sentAt',
      'core/orders/a-private-clock.ts': 'this.#clock.now() - sentAt',
      'core/orders/a-clock-among-options.ts': 'this.#options.clock.now() - rows[0].at',
      'core/orders/a-comparison.ts': 'clock.now() - sentAt > 30_000',
      'core/orders/a-duration-of-a-limit.ts': 'LIMIT_MS - (clock.now() - sentAt)',
      'daemon/routes/orders.ts': 'service.clock.now() - sentAt',
    },
    passes: {
      'core/orders/monotonic.ts': 'clock.monotonic() - sentAt',
      'core/orders/since.ts': 'clock.since(sentAt)',
      'core/orders/ago.ts': 'clock.ago(30_000)',
      'core/orders/later.ts': 'clock.now() + 30_000',
      'core/orders/remaining.ts': 'expiresAt - clock.now()',
      'core/orders/an-instant.ts': 'clock.now() < expiresAt',
      'core/time/the-clock.ts': 'clock.now() - then',
      'cli/io/terminal.ts': 'io.now() - then',
    },
  },
  'one-clock': {
    refused: {
      'core/orders/date.ts': 'Date.now()',
      'core/orders/chance.ts': 'Math.random()',
      'core/orders/now.ts': 'new Date()',
      'core/orders/performance.ts': 'performance.now() + 1',
    },
    passes: {
      'core/orders/clock.ts': 'clock.now()',
      'core/orders/given.ts': 'new Date(at)',
      'core/time/clock.ts': 'Date.now()',
      'cli/io/io.ts': 'Date.now()',
    },
  },
}

it.each(Object.entries(RULES))('lint/%s.grit reports what it refuses, and nothing else', (rule, cases) => {
  const planted = Object.entries({ ...cases.refused, ...cases.passes })
  expect(
    lintPlanted(
      rule,
      planted.map(([file, expression]) => ({ file, expression })),
    ),
  ).toEqual({
    found: Object.keys(cases.refused).sort(),
    broken: [],
  })
})
