import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { SCRATCH } from './test/support/files/scratch.js'
import { LongestFirst } from './test/support/longest-first.js'

const CORES = availableParallelism()
/** `npm run test:slow` sets two. */
const WORKERS_PER_CORE = Number(process.env.SVC_WORKERS_PER_CORE ?? 1)

/** Thousands of random cases each, or a table whose product takes a minute. */
const DEEP = [
  'test/**/*.{property,model}.test.ts',
  'test/daemon/fuzz*.test.ts',
  'test/daemon/simulated-run.test.ts',
  'test/core/strategies/runs/account/days.test.ts',
]

/** Tests within the process: their files share modules, which hold no state, and keep their databases in memory. */
const WITHIN_THE_PROCESS = {
  isolate: false,
  maxWorkers: WORKERS_PER_CORE * CORES,
  // A busy machine takes minutes for what a quiet one does in a second; so no test has a limit of its own.
  testTimeout: 300_000,
  hookTimeout: 300_000,
  globalSetup: 'test/support/files/scratch.ts',
  alias: { '@node-rs/argon2': fileURLToPath(new URL('test/support/quick-argon2.ts', import.meta.url)) },
}
const SCRATCH_ENV = SCRATCH === undefined ? {} : { TMPDIR: SCRATCH }
/** The random cases of `npm test` are the same in each run. */
const PROPERTY_SEED = 'test/support/chance/property-seed.ts'
// As the program runs: React in its development mode is slower, and keeps a measurement of every drawing, without end.
const UNIT_ENV = { ...SCRATCH_ENV, NODE_ENV: 'production' }

/**
 * Three projects. `unit` and `deep` compute, so they take a worker for each core; `deep` goes its usual rounds in `npm run
 * torture`. `e2e` starts real daemons on the disk, kills them and mostly waits, so it takes twice as many, when the others are
 * done: beside them, both took longer.
 */
export default defineConfig({
  oxc: { jsx: { development: false } },
  test: {
    // A poll ends as soon as its condition holds. The default limit of one second is too short for a busy machine.
    expect: { poll: { timeout: 120_000 } },
    // node_modules keeps the compiled modules: the next run of one file takes half of the time. `npx vitest --clearCache` removes
    // them.
    experimental: { fsModuleCache: true },
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          ...WITHIN_THE_PROCESS,
          name: 'unit',
          include: ['test/{core,daemon,client,views,cli,flows,tui}/**/*.test.{ts,tsx}'],
          exclude: DEEP,
          setupFiles: PROPERTY_SEED,
          env: UNIT_ENV,
        },
      },
      {
        extends: true,
        test: {
          ...WITHIN_THE_PROCESS,
          name: 'deep',
          include: DEEP,
          setupFiles: PROPERTY_SEED,
          env: { ...SCRATCH_ENV, SVC_ROUNDS: process.env.SVC_ROUNDS ?? 'few' },
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: ['test/{e2e,crash}/**/*.test.ts'],
          // The files of a worker share its modules and the built program; the setup file runs for each.
          isolate: false,
          maxWorkers: 2 * CORES,
          // The build runs as it is.
          server: { deps: { external: [/\/dist\//] } },
          sequence: { groupOrder: 1 },
          globalSetup: 'test/support/process/global-setup.ts',
          setupFiles: [PROPERTY_SEED, 'test/support/process/no-leftovers.ts'],
          testTimeout: 480_000,
          hookTimeout: 300_000,
          // The tests that `it.concurrent` starts together wait for one daemon.
          maxConcurrency: 12,
        },
      },
    ],
  },
})
