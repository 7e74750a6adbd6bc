import { expect, test } from 'vitest'
import { checkedId, contextUrl, newName } from '../../../src/cli/contexts/words.js'

test.each([
  ['https://desk.example.com', 'https://desk.example.com'],
  ['https://desk.example.com/', 'https://desk.example.com'],
  ['HTTPS://Desk.Example.com:443//', 'https://desk.example.com'],
  ['https://[2001:db8::1]:8443', 'https://[2001:db8::1]:8443'],
  ['http://127.0.0.1:5000/', 'http://127.0.0.1:5000'],
  ['http://[::1]:5001', 'http://[::1]:5001'],
  ['http://localhost:5001', 'http://localhost:5001'],
])('%s is the address %s', (given, url) => expect(contextUrl(given)).toBe(url))

test.each([
  ['desk.example.com', 'must be an http or https URL'],
  ['desk.example.com:5000', 'must be an http or https URL'],
  ['ftp://desk.example.com', 'must be an http or https URL'],
  ['', 'must be an http or https URL'],
  ['https://', 'must be an http or https URL'],
  ['https://asha:secret@desk.example.com', 'must not have a user name or password'],
  ['https://desk.example.com/svc', 'must not have a path'],
  ['https://desk.example.com/?a=1', 'must not have a query'],
  ['https://desk.example.com#x', 'must not have a query or a fragment'],
  ['http://desk.example.com', 'must begin with https'],
  ['http://127.0.0.1.example.com', 'must begin with https'],
  ['http://192.168.1.5:5000', 'must begin with https'],
])('%s is refused: it %s', (given, rule) => expect(() => contextUrl(given)).toThrow(rule))

test('a refused address does not show its password', () => {
  for (const url of ['ftp://asha:hunter2@desk', 'https://asha:hunter2@desk']) {
    expect(() => contextUrl(url)).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('hunter2') }),
    )
  }
})

test('a name is a plain word', () => {
  for (const name of ['prod', 'Prod-2', 'a.b_c', '9']) expect(newName(name)).toBe(name)
  const wrong = [
    '',
    '../x',
    'a/b',
    'a\\b',
    'a b',
    '.hidden',
    '-x',
    'a\u001b[31m',
    'a\nb',
    'größe',
    'x'.repeat(64),
  ]
  for (const name of wrong) expect(() => newName(name)).toThrow('is not the name of a context')
  expect(() => newName('a\u001b[31m')).toThrow(
    expect.objectContaining({ message: expect.not.stringContaining('\u001b') }),
  )
  expect(() => newName('local')).toThrow('the home of this machine')
})

test('an id is 32 hexadecimal characters', () => {
  expect(checkedId(` ${'AB'.repeat(16)}\n`)).toBe('ab'.repeat(16))
  expect(() => checkedId('abc')).toThrow('--id must be 32')
})
