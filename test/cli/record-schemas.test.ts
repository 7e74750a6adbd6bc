import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { recordSchemas, SCHEMA_FOLDER } from '../../scripts/docs/record-schemas.js'

test('the schemas of the records are those of the definitions (npm run docs)', async () => {
  const stored = readdirSync(SCHEMA_FOLDER).map((file) => {
    const path = `${SCHEMA_FOLDER}/${file}`
    return [path, readFileSync(path, 'utf8')] as const
  })
  expect(new Map(stored.toSorted())).toEqual(new Map([...(await recordSchemas())].toSorted()))
})
