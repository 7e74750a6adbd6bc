import { defineConfig } from 'drizzle-kit'

export default defineConfig({
  dialect: 'sqlite',
  schema: './src/core/storage/tables/sandbox/*.ts',
  out: './src/core/storage/migrations/sandbox',
})
