// tsc emits only code; the generated SQL migrations travel beside it.
import { cpSync } from 'node:fs'

cpSync('src/core/storage/migrations', 'dist/core/storage/migrations', { recursive: true })
