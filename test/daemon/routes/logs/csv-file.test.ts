import { expect, test } from 'vitest'
import { bearer, HttpDesk } from '../../../support/desk/http-desk.js'

test.each(['/logs/export', '/analyzer/export', '/audit/export?format=csv'])(
  '%s has a byte order mark for a browser, and none for a program',
  async (path) => {
    const http = await HttpDesk.open()
    const session = bearer(await http.signIn())
    const first = async (accept: string) => {
      const response = await http.app.request(path, { headers: { ...session, accept } }, {})
      return [response.status, [...new Uint8Array(await response.arrayBuffer())].slice(0, 3)]
    }
    const mark = [0xef, 0xbb, 0xbf]
    expect(await first('text/html,application/xhtml+xml,*/*;q=0.8')).toEqual([200, mark])
    expect(await first('*/*')).not.toEqual([200, mark])
  },
)
