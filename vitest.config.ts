import { defineConfig } from 'vitest/config'

/** Two projects: `unit` shares its modules between files, which hold no state; `e2e` starts real daemons and kills them. */
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
