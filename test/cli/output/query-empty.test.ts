import { expect, it } from 'vitest'
import { queried } from '../../../src/cli/output/query.js'

it('a jq program without a result prints nothing', async () => {
  expect(await queried([], '.[] | select(.origin != "default") | .key')).toBe('')
})
