import { expect, test } from 'vitest'
import { ALL_OPERATION_LIST } from '../../src/daemon/operations/all.js'
import { bearer, HttpDesk } from '../support/desk/http-desk.js'

test('a path that looks like the pattern of its route is a path with values that do not exist', async () => {
  const http = await HttpDesk.open()
  const credentials = {
    session: bearer(await http.signIn()),
    apikey: { 'x-api-key': http.apikey },
    none: {},
  }
  const withParams = ALL_OPERATION_LIST.filter(({ path }) => path.includes(':'))
  expect(withParams.length).toBeGreaterThan(30)
  const failed: string[] = []
  for (const { auth, method, name, path } of withParams) {
    // A browser, too: a page that was made twice failed.
    for (const accept of ['application/json', 'text/html']) {
      const { status } = await http.request(method, path, { headers: { ...credentials[auth], accept } })
      if (status === 500) failed.push(`${name} ${accept}`)
    }
  }
  expect(failed).toEqual([])
})
