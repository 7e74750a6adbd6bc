import { expect, test } from 'vitest'
import type { Database } from '../../src/core/storage/index.js'
import { ALL_OPERATION_LIST } from '../../src/daemon/operations/all.js'
import { Conversation } from './openapi/conversation.js'

/** Tables that a request needs before it reaches a route. */
const KEPT = ['active_sessions', 'users', 'api_keys', 'access_tokens', 'login_attempts']
/** Routes that never end, or that end the session of the caller. */
const LEFT_OUT = ['GET /flow/api/workflows/:id/follow', 'POST /auth/logout', 'POST /setup']
const INTERNALS =
  /no such table|SQLITE|sqlite|hidden_|\bselect\b.*\bfrom\b|\binsert into\b|Failed query|\.[jt]s:\d+/

/** Drops every table except those that authenticate the caller. */
async function empty(database: Database): Promise<void> {
  const tables = await database.queryRaw("select name from sqlite_master where type = 'table'", [])
  const names = tables.map(({ name }) => String(name))
  for (const name of names.filter((one) => !one.startsWith('sqlite_') && !KEPT.includes(one))) {
    await database.write((tx) => tx.exec(`alter table "${name}" rename to "hidden_${name}"`))
  }
}

const nameOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`

test.each(['live', 'analyze'] as const)(
  'whatever is missing in a database, no answer in %s mode has a word of it',
  async (mode) => {
    const talk = await Conversation.open(mode)
    for (const database of Object.values(talk.http.desk.service.databases)) await empty(database)
    const names = ALL_OPERATION_LIST.map(nameOf).filter((name) => !LEFT_OUT.includes(name))
    for (const name of names) await talk.ask(name)
    const said = talk.exchanges.map(({ operation, status, answer }) => ({
      operation: nameOf(operation),
      status,
      answer: typeof answer === 'string' ? answer : JSON.stringify(answer),
    }))
    expect(
      said.filter(({ answer, operation }) => INTERNALS.test(answer) && !operation.includes('/docs')),
    ).toEqual([])
    // Enough requests reached the tables.
    expect(said.filter(({ status }) => status === 500).length).toBeGreaterThan(25)
  },
)
