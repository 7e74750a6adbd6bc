import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { expect, test } from 'vitest'
import { bridge, type Post } from '../../../../src/cli/commands/shell/mcp-bridge.js'
import { CliError } from '../../../../src/cli/framework/errors.js'
import { EXIT } from '../../../../src/cli/framework/exit-codes.js'

const CALL: JSONRPCMessage = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'place_order' } }

/** Sends messages through a bridge and returns what the assistant reads. */
async function answersTo(post: Post, ...messages: JSONRPCMessage[]): Promise<JSONRPCMessage[]> {
  const [assistant, own] = InMemoryTransport.createLinkedPair()
  const read: JSONRPCMessage[] = []
  assistant.onmessage = (message) => void read.push(message)
  await assistant.start()
  for (const message of messages) await assistant.send(message)
  // The end of the assistant's input: the answers of calls in flight still arrive.
  await bridge(own, post, Promise.resolve())
  return read
}

const errorIn = ([answer]: JSONRPCMessage[]) => {
  const result = answer && 'result' in answer ? answer.result : {}
  const [content] = Array.isArray(result.content) ? result.content : []
  return { isError: result.isError, ...JSON.parse(String(content?.text)).error }
}

test('a message and its answer pass unchanged', async () => {
  const answer = { jsonrpc: '2.0', id: 7, result: { content: [] } } as const
  const seen: JSONRPCMessage[] = []
  const post: Post = async (message) => {
    seen.push(message)
    return { status: 200, body: answer, code: undefined }
  }
  expect(await answersTo(post, CALL)).toEqual([answer])
  expect(seen).toEqual([CALL])
})

test.each([
  ['not json', -32700],
  ['{"jsonrpc":"2.0"', -32700],
  ['{"jsonrpc":"1.0","method":"x"}', -32600],
])('the line %s is answered, and the messages after it pass', async (line, code) => {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()]
  const post: Post = async () => ({
    status: 200,
    body: { jsonrpc: '2.0', id: 7, result: {} },
    code: undefined,
  })
  const closed = once(stdin, 'end').then(() => undefined)
  const running = bridge(new StdioServerTransport(stdin, stdout), post, closed)
  stdin.end(`${line}\n${JSON.stringify(CALL)}\n`)
  await running
  const answers = String(stdout.read())
    .trim()
    .split('\n')
    .map((text) => JSON.parse(text))
  expect(answers).toEqual([
    { jsonrpc: '2.0', error: { code, message: expect.any(String) } },
    { jsonrpc: '2.0', id: 7, result: {} },
  ])
})

test('a call whose outcome is unknown says so, and one that did nothing may be repeated', async () => {
  const lost: Post = async () => {
    throw new CliError(EXIT.unknown, 'The connection broke.', { code: 'outcome_unknown' })
  }
  expect(errorIn(await answersTo(lost, CALL))).toMatchObject({
    isError: true,
    error_type: 'outcome_unknown',
    retry_safe: false,
    verify_first: true,
  })
  const away: Post = async () => {
    throw new CliError(EXIT.noDaemon, 'No daemon answers.', {
      code: 'no_daemon',
      hint: 'Start it: svc up --detach',
    })
  }
  expect(errorIn(await answersTo(away, CALL))).toMatchObject({
    retry_safe: true,
    message: 'No daemon answers. Start it: svc up --detach',
  })
  const refused: Post = async () => ({
    status: 403,
    body: { message: 'Invalid svc apikey' },
    code: 'invalid_key',
  })
  expect(errorIn(await answersTo(refused, CALL))).toMatchObject({
    error_type: 'invalid_key',
    retry_safe: true,
  })
})

test('another request that fails gets an error of the protocol, a notification nothing', async () => {
  const refused: Post = async () => ({ status: 503, body: { message: 'Starting' }, code: 'unavailable' })
  const list: JSONRPCMessage = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
  const note: JSONRPCMessage = { jsonrpc: '2.0', method: 'notifications/initialized' }
  expect(await answersTo(refused, list, note)).toEqual([
    { jsonrpc: '2.0', id: 1, error: { code: -32603, message: 'Starting' } },
  ])
})
