import { defineConfig } from 'vitest/config'
import { SCRATCH } from './test/support/scratch.js'

/**
 * Two projects: `unit` shares its modules between files, which hold no state, and keeps its files in memory; `e2e`
 * starts real daemons on the disk and kills them.
 */
export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/{core,daemon,cli,flows,tui}/**/*.test.{ts,tsx}'],
          testTimeout: 120_000,
          isolate: false,
          globalSetup: 'test/support/scratch.ts',
          env: SCRATCH === undefined ? {} : { TMPDIR: SCRATCH },
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: ['test/{e2e,crash}/**/*.test.ts'],
          globalSetup: 'test/support/global-setup.ts',
          setupFiles: 'test/support/no-leftovers.ts',
          testTimeout: 240_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
})
