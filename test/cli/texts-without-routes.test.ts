import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from '../../scripts/docs/documents.js'

/*
 * Whoever reads a refusal or a message at a terminal knows commands, and no routes: a text says what to do in words
 * that fit every client, or names the command. This test reads the sources, because such a text may appear once a year.
 */

/** Descriptions of the API, for those who call it, and the pages, whose links are addresses. */
const FOR_CALLERS = /^src\/daemon\/(operations|openapi|pages)\//

const COMMENT = /^\s*(\*|\/\/|\/\*)/
const METHOD = 'GET|POST|PUT|PATCH|DELETE'
/** The name of a route as a whole, as code names it. */
const NAME = new RegExp(
  `(['"\`])(?:${METHOD}) /[^\\s'"\`]*\\1|(?:infer|extends|\\|) \`(?:${METHOD}) /.*`,
  'g',
)
/** A route, or its path after a word, inside a text. */
const ROUTE = new RegExp(
  `\\b(?:${METHOD}) /[a-z]|['"\`][^'"\`]*[a-z},] /[a-z][a-z-]{2,}|\\}/[a-z][a-z/-]+ [a-z]`,
)

/** The texts that may: the beginning of the file's path, a part of the text, and why. */
const ALLOWED: readonly (readonly [file: string, text: RegExp, why: string])[] = [
  ['src/cli/commands/shell/api.ts', /./, 'svc api is the command for routes'],
  ['src/cli/commands/order/', /body of POST \/api\/v1/, 'the help says which form the file has'],
  ['src/cli/commands/message/channel.ts', /\/webhook/, 'the address that Telegram or WhatsApp must call'],
  ['src/cli/commands/message/channel.ts', /const route/, 'the name of a route'],
  ['src/cli/commands/daemon/backup.ts', /\/mnt\/backup/, 'a folder'],
  ['src/cli/commands/upgrade/by-hand.ts', /\/var\/backups/, 'a folder'],
  ['src/core/config/settings/', /\/api\/v1|\/metrics/, 'what a setting opens to programs'],
  ['src/core/notifications/', /Send \//, 'a command of a chat'],
  ['src/daemon/service/messages.ts', /\/positions/, 'a command of a chat'],
  ['src/daemon/middleware/session.ts', /CSRF/, 'only a browser sends a cookie; no command does'],
  ['src/daemon/mcp/operations.ts', /assistants\.refuse/, 'a line of the log of assistants'],
  [
    'src/core/notifications/whatsapp/phone.ts',
    /whatsapp page/,
    'the text of the public system, for its clients',
  ],
  ['src/core/mcp/', /This server grants access to/, 'an error of OAuth, which an assistant reads'],
]

test('no text that a terminal shows names an HTTP route', () => {
  const used = new Set<string>()
  const found: string[] = []
  for (const name of readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })) {
    const file = `src/${name}`
    if (!/\.tsx?$/.test(file) || FOR_CALLERS.test(file)) continue
    for (const line of readFileSync(join(ROOT, file), 'utf8').split('\n')) {
      if (COMMENT.test(line) || !ROUTE.test(line.replace(NAME, ''))) continue
      const row = ALLOWED.find(([begins, text]) => file.startsWith(begins) && text.test(line))
      if (row) used.add(row.join())
      else found.push(`${file}: ${line.trim()}`)
    }
  }
  expect(found).toEqual([])
  expect(ALLOWED.filter((row) => !used.has(row.join()))).toEqual([])
})
