import { defineConfig } from 'drizzle-kit'

export default defineConfig({
  dialect: 'sqlite',
  schema: './src/core/storage/tables/svc/*.ts',
  out: './src/core/storage/migrations/svc',
})
